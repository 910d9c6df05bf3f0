// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The last step: everything that was written, together or one by one.
import { element } from "../dom";
import { address, listResults, type Project, type ResultFile } from "./api";
import { link, type Screen, trouble } from "./ui";
import { bytes } from "./words";

function about(name: string, fragments: Set<string>): string {
  if (name.startsWith("matrices/")) return "matrix for CloudCompare";
  const known: Record<string, string> = {
    "report.html": "report, opens in any browser", "assembly.glb": "the object as one scene, for Blender and other 3D programs",
    "assembly.json": "everything, for programs", "assembly.mlp": "project for MeshLab", "matrices.csv": "poses for spreadsheets",
    "constraints.json": "your decisions, for pmtr assemble --constraints", "assembly.png": "picture", "exploded.png": "picture, pulled apart",
    "joints.png": "pictures of the joints, the least sure first", "breaks.bin": "what was seen of the breaks, for solving again",
  };
  return known[name] ?? (fragments.has(name) ? "fragment, moved to its place" : "belongs to a fragment");
}

export function takeScreen(project: Project): Screen {
  const root = element("div", "", "page narrow");
  const cards = element("div", "", "take");
  const card = (title: string, words: string, ...ways: HTMLAnchorElement[]): HTMLElement => {
    const made = element("section", "", "panel");
    made.append(element("h2", title), element("p", words, "hint"));
    for (const way of ways) made.append(way, " ");
    return made;
  };
  const zip = link("Download all (zip)", address("zip", { project: project.id }), "button main");
  zip.download = "";
  const report = link("Open the report", address("report", { project: project.id }), "button");
  report.target = "_blank";
  report.rel = "noopener";
  const print = link("Print it", address("report", { project: project.id, print: "1" }), "button");
  print.target = "_blank";
  print.rel = "noopener";
  cards.append(card("Everything", "All that pmtr assemble writes: fragments at their places, poses, the scene for Blender, pictures, the report.", zip),
    card("To print or to read", "The numbered fragments, tables of fragments and joints, and what it all means; on A4, Letter or any other paper.", report, print));
  const table = element("table", "", "files");
  const wait = element("p", "The files are written anew after your last decision …", "hint");
  wait.setAttribute("role", "status");
  wait.hidden = true;
  const soon = window.setTimeout(() => { wait.hidden = false; }, 300);
  root.append(element("h1", "Take away"), cards, element("h2", "Single files"), wait, table);
  const row = (file: ResultFile, fragments: Set<string>): HTMLElement => {
    const made = element("tr");
    const name = element("td", "", "names");
    const way = link(file.name, address("file", { project: project.id, name: file.name }));
    way.download = "";
    name.append(way);
    made.append(name, element("td", about(file.name, fragments), "hint"), element("td", bytes(file.bytes), "n"));
    return made;
  };
  const fragments = new Set(project.fragments.map((f) => f.name));
  listResults(project.id).finally(() => {
    window.clearTimeout(soon);
    wait.remove();
  }).then(({ files }) => {
    const head = element("thead");
    const titles = element("tr");
    titles.append(element("th", "File"), element("th", "What it is"), element("th", "Size", "n"));
    head.append(titles);
    const body = element("tbody");
    const order = (f: ResultFile): number => (f.name.includes("/") ? 2 : fragments.has(f.name) ? 1 : 0);
    body.append(...[...files].sort((a, b) => order(a) - order(b)).map((f) => row(f, fragments)));
    table.append(head, body);
    document.body.dataset["files"] = String(files.length);
  }).catch(trouble);
  return { root };
}
