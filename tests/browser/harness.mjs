// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// What all browser tests need: node FILE CASE PMTR MAKE_ASSEMBLY EXAMPLES SCREENSHOTS
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { request } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const { chromium } = createRequire(join(here, "../../web/package.json"))("playwright-core");
export const [name, pmtr, makeAssembly, examples, screenshots] = process.argv.slice(2);
mkdirSync(screenshots, { recursive: true });
export const folder = mkdtempSync(join(tmpdir(), "pmtr_browser_"));
export const ending = [() => rmSync(folder, { recursive: true, force: true })];

export function example(object, misled) {
  const out = join(folder, object);
  execFileSync(makeAssembly, ["example", join(examples, object), out, ...(misled === undefined ? [] : [String(misled)])]);
  return out;
}

export async function open(url, { width = 1400, height = 900, dark = false } = {}) {
  const browser = await chromium.launch({
    executablePath: process.env.PMTR_CHROMIUM,
    args: ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
      "--ignore-gpu-blocklist", "--disable-background-networking", "--disable-component-update", "--disable-sync",
      "--no-first-run"],
  });
  ending.push(() => browser.close());
  const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? "dark" : "light" });
  const page = await context.newPage();
  page.setDefaultTimeout(30000);
  page.problems = [];
  page.requests = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) page.problems.push(message.text());
  });
  page.on("pageerror", (error) => page.problems.push(String(error)));
  page.on("request", (r) => page.requests.push(r.url()));
  const begin = Date.now();
  await page.goto(url);
  await ready(page);
  page.opened = Date.now() - begin;
  return page;
}

export async function ready(page) {
  await page.waitForSelector('body[data-ready="yes"]', { timeout: 60000 });
  await drawn(page);
}

/** Waits until what was asked for is on the screen. */
export async function drawn(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done()))));
}

export const shoot = (page, label = name) => page.screenshot({ path: join(screenshots, `${label}.png`) });
export const report = (object, options, misled) => open(pathToFileURL(join(example(object, misled), "report.html")).href, options);
export const position = (page, part) => page.evaluate((p) => window.pmtrReport.partPosition(p), part);
export const distance = (a, b) => Math.hypot(...a.map((x, i) => x - b[i]));

/** How many pixels of the canvas are coloured strongly, how many at all: a picture is not empty and not grey. */
export const pixels = (page) => page.evaluate(() => {
  const canvas = document.querySelector("#view canvas");
  const copy = document.createElement("canvas");
  copy.width = canvas.width;
  copy.height = canvas.height;
  const context = copy.getContext("2d");
  context.drawImage(canvas, 0, 0);
  const data = context.getImageData(0, 0, copy.width, copy.height).data;
  const counts = { filled: 0, coloured: 0, yellow: 0, purple: 0 };
  for (let i = 0; i < data.length; i += 4) {
    if (data[i + 3] === 0) continue;
    counts.filled += 1;
    const [r, g, b] = [data[i], data[i + 1], data[i + 2]];
    if (Math.max(r, g, b) - Math.min(r, g, b) > 40) counts.coloured += 1;
    if (r > 1.2 * g && b > 1.2 * g) counts.purple += 1;
  }
  counts.share = counts.coloured / Math.max(counts.filled, 1);
  return counts;
});

/** Starts `pmtr COMMAND FOLDER`, which prints its address and serves. */
export function serve(out, command = "view") {
  const child = spawn(pmtr, [command, out, "--no-browser", "--threads", "2"], { stdio: ["ignore", "pipe", "pipe"] });
  const ended = new Promise((done) => child.on("exit", (code, signal) => done({ code, signal })));
  ending.push(() => { if (child.exitCode === null) child.kill("SIGKILL"); });
  const said = { err: "" };
  child.stderr.on("data", (d) => { said.err += d; });
  return new Promise((done, fail) => {
    let text = "";
    child.stdout.on("data", (d) => {
      text += d;
      if (text.includes("\n")) done({ url: text.trim(), child, ended, said });
    });
    child.on("exit", () => fail(new Error(`pmtr ${command} ended: ${said.err}`)));
  });
}

/** A request made by hand, so that every header can be wrong. */
export function ask(url, { path, method = "GET", headers = {}, body } = {}) {
  const u = new URL(url);
  return new Promise((done, fail) => {
    const r = request({ host: u.hostname, port: u.port, path: path ?? u.pathname, method, headers }, (response) => {
      let text = "";
      response.on("data", (d) => { text += d; });
      response.on("end", () => done({ status: response.statusCode, text, headers: response.headers }));
    });
    r.on("error", fail);
    if (body !== undefined) r.write(body);
    r.end();
  });
}

/** Runs the case that was asked for, and cleans up after it. */
export async function run(cases) {
  let failed = false;
  try {
    if (!(name in cases)) throw new Error(`no case ${name}`);
    await cases[name]();
  } catch (error) {
    console.error(error);
    failed = true;
  }
  for (const end of ending.reverse()) {
    try { await end(); } catch (error) { console.error(error); }
  }
  process.exit(failed ? 1 : 0);
}
