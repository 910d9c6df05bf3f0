// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// What is committed in web/dist is what the sources in web/src build.
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

const [web, out] = process.argv.slice(2);
rmSync(out, { recursive: true, force: true });
execFileSync(process.execPath, [join(web, "build.mjs"), out], { stdio: "inherit" });
let same = true;
for (const name of ["page.html", "report.css", "report.js", "app.html", "app.css", "app.js"]) {
  if (readFileSync(join(out, name)).equals(readFileSync(join(web, "dist", name)))) continue;
  console.log(`web/dist/${name} is not what web/src builds: run npm run build in web/ and commit it`);
  same = false;
}
process.exit(same ? 0 : 1);
