// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The browser tests of the report and of pmtr view.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import {
  ask, distance, drawn, example, folder, makeAssembly, open, pixels, pmtr, position, ready, report, run, screenshots, serve, shoot,
} from "./harness.mjs";

const cases = {
  async loads() {
    const page = await report("bowl");
    assert.equal(await page.locator("#fragment-table tbody tr").count(), 5);
    assert.match(await page.locator(".summary").innerText(), /5 of 5 fragments placed/);
    const shown = await pixels(page);
    assert.ok(shown.filled > 20000 && shown.share > 0.5, JSON.stringify(shown));
    await shoot(page);
    assert.deepEqual(page.problems, []);
  },

  async explode() {
    const page = await report("bowl");
    const before = await Promise.all([0, 1, 2, 3, 4].map((i) => position(page, i)));
    await page.locator("#explode").fill("100");
    await drawn(page);
    const after = await Promise.all([0, 1, 2, 3, 4].map((i) => position(page, i)));
    for (let i = 0; i < 5; ++i) assert.ok(distance(before[i], after[i]) > 0.05, `part ${i} stayed`);
    assert.equal(await page.locator("#explode-value").innerText(), "100 %");
    await page.locator("#lines").check();
    await drawn(page);
    await shoot(page);
    await page.locator("#explode").fill("0");
    assert.deepEqual(await position(page, 3), before[3]);
    assert.deepEqual(page.problems, []);
  },

  async click() {
    const page = await report("bowl");
    await page.locator("#explode").fill("80");
    await drawn(page);
    // A spot where some part is seen for sure.
    const spot = await page.evaluate(() => {
      for (let part = 0; part < 5; ++part) {
        const [x, y] = window.pmtrReport.whereIs(part);
        const seen = window.pmtrReport.pick(x, y);
        if (seen !== null) return { x, y, seen };
      }
      return null;
    });
    assert.ok(spot, "no part under any of the middles");
    await page.mouse.click(spot.x, spot.y);
    await drawn(page);
    assert.deepEqual(await page.evaluate(() => window.pmtrReport.selection), { part: spot.seen });
    const row = page.locator(`#fragment-table tr[data-part="${spot.seen}"]`);
    assert.equal(await row.getAttribute("aria-selected"), "true");
    assert.match(await page.locator("#detail").innerText(), new RegExp(`piece_${spot.seen}.ply`));
    await shoot(page);
    // A click on nothing clears.
    const box = await page.locator("#view").boundingBox();
    await page.mouse.click(box.x + 5, box.y + 5);
    assert.deepEqual(await page.evaluate(() => window.pmtrReport.selection), {});
    // And in the list.
    await page.locator('#fragment-table tr[data-part="3"]').click();
    assert.deepEqual(await page.evaluate(() => window.pmtrReport.selection), { part: 3 });
    assert.match(await page.locator("#live").innerText(), /piece_3.ply chosen/);
    assert.deepEqual(page.problems, []);
  },

  async selection_of_joint() {
    const page = await report("vase");
    await page.locator("#joint-table tbody tr").first().click();
    await drawn(page);
    assert.match(await page.locator("#detail").innerText(), /Accepted/);
    assert.match(await page.locator("#detail").innerText(), /Mean gap/);
    await page.locator("#explode").fill("60");
    await drawn(page);
    await shoot(page, "joint_accepted");
    await page.locator("#joint-table tbody.unused tr").first().click();
    await drawn(page);
    assert.match(await page.locator("#detail").innerText(), /Not used/);
    await shoot(page, "joint_not_used");
    assert.deepEqual(page.problems, []);
  },

  async heat_map() {
    const page = await report("bowl");
    await page.locator("#explode").fill("80");
    await drawn(page);
    const parts = await pixels(page);
    await page.locator('label:has(input[value="gaps"])').click();
    await drawn(page);
    const gaps = await pixels(page);
    // Most of the surface is grey, the mating surfaces are not.
    assert.ok(gaps.share < 0.6 * parts.share && gaps.coloured > 300, JSON.stringify({ parts, gaps }));
    assert.ok(await page.locator("#legend").isVisible());
    await shoot(page);
    assert.ok(await page.locator('input[value="original"]').isDisabled(), "the bowl has no colours of its own");
    assert.deepEqual(page.problems, []);
  },

  async textured() {
    // A tetrahedron painted red by a picture, beside one of vertex colours.
    const scans = join(folder, "scans");
    mkdirSync(scans);
    const faces = "f 1/1 3/2 2/3\nf 1/1 2/2 4/3\nf 2/1 3/2 4/3\nf 1/1 4/2 3/3\n";
    writeFileSync(join(scans, "painted.obj"),
      `mtllib m.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nvt 1 0\nvt 0 1\nusemtl m\n${faces}`);
    writeFileSync(join(scans, "m.mtl"), "newmtl m\nKd 1 1 1\nmap_Kd red.png\n");
    writeFileSync(join(scans, "red.png"), Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC", "base64"));
    writeFileSync(join(scans, "green.obj"),
      `v 0 0 0 0 1 0\nv 1 0 0 0 1 0\nv 0 1 0 0 1 0\nv 0 0 1 0 1 0\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n`);
    const pose = (z) => [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, z], [0, 0, 0, 1]];
    const part = (file, z) => ({ file: join(scans, file), placed: true, anchor: z === 0, component: 0, world_from_part: pose(z), confidence: 1 });
    const out = join(folder, "out");
    mkdirSync(out);
    writeFileSync(join(out, "assembly.json"), JSON.stringify({
      version: 1, seed: 0, units: "mm", weights: "w", object_size: 2,
      parts: [part("painted.obj", 0), part("green.obj", 1.2)], joints: [], certificate: null,
    }));
    execFileSync(pmtr, ["report", out], { stdio: "pipe" });
    const page = await open(pathToFileURL(join(out, "report.html")).href);
    await page.locator('label:has(input[value="original"])').click();
    await page.waitForTimeout(300);
    const seen = await page.evaluate(() => {
      const canvas = document.querySelector("#view canvas");
      const copy = document.createElement("canvas");
      copy.width = canvas.width;
      copy.height = canvas.height;
      copy.getContext("2d").drawImage(canvas, 0, 0);
      const data = copy.getContext("2d").getImageData(0, 0, copy.width, copy.height).data;
      let red = 0;
      let green = 0;
      for (let i = 0; i < data.length; i += 4) {
        if (data[i] > 60 && data[i + 1] < 20 && data[i + 2] < 20) red += 1;
        if (data[i + 1] > 60 && data[i] < 20 && data[i + 2] < 20) green += 1;
      }
      return { red, green };
    });
    await shoot(page);
    assert.ok(seen.red > 1000 && seen.green > 1000, JSON.stringify(seen));
    assert.deepEqual(page.problems, []);
  },

  async keyboard() {
    const page = await report("bowl");
    const focused = () => page.evaluate(() => {
      const e = document.activeElement;
      return e.id || e.dataset.part || e.dataset.joint || e.value || e.tagName;
    });
    const visits = [];
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.className), "skip");
    for (let i = 0; i < 12; ++i) {
      await page.keyboard.press("Tab");
      visits.push(await page.evaluate(() => document.activeElement.id ||
        document.activeElement.name || (document.activeElement.closest("table") ?? {}).id || document.activeElement.tagName));
    }
    for (const wanted of ["theme", "colours", "explode", "lines", "reset", "view", "fragment-table", "unused", "joint-table"]) {
      assert.ok(visits.includes(wanted), `Tab does not reach ${wanted}: ${visits}`);
    }
    // Every stop shows where it is.
    await page.locator("#explode").focus();
    await page.keyboard.press("End");
    assert.equal(await page.locator("#explode-value").innerText(), "150 %");
    await page.keyboard.press("Home");
    // The view turns and zooms.
    await page.locator("#view").focus();
    const camera = await page.evaluate(() => window.pmtrReport.camera());
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("+");
    const turned = await page.evaluate(() => window.pmtrReport.camera());
    assert.ok(distance(camera, turned) > 0.1);
    await page.keyboard.press("Home");
    // Lists by arrows.
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "reset");
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "0");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    assert.deepEqual(await page.evaluate(() => window.pmtrReport.selection), { part: 2 });
    assert.equal(await focused(), "2");
    const ring = await page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
    assert.notEqual(ring, "none");
    await shoot(page);
    await page.keyboard.press("End");
    assert.deepEqual(await page.evaluate(() => window.pmtrReport.selection), { part: 4 });
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("ArrowDown");
    assert.ok("joint" in await page.evaluate(() => window.pmtrReport.selection));
    await page.keyboard.press("Escape");
    assert.deepEqual(await page.evaluate(() => window.pmtrReport.selection), {});
    // Names for those who do not see: no control without one.
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, [tabindex='0']")]
      .filter((e) => !e.closest("[hidden]") && !(e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label")?.textContent.trim()))
      .map((e) => e.outerHTML));
    assert.deepEqual(nameless, []);
    assert.deepEqual(page.problems, []);
  },

  async themes() {
    const out = pathToFileURL(join(example("mug"), "report.html")).href;
    const page = await open(out, { dark: true });
    const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    const night = await ground();
    await shoot(page, "dark");
    await page.locator("#theme").click();
    assert.notEqual(await ground(), night);
    await shoot(page, "light_theme");
    await page.setViewportSize({ width: 420, height: 900 });
    await drawn(page);
    await page.screenshot({ path: join(screenshots, "narrow.png"), fullPage: true });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    assert.ok(overflow <= 0, `the page is ${overflow} pixels too wide`);
    await page.setViewportSize({ width: 1100, height: 800 });
    await page.emulateMedia({ media: "print" });
    await page.screenshot({ path: join(screenshots, "print.png"), fullPage: true });
    assert.ok(await page.locator(".still img").first().isVisible());
    assert.ok(!(await page.locator("#view").isVisible()));
    assert.deepEqual(page.problems, []);
  },

  async offline() {
    const file = pathToFileURL(join(example("bowl"), "report.html")).href;
    const page = await open(file);
    await page.context().setOffline(true);
    await page.reload();
    await ready(page);
    const others = page.requests.filter((u) => u !== file && !u.startsWith("data:") && !u.startsWith("blob:"));
    assert.deepEqual(others, []);
    assert.ok((await pixels(page)).filled > 20000);
    assert.deepEqual(page.problems, []);
  },

  async large() {
    const out = join(folder, "large");
    execFileSync(makeAssembly, ["large", "20", "50000", out]);
    const size = statSync(join(out, "report.html")).size / 1e6;
    assert.ok(size < 60, `${size} MB`);
    const page = await open(pathToFileURL(join(out, "report.html")).href);
    // The budget is 5 s on two idle cores (4.8 on the slowest machine so far). Other tests may keep the machine busy:
    // the best of three, and only twice the budget is a failure.
    for (let again = 0; again < 2 && page.opened >= 5000; ++again) {
      const begin = Date.now();
      await page.reload();
      await ready(page);
      page.opened = Math.min(page.opened, Date.now() - begin);
    }
    console.log(`20 fragments of 50,000 triangles: ${size.toFixed(1)} MB, ${(page.opened / 1000).toFixed(1)} s until it is drawn`);
    await shoot(page);
    assert.ok(page.opened < 10000, `${page.opened} ms`);
    assert.deepEqual(page.problems, []);
  },

  async light() {
    const out = join(folder, "large");
    execFileSync(makeAssembly, ["large", "20", "50000", out, "light"]);
    const size = statSync(join(out, "report.html")).size / 1e6;
        assert.ok(size < 10, `${size} MB`);
    const page = await open(pathToFileURL(join(out, "report.html")).href);
    console.log(`light: ${size.toFixed(1)} MB, ${(page.opened / 1000).toFixed(1)} s until it is drawn`);
    await shoot(page);
    assert.deepEqual(page.problems, []);
  },

  async view_reject() {
    const out = example("bowl", 2);
    const server = await serve(out);
    const page = await open(server.url);
    assert.ok(await page.locator("#decisions").isVisible());
    const before = JSON.parse(readFileSync(join(out, "assembly.json"), "utf8")).parts[2].world_from_part;
    const row = page.locator("#joint-table tbody tr", { hasText: "piece_2" }).first();
    await row.click();
    await page.getByRole("button", { name: "Reject", exact: true }).click();
    assert.match(await page.locator("#decision-list").innerText(), /Reject piece_1.ply \+ piece_2.ply, pose 1/);
    await shoot(page, "view_before");
    await page.locator("#explode").fill("40");
    await Promise.all([page.waitForEvent("load", { timeout: 60000 }), page.locator("#solve").click()]);
    await ready(page);
    const json = JSON.parse(readFileSync(join(out, "assembly.json"), "utf8"));
    const moved = Math.max(...json.parts[2].world_from_part.flat().map((x, i) => Math.abs(x - before.flat()[i])));
    assert.ok(moved > 0.05, `moved by ${moved}`);
    assert.match(await page.locator("#solve-state").innerText(), /Solved again/);
    assert.equal(await page.locator("#explode-value").innerText(), "40 %");
    assert.match(await page.locator("#joint-table").innerText(), /rejected by hand/);
    const constraints = JSON.parse(readFileSync(join(out, "constraints.json"), "utf8"));
    assert.deepEqual(constraints, { version: 1, joints: [{ a: "piece_1.ply", b: "piece_2.ply", rank: 0, decision: "reject" }], drop: [] });
    await shoot(page, "view_after");
    assert.deepEqual(page.problems, []);
  },

  async view_lock_swap_drop() {
    const out = example("bowl", 2);
    const server = await serve(out);
    const page = await open(server.url);
    // Another pose of the same pair, by the keyboard alone.
    await page.locator("#joint-table tbody tr", { hasText: "piece_2" }).first().focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^2: / }).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Use this pose instead" }).focus();
    await page.keyboard.press("Enter");
    await page.locator('#fragment-table tr[data-part="0"]').click();
    await page.getByRole("button", { name: "Leave out this fragment" }).click();
    await shoot(page, "view_decisions");
    await page.locator("#solve").focus();
    await Promise.all([page.waitForEvent("load", { timeout: 60000 }), page.keyboard.press("Enter")]);
    await ready(page);
    const json = JSON.parse(readFileSync(join(out, "assembly.json"), "utf8"));
    assert.equal(json.parts[0].placed, false);
    assert.ok(!existsSync(join(out, "piece_0.ply")));
    const used = json.joints.filter((j) => j.a === 1 && j.b === 2);
    assert.deepEqual(used.map((j) => j.used), [false, true]);
    assert.equal(used[1].decision, "lock");
    assert.match(await page.locator("#fragment-table").innerText(), /left out by hand/);
    assert.match(await page.locator("#joint-table").innerText(), /locked by hand/);
    // Taken back, all is as it was.
    for (let i = 0; i < 2; ++i) await page.getByRole("button", { name: /^Undo/ }).first().click();
    await Promise.all([page.waitForEvent("load", { timeout: 60000 }), page.locator("#solve").click()]);
    await ready(page);
    assert.ok(existsSync(join(out, "piece_0.ply")) && !existsSync(join(out, "constraints.json")));
    assert.deepEqual(page.problems, []);
  },

  async view_refuses() {
    const out = example("bowl");
    const server = await serve(out);
    const { url } = server;
    const u = new URL(url);
    assert.equal(u.hostname, "127.0.0.1");
    assert.match(u.pathname, /^\/[0-9a-f]{32}\/$/);
    const good = { Host: u.host };
    assert.equal((await ask(url, { headers: good })).status, 200);
    // Other host names: DNS rebinding.
    for (const host of ["evil.example", `evil.example:${u.port}`, "127.0.0.1", `127.0.0.1:${Number(u.port) + 1}`, `127.0.0.1:${u.port}.evil.example`]) {
      assert.equal((await ask(url, { headers: { Host: host } })).status, 403, host);
    }
    assert.equal((await ask(url, { headers: { Host: `localhost:${u.port}` } })).status, 200);
    // Paths: nothing but the page and the endpoint.
    const token = u.pathname;
    for (const path of ["/", "/report.html", "/assembly.json", `${token}assembly.json`, `${token}../assembly.json`, `${token}..%2fassembly.json`,
      `${token}%2e%2e/`, `${token}/`, token.slice(0, -1), "/../../../../etc/passwd", `${token}../../../../etc/passwd`, `/${"0".repeat(32)}/`, `${token}solve`]) {
      const answer = await ask(url, { path, headers: good });
      assert.equal(answer.status, 404, path);
      assert.ok(answer.text.length < 100, path);
    }
    // Origins: the page's own and no other.
    const body = JSON.stringify({ version: 1, joints: [], drop: [] });
    const post = (headers, text = body) => ask(url, { path: `${token}solve`, method: "POST", headers: { ...good, "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text), ...headers }, body: text });
    for (const origin of ["http://evil.example", "null", `https://${u.host}`, `http://localhost:${u.port}`, `http://127.0.0.1:${Number(u.port) + 1}`]) {
      assert.equal((await post({ Origin: origin })).status, 403, origin);
    }
    assert.equal((await post({})).status, 403, "no origin");
    assert.equal((await ask(url, { headers: { ...good, Origin: "http://evil.example" } })).status, 403);
    const ours = { Origin: `http://${u.host}` };
    assert.equal((await post({ ...ours, "Content-Type": "text/plain" })).status, 415);
    for (const method of ["PUT", "DELETE", "OPTIONS", "PATCH"]) {
      assert.equal((await ask(url, { method, headers: { ...good, ...ours } })).status, 404, method);
    }
    const bad = await post(ours, "{\"version\": 1}");
    assert.equal(bad.status, 422);
    assert.match(JSON.parse(bad.text).message, /joints/);
    assert.equal((await post(ours, JSON.stringify({ version: 1, joints: [], drop: ["../x"] }))).status, 422);
    assert.ok([413, 400].includes((await post(ours, " ".repeat(2 << 20)).catch(() => ({ status: 413 }))).status));
    const fine = await post(ours);
    assert.equal(fine.status, 200, fine.text);
    assert.equal(fine.headers["x-frame-options"], "DENY");
    assert.equal(fine.headers["access-control-allow-origin"], undefined);
    // Another page cannot make the browser do it either.
    const page = await open(url);
    const foreign = await page.context().browser().newPage();
    await foreign.goto("data:text/html,<p>another page</p>");
    const outcome = await foreign.evaluate(async ([address, text]) => {
      try {
        await fetch(address, { method: "POST", headers: { "Content-Type": "application/json" }, body: text });
        return "sent";
      } catch { return "refused"; }
    }, [`${url}solve`, body]);
    assert.equal(outcome, "refused");
    // And it listens on no other address.
    const sockets = readFileSync("/proc/net/tcp", "utf8").split("\n").map((l) => l.trim().split(/\s+/))
      .filter((w) => w[3] === "0A" && parseInt((w[1] ?? ":").split(":")[1], 16) === Number(u.port)).map((w) => w[1].split(":")[0]);
    assert.deepEqual([...new Set(sockets)], ["0100007F"]);
  },

  async view_ctrl_c() {
    const server = await serve(example("bowl"));
    assert.equal((await ask(server.url, { headers: { Host: new URL(server.url).host } })).status, 200);
    server.child.kill("SIGINT");
    assert.deepEqual(await server.ended, { code: 0, signal: null });
    assert.match(server.said.err, /stopped/);
    await assert.rejects(ask(server.url, {}));
  },
};

await run(cases);
