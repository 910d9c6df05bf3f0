// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The workbench: one page, one screen at a time. The address after # says which: #/, #/PROJECT/STEP.
import { bindTheme, byId, element } from "../dom";
import { getProject, type Project } from "./api";
import { fragmentsScreen } from "./fragments";
import { projectsScreen } from "./projects";
import { runScreen } from "./run";
import { takeScreen } from "./take";
import { clearTrouble, link, type Screen, trouble } from "./ui";
import { Workspace } from "./workspace";

const steps = [["fragments", "Fragments"], ["run", "Run"], ["object", "Object"], ["decide", "Decide"], ["take", "Take away"]] as const;
type Step = (typeof steps)[number][0];

bindTheme();
let screen: Screen | null = null;
let shown = "";
let turn = 0; // a later click wins over an answer that is still on its way

function showSteps(project: Project | null, current: string): void {
  const nav = byId("steps");
  nav.hidden = project === null;
  byId("project-name").textContent = project?.name ?? "";
  document.title = project ? `${project.name} · pmtr` : "pmtr";
  if (!project) return;
  const list = element("ol");
  steps.forEach(([step, words], i) => {
    const item = element("li");
    const way = link("", `#/${encodeURIComponent(project.id)}/${step}`);
    way.append(element("span", String(i + 1), "step"), element("span", words));
    if (step === current) way.setAttribute("aria-current", "step");
    const needsResult = step === "object" || step === "decide" || step === "take";
    if (needsResult && !project.result) {
      way.setAttribute("aria-disabled", "true");
      way.removeAttribute("href");
      way.title = "Assemble the fragments first";
    }
    item.append(way);
    list.append(item);
  });
  nav.replaceChildren(list);
}

function makeScreen(project: Project, step: Step): Screen {
  if (step === "run") return runScreen(project);
  if (step === "take") return takeScreen(project);
  if (step === "object" || step === "decide") return new Workspace(project, step);
  return fragmentsScreen(project);
}

async function route(): Promise<void> {
  const mine = ++turn;
  const [id, word] = location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const step = (steps.find(([s]) => s === word)?.[0] ?? "fragments") as Step;
  clearTrouble();
  try {
    // The picture of a result comes first.
    const project = id ? await getProject(id, step !== "object" && step !== "decide") : null;
    if (mine !== turn) return;
    showSteps(project, step);
    const work = step === "object" || step === "decide";
    if (screen instanceof Workspace && work && shown === id) {
      screen.setMode(step);
    } else {
      screen?.leave?.();
      delete document.body.dataset["ready"];
      screen = project ? makeScreen(project, step) : projectsScreen();
      byId("main").replaceChildren(screen.root);
      if (!work) document.body.dataset["ready"] = "yes";
    }
    shown = id ?? "";
    document.body.dataset["screen"] = project ? step : "projects";
  } catch (error) {
    trouble(error);
    screen?.leave?.();
    screen = projectsScreen();
    showSteps(null, "");
    byId("main").replaceChildren(screen.root);
  }
}

window.addEventListener("hashchange", () => {
  void route();
  byId("main").focus({ preventScroll: true });
});
// The project's steps open up as the run ends.
new MutationObserver(() => {
  if (document.body.dataset["run"] === "done" && shown) void getProject(shown).then((p) => showSteps(p, document.body.dataset["screen"] ?? ""), () => {});
}).observe(document.body, { attributes: true, attributeFilter: ["data-run"] });
// A file dropped beside the screen must not replace the page.
for (const kind of ["dragover", "drop"]) window.addEventListener(kind, (event) => event.preventDefault());
void route();
