// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
import { readData } from "./data";
import { Decisions } from "./decisions";
import { announce, bindTheme, byId, element, factList } from "./dom";
import { Grid } from "./grid";
import { breakCss, rampCss } from "./ramp";
import { type ColourMode, type Selection, View } from "./scene";

const data = readData();
const canSolve = document.body.dataset["solve"] === "on";
const decisions = new Decisions(data);
let selection: Selection = {};
let view: View | null = null;

bindTheme();

function partLabel(index: number): HTMLElement {
  const info = data.parts[index]!;
  const label = element("span", "", "part");
  const swatch = element("span", "", "swatch");
  swatch.style.background = info.colour;
  label.append(swatch, info.name);
  return label;
}

function toggle(text: string, pressed: boolean, act: () => void): HTMLButtonElement {
  const button = element("button", text);
  button.type = "button";
  button.setAttribute("aria-pressed", String(pressed));
  button.addEventListener("click", () => {
    act();
    showDetail();
    showDecisions();
    // The buttons were made anew; the focus stays where it was.
    for (const other of byId("detail").querySelectorAll("button")) if (other.textContent === text) other.focus();
  });
  return button;
}

function showDetail(): void {
  const detail = byId("detail");
  detail.replaceChildren();
  if (selection.part !== undefined) {
    const index = selection.part;
    const info = data.parts[index]!;
    const title = element("h3");
    title.append(partLabel(index));
    detail.append(title);
    detail.append(element("p", info.dropped ? "Left out by hand." : info.placed
      ? "Placed." : "Not placed: nothing it surely belongs to."));
    detail.append(factList(info.facts));
    if (canSolve) {
      const actions = element("p", "", "actions");
      actions.append(toggle("Leave out this fragment", decisions.dropped[index]!, () =>
        decisions.setDropped(index, !decisions.dropped[index])));
      detail.append(actions);
    }
  } else if (selection.joint !== undefined) {
    const index = selection.joint;
    const joint = data.joints[index]!;
    const title = element("h3");
    title.append(partLabel(joint.a), element("span", "+", "plus"), partLabel(joint.b));
    detail.append(title, element("p", joint.sentence), factList(joint.facts));
    const poses = decisions.posesOf(index);
    if (poses.length > 1) {
      const row = element("p", "", "actions");
      row.append(element("span", "Poses found for this pair:", "hint"));
      for (const other of poses) {
        const info = data.joints[other]!;
        row.append(toggle(`${info.rank + 1}: ${info.confidence.toFixed(2)}${info.used ? ", used" : ""}`, other === index, () =>
          choose({ joint: other })));
      }
      detail.append(row);
    }
    if (canSolve) {
      const actions = element("p", "", "actions");
      const now = decisions.joints[index]!;
      actions.append(
        toggle(joint.used ? "Lock this pose" : "Use this pose instead", now === "lock", () =>
          decisions.setJoint(index, now === "lock" ? "none" : "lock")),
        toggle("Reject", now === "reject", () => decisions.setJoint(index, now === "reject" ? "none" : "reject")));
      detail.append(actions);
    }
  } else {
    detail.append(element("p", "Choose a fragment or a joint: in the picture or in the lists.", "hint"));
  }
}

function showDecisions(): void {
  if (!canSolve) return;
  const list = byId("decision-list");
  list.replaceChildren();
  const add = (text: string, undo: () => void): void => {
    const item = element("li");
    item.append(element("span", text));
    const button = element("button", "Undo");
    button.type = "button";
    button.setAttribute("aria-label", `Undo: ${text}`);
    button.addEventListener("click", () => {
      undo();
      showDetail();
      showDecisions();
      byId("solve").focus();
    });
    item.append(button);
    list.append(item);
  };
  decisions.joints.forEach((verdict, i) => {
    if (verdict !== "none") {
      add(`${verdict === "lock" ? "Lock" : "Reject"} ${decisions.jointName(i)}`, () => decisions.setJoint(i, "none"));
    }
  });
  for (const { fragment } of decisions.placed) add(`Put ${fragment} by hand`, () => decisions.letGo(fragment));
  decisions.dropped.forEach((dropped, i) => {
    if (dropped) add(`Leave out ${data.parts[i]!.name}`, () => decisions.setDropped(i, false));
  });
  byId("no-decisions").hidden = list.childElementCount > 0;
  byId<HTMLButtonElement>("solve").disabled = !decisions.changed;
}

const fragmentTable = byId<HTMLTableElement>("fragment-table");
const jointTable = byId<HTMLTableElement>("joint-table");
const fragmentGrid = new Grid(fragmentTable, (row) => choose(row ? { part: Number(row.dataset["part"]) } : {}));
const jointGrid = new Grid(jointTable, (row) => choose(row ? { joint: Number(row.dataset["joint"]) } : {}));

function choose(next: Selection): void {
  selection = next;
  if (next.joint !== undefined && !data.joints[next.joint]!.used) showUnused(true);
  fragmentGrid.mark(fragmentTable.querySelector(`tr[data-part="${next.part}"]`));
  jointGrid.mark(jointTable.querySelector(`tr[data-joint="${next.joint}"]`));
  view?.select(next);
  showDetail();
  if (next.part !== undefined) {
    const info = data.parts[next.part]!;
    announce(`${info.name} chosen, ${info.placed ? "placed" : "not placed"}, confidence ${info.confidence.toFixed(2)}`);
  } else if (next.joint !== undefined) {
    announce(`Joint ${decisions.jointName(next.joint)} chosen. ${data.joints[next.joint]!.sentence}`);
  } else {
    announce("Nothing chosen");
  }
}

// Joints that were not used: shown at once where they are few.
const unused = byId<HTMLInputElement>("unused");
const unusedBody = jointTable.querySelector<HTMLElement>("tbody.unused");
function showUnused(on: boolean): void {
  unused.checked = on;
  if (unusedBody) unusedBody.hidden = !on;
  jointGrid.update();
}
if (!unusedBody) byId("unused-label").hidden = true;
showUnused((unusedBody?.childElementCount ?? 0) <= 12);
unused.addEventListener("change", () => showUnused(unused.checked));

const explode = byId<HTMLInputElement>("explode");
function applyExplode(): void {
  const text = `${explode.value} %`;
  explode.setAttribute("aria-valuetext", text);
  byId("explode-value").textContent = text;
  view?.setExplode(Number(explode.value) / 100);
}
explode.addEventListener("input", applyExplode);
const lines = byId<HTMLInputElement>("lines");
lines.addEventListener("change", () => view?.setLines(lines.checked));
const matches = byId<HTMLInputElement>("matches");
byId("matches-label").hidden = data.joints.every((j) => j.matches.length === 0);
matches.addEventListener("change", () => view?.setMatches(matches.checked));
const loose = byId<HTMLInputElement>("loose");
byId("loose-label").hidden = data.parts.every((p) => p.placed);
loose.addEventListener("change", () => view?.setLoose(loose.checked));
byId("reset").addEventListener("click", () => view?.resetView());

const modes = [...document.querySelectorAll<HTMLInputElement>('input[name="colours"]')];
function applyMode(): void {
  const mode = modes.find((m) => m.checked)!.value as ColourMode;
  byId("legend").hidden = mode !== "gaps" && mode !== "breaks";
  byId("ramp").style.background = mode === "breaks" ? breakCss() : rampCss();
  byId("legend-what").textContent = mode === "breaks" ? "Broken" : "Gap";
  byId("legend-low").textContent = mode === "breaks" ? "surely not" : "0";
  byId("legend-high").textContent = mode === "breaks" ? "surely" : `${Number(data.gapScale.toPrecision(3))}${data.units ? " " + data.units : ""}`;
  for (const none of [byId("legend-none"), byId("legend-none").previousElementSibling as HTMLElement]) none.hidden = mode === "breaks";
  view?.setMode(mode);
}
for (const input of modes) input.addEventListener("change", applyMode);

function bindView(made: View): void {
  const host = byId("view");
  let down: [number, number] | null = null;
  made.canvas.addEventListener("pointerdown", (event) => { down = [event.clientX, event.clientY]; });
  made.canvas.addEventListener("pointerup", (event) => {
    if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
    const part = made.pick(event.clientX, event.clientY);
    choose(part === null ? {} : { part });
  });
  host.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = Math.PI / 18;
    const acts: Record<string, () => void> = {
      ArrowLeft: () => made.turn(-step, 0), ArrowRight: () => made.turn(step, 0),
      ArrowUp: () => made.turn(0, step), ArrowDown: () => made.turn(0, -step),
      "+": () => made.zoom(0.87), "=": () => made.zoom(0.87), "-": () => made.zoom(1.15),
      Home: () => made.resetView(), Escape: () => choose({}),
    };
    const act = acts[event.key];
    if (!act) return;
    act();
    event.preventDefault();
  });
  for (const input of modes) {
    if (input.value === "original") input.disabled = !made.hasOriginal();
    if (input.value === "gaps") input.disabled = !made.hasGaps();
    if (input.value === "breaks") input.disabled = !made.hasBreaks();
    if (input.disabled) input.parentElement!.title = input.value === "original" ? "The files have no colours or textures"
      : input.value === "gaps" ? "No surfaces in contact" : "The breaks were not kept";
  }
}

// Solving again loads the page anew; the view stays as it was.
interface Kept { camera: number[]; explode: string; mode: string; lines: boolean; loose: boolean; message: string }
const keptKey = `pmtr-view-${location.pathname}`;
byId("decisions").hidden = !canSolve;
byId("solve").addEventListener("click", async () => {
  const button = byId<HTMLButtonElement>("solve");
  button.disabled = true;
  byId("solve-state").textContent = "Solving …";
  try {
    await decisions.solve();
    const kept: Kept = {
      camera: view?.cameraState() ?? [], explode: explode.value, mode: modes.find((m) => m.checked)!.value,
      lines: lines.checked, loose: loose.checked, message: "Solved again.",
    };
    sessionStorage.setItem(keptKey, JSON.stringify(kept));
    location.reload();
  } catch (error) {
    byId("solve-state").textContent = `Not solved: ${(error as Error).message}`;
    button.disabled = false;
  }
});

function restore(): void {
  if (!canSolve) return;
  const text = sessionStorage.getItem(keptKey);
  if (!text) return;
  sessionStorage.removeItem(keptKey);
  const kept = JSON.parse(text) as Kept;
  explode.value = kept.explode;
  lines.checked = kept.lines;
  loose.checked = kept.loose;
  for (const input of modes) input.checked = input.value === kept.mode && !input.disabled;
  if (!modes.some((m) => m.checked)) modes[0]!.checked = true;
  if (view && kept.camera.length === 6) view.restoreCamera(kept.camera);
  byId("solve-state").textContent = kept.message;
  view?.setLines(kept.lines);
  view?.setLoose(kept.loose);
}

showDetail();
showDecisions();
// After the first paint of the lists, so that the page is there at once.
requestAnimationFrame(() => setTimeout(() => {
  try {
    view = new View(byId("view"), data);
    bindView(view);
    byId("wait").remove();
    restore();
    applyMode();
    applyExplode();
  } catch (error) {
    const still = document.querySelector<HTMLImageElement>(".still img");
    const wait = byId("wait");
    wait.textContent = `This browser shows no 3D (${(error as Error).message}). The tables hold the facts.`;
    if (still) {
      const copy = still.cloneNode() as HTMLImageElement;
      copy.className = "fallback";
      wait.replaceWith(copy);
    }
  }
  document.body.dataset["ready"] = "yes";
  // The workbench asks for paper this way.
  if (new URLSearchParams(location.search).has("print")) window.print();
}, 0));

// For scripts and tests: what is shown, not how.
Object.assign(window, {
  pmtrReport: {
    get selection() { return { ...selection }; },
    get frames() { return view?.frames ?? 0; },
    partPosition: (part: number) => view?.partPosition(part),
    whereIs: (part: number) => view?.whereIs(part),
    pick: (x: number, y: number) => view?.pick(x, y),
    camera: () => view?.cameraState(),
  },
});
