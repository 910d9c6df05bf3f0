// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Builds the viewer of the report and the workbench:  node build.mjs [FOLDER]   (dist if not given). What it writes is committed, so that
// building pmtr needs no node; a test compares.
import { build } from "esbuild";
import { copyFile, mkdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ? resolve(process.argv[2]) : join(here, "dist");
await mkdir(out, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { report: "src/main.ts", app: "src/app/main.ts" },
  outdir: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["chrome100", "firefox100", "safari15"],
  charset: "ascii",
  legalComments: "inline",
  banner: { js: "/* The pages of pmtr (Apache-2.0), with three.js (MIT, https://threejs.org, Copyright three.js authors). */" },
  logLevel: "warning",
});
await build({
  absWorkingDir: here,
  entryPoints: { report: "src/style.css", app: "src/app/style.css" },
  outdir: out,
  bundle: true,
  minify: true,
  target: ["chrome105", "firefox121", "safari16"],
  logLevel: "warning",
});
await copyFile(join(here, "src/page.html"), join(out, "page.html"));
await copyFile(join(here, "src/app/app.html"), join(out, "app.html"));
