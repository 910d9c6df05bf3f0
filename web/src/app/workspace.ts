// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The third and fourth step: the object, and what the person decides about it. Every decision solves again at once, in
// the order they were taken; the picture follows.
import { type JointInfo, type Placement, readData, type ReportData, type Source, type Verdict } from "../data";
import { Decisions, type Solved } from "../decisions";
import { announce, element, factList, settle } from "../dom";
import type { Selection } from "../scene";
import { address, fetchObject, look, type Project, snap } from "./api";
import { History } from "./history";
import { Stage } from "./stage";
import { attempt, button, check, clearTrouble, link, type Screen, trouble } from "./ui";
import { length } from "./words";

const bands = [
  ["confirmed", "Confirmed", "Hardly ever wrong."],
  ["probable", "Probable", "Look at these."],
  ["rejected", "Rejected", "Found, but not believed."],
] as const;

/** The reason of a band as two lists: "this, that; but those" (assemble/witnesses.cpp). */
function forAndAgainst(reason: string): [string[], string[]] {
  if (reason === "" || reason.startsWith("nothing but")) return [[], []];
  const [first = "", second] = reason.split("; but ");
  const list = (text: string): string[] => text.split(", ").filter((t) => t !== "");
  if (second !== undefined) return [list(first), list(second)];
  return first.startsWith("the surfaces fit badly") ? [[], list(first)] : [list(first), []];
}

export class Workspace implements Screen {
  readonly root = element("div", "", "work");
  private readonly panel = element("div", "", "lists");
  private readonly summary = element("p", "", "summary");
  private readonly undoButton = button("Undo", () => this.go(this.history!.undo()));
  private readonly redoButton = button("Redo", () => this.go(this.history!.redo()));
  private readonly state = element("span", "", "hint");
  private readonly detail = element("div", "", "detail");
  private readonly content = element("div", "", "panel-content");
  private readonly stage: Stage;
  private data: ReportData | null = null;
  private decisions: Decisions | null = null;
  private history: History | null = null;
  private selection: Selection = {};
  private skipped = new Set<string>();
  private queue = false; // whether the chosen joint came from the queue
  private solving = false;
  private left = false;
  private hand: { part: number; turning: boolean; group: boolean; said: string } | null = null; // a fragment that is moved
  private alone = true; // a joint is shown with its two fragments only
  private readonly onKey = (event: KeyboardEvent): void => this.key(event);

  constructor(private readonly project: Project, private mode: "object" | "decide") {
    this.stage = new Stage(project.name, (selection) => this.choose(selection));
    this.undoButton.title = "Ctrl+Z";
    this.redoButton.title = "Ctrl+Shift+Z";
    this.undoButton.id = "undo";
    this.redoButton.id = "redo";
    this.state.id = "solve-state";
    this.state.setAttribute("role", "status");
    const head = element("div", "", "work-head");
    const buttons = element("p", "", "actions");
    buttons.append(this.undoButton, this.redoButton, this.state);
    head.append(this.summary, buttons);
    if (project.outdated) head.append(element("p", "The fragments have changed since this was assembled.", "bad"));
    this.panel.append(head, this.content);
    this.stage.root.append(this.detail);
    this.root.append(this.stage.root, this.panel);
    document.addEventListener("keydown", this.onKey);
    void this.load();
  }

  leave(): void {
    this.left = true;
    document.removeEventListener("keydown", this.onKey);
    this.stage.dispose();
  }

  /** From one step to the other without loading anything. */
  setMode(mode: "object" | "decide"): void {
    this.choose({}); // still in the old step: what it hid comes back
    this.mode = mode;
    this.queue = false;
    this.show();
    this.startQueue();
  }

  private async load(): Promise<void> {
    try {
      const source = await fetchObject(this.project.id);
      if (this.left) return;
      this.take(source);
      this.startQueue();
      document.body.dataset["ready"] = "yes";
      // The picture first: reading large scans takes all cores. Only a hint: whoever decides waits for them anyway.
      await this.stage.view?.pictured();
      if (!this.left) look(this.project.id).catch(() => {});
    } catch (error) {
      trouble(error);
      if (this.history) return;
      const empty = element("p", "", "hint");
      empty.append("There is nothing to look at yet. ", link("Assemble the fragments first.", `#/${encodeURIComponent(this.project.id)}/run`));
      this.root.replaceChildren(empty);
    }
  }

  private take(source: Source): void {
    this.data = readData(source);
    this.decisions = new Decisions(this.data);
    if (this.history) this.decisions.restore(this.history.now);
    else this.history = new History(this.decisions.text());
    this.summary.textContent = this.data.summary;
    this.rows.clear();
    if (this.selection.joint !== undefined && this.selection.joint >= this.data.joints.length) this.selection = {};
    this.stage.show(this.data, source, this.selection);
    this.showAlone();
    this.show();
  }
  /** After another decision. */
  private takeSolved(solved: Solved): void {
    this.data = solved.data!;
    this.hand = null;
    this.decisions = new Decisions(this.data);
    this.decisions.restore(this.history!.now);
    this.summary.textContent = this.data.summary;
    this.stage.update(this.data, solved.gaps!, this.selection, () => this.showAlone());
    this.show();
  }

  // Decisions, and solving again.

  private decide(change: (decisions: Decisions) => void): void {
    change(this.decisions!);
    this.history!.push(this.decisions!.text());
    void this.solve();
    this.show();
  }
  private go(text: string): void {
    this.decisions!.restore(text);
    void this.solve();
    this.show();
  }

  /** One at a time; what was decided meanwhile is solved after it. */
  private async solve(): Promise<void> {
    if (this.solving) return;
    this.solving = true;
    this.state.textContent = "Solving …";
    const begin = performance.now();
    try {
      let solved = "";
      let answer: Solved | null = null;
      while (solved !== this.history!.now && !this.left) {
        const asked = new Decisions(this.data!);
        asked.restore(this.history!.now);
        solved = this.history!.now;
        answer = await asked.solve(address("solve", { project: this.project.id }));
      }
      if (this.left || !answer) return;
      clearTrouble();
      this.takeSolved(answer);
      this.state.textContent = `Solved again, ${((performance.now() - begin) / 1000).toFixed(1)} s.`;
      document.body.dataset["solved"] = String(Number(document.body.dataset["solved"] ?? 0) + 1);
    } catch (error) {
      this.state.textContent = "";
      trouble(`Not solved: ${(error as Error).message}`);
      // What was refused is taken back: the page says what is so.
      if (this.history!.canUndo) this.decisions!.restore(this.history!.undo());
      this.show();
    } finally {
      this.solving = false;
    }
  }

  // What is chosen.

  private choose(selection: Selection): void {
    if (this.hand && selection.part !== this.hand.part) this.putDown();
    const another = selection.joint !== this.selection.joint;
    this.selection = selection;
    this.stage.view?.select(selection);
    if (another) this.showAlone();
    this.show();
    if (!this.data) return;
    if (selection.part !== undefined) announce(`Fragment ${selection.part + 1}, ${this.data.parts[selection.part]!.name}, chosen`);
    if (selection.joint !== undefined) announce(`${this.decisions!.jointName(selection.joint)} chosen. ${this.data.joints[selection.joint]!.sentence}`);
  }

  /** In the fourth step a joint is seen as it is: its two fragments, and the gap between them. */
  private showAlone(): void {
    const view = this.stage.view;
    if (!view || !this.data || this.mode !== "decide") return;
    const joint = this.selection.joint === undefined ? null : this.joint(this.selection.joint);
    const both = joint && this.alone ? [joint.a, joint.b] : null;
    view.setHidden(both ? this.data.parts.map((_, i) => i).filter((i) => !both.includes(i)) : []);
    if (this.framed === (both?.join() ?? "")) return;
    this.framed = both?.join() ?? "";
    if (both && !this.apart) {
      this.apart = true;
      this.stage.pullApart(40);
    }
    view.resetView(both);
    if (joint) this.stage.setMode(joint.used ? "gaps" : "parts");
  }
  private framed = "";
  private apart = false; // once; then as the person likes it

  // Moving by hand.

  private pickUp(part: number): void {
    this.hand = { part, turning: false, group: false, said: "" };
    this.grip();
    announce(`Fragment ${part + 1} is in your hand. Drag the arrows, or use Shift with the arrow keys, Page Up and Page Down.`);
  }
  private grip(): void {
    const { part, group, turning } = this.hand!;
    const own = this.data!.parts[part]!;
    const along = group && own.placed ? this.data!.parts.map((_, i) => i).filter((i) => i !== part && this.data!.parts[i]!.placed && this.data!.parts[i]!.component === own.component) : [];
    this.stage.startMove(part, along);
    this.stage.view?.setTurning(turning);
    this.show();
  }
  private putDown(): void {
    this.hand = null;
    this.stage.view?.endMove();
    this.show();
  }
  private placement(): Placement | null {
    const stands = this.stage.view?.standsOn();
    if (!stands) return null;
    const { parts } = this.data!;
    return { fragment: parts[stands.part]!.name, on: parts[stands.on]!.name, on_from_fragment: stands.pose, group: this.hand?.group ?? false };
  }
  private async snapNow(): Promise<void> {
    const wish = this.placement();
    if (!wish || !this.hand) return;
    this.hand.said = "Looking for the break …";
    this.show();
    await attempt(async () => {
      try {
        const found = await snap(this.project.id, wish);
        if (!this.hand) return;
        const unit = this.data!.units ? ` ${this.data!.units}` : "";
        this.stage.view!.putOn(this.data!.parts.findIndex((p) => p.name === found.placement.on), found.placement.on_from_fragment);
        this.hand.said = `Snapped to ${found.placement.on}: turned by ${found.turned.toFixed(1)}°, moved by ${length(found.shifted)}${unit}; mean gap ${length(found.gap)}${unit}.`;
        announce(this.hand.said);
      } catch (error) {
        if (this.hand) this.hand.said = "";
        throw error;
      } finally {
        this.show();
      }
    });
    document.body.dataset["snapped"] = String(Number(document.body.dataset["snapped"] ?? 0) + 1);
  }
  private pinHere(): void {
    const where = this.placement();
    if (where) this.decide((d) => d.place(where));
  }
  private handDetail(index: number): HTMLElement[] {
    const hand = this.hand!;
    const title = element("h3");
    title.append(this.label(index), element("span", "in your hand", "hint"));
    const actions = element("p", "", "actions");
    const turn = (on: boolean): void => {
      hand.turning = on;
      this.stage.view?.setTurning(on);
      this.show();
    };
    const move = this.toggle("Move", !hand.turning, () => turn(false));
    const rotate = this.toggle("Turn", hand.turning, () => turn(true));
    const stick = button("Snap to the break", () => void this.snapNow());
    stick.disabled = !this.data!.canSnap;
    stick.title = this.data!.canSnap ? "Pulls it onto the breaks that are near" : "This result does not keep the breaks: assemble it again";
    const keep = button("Pin it here", () => this.pinHere(), "main");
    const back = button("Put it back", () => this.putDown());
    [move, rotate, stick, keep, back].forEach((b, i) => { b.dataset["key"] = `hand-${i}`; });
    actions.append(move, rotate, stick, keep, back);
    const own = this.data!.parts[index]!;
    const others = own.placed && this.data!.parts.some((p, i) => i !== index && p.placed && p.component === own.component);
    const parts: HTMLElement[] = [title, element("p", hand.said || "Bring it about to its place: drag the arrows or rings, or Shift with the arrow keys and Page Up, Page Down in the picture.", "hint"), actions];
    if (others) parts.push(check("What it is joined to comes along", hand.group, (on) => {
      hand.group = on;
      this.grip();
    }));
    return parts;
  }

  private joint(index: number): JointInfo {
    return this.data!.joints[index]!;
  }

  /** Used ones first, then by confidence. */
  private readonly better = (x: number, y: number): number =>
    Number(this.joint(y).used) - Number(this.joint(x).used) || this.joint(y).confidence - this.joint(x).confidence;

  /** The probable joints that nobody has decided, the best pose of each pair. */
  private open(): number[] {
    const decisions = this.decisions!;
    const undecided = (i: number): boolean => this.joint(i).band === "probable" && decisions.joints[i] === "none" && !this.skipped.has(decisions.jointName(i));
    return this.data!.joints.map((_, i) => i).filter((i) => {
      const poses = decisions.posesOf(i);
      return undecided(i) && !poses.some((p) => decisions.joints[p] === "lock") && poses.filter(undecided).sort(this.better)[0] === i;
    }).sort(this.better);
  }
  private startQueue(): void {
    if (this.mode !== "decide" || !this.data) return;
    const next = this.open()[0];
    this.queue = next !== undefined;
    this.choose(next === undefined ? {} : { joint: next });
  }
  private next(): void {
    const next = this.open()[0];
    if (this.queue && next !== undefined) this.choose({ joint: next });
    else if (this.queue) {
      this.queue = false;
      this.choose({});
      announce("No probable joint is left");
    } else this.show();
  }

  private answer(verdict: Verdict): void {
    const index = this.selection.joint;
    if (index === undefined || !this.decisions) return;
    const now = this.decisions.joints[index];
    this.decide((d) => d.setJoint(index, now === verdict ? "none" : verdict));
    if (this.queue) this.next();
  }
  private skip(): void {
    if (this.selection.joint !== undefined) this.skipped.add(this.decisions!.jointName(this.selection.joint));
    this.queue = true;
    this.next();
  }
  private alternative(): void {
    const index = this.selection.joint;
    if (index === undefined) return;
    const poses = this.decisions!.posesOf(index);
    this.choose({ joint: poses[(poses.indexOf(index) + 1) % poses.length]! });
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as Element;
    if (!this.history || target.closest("input[type=text], input[type=number], select, textarea")) return;
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "z") {
      event.preventDefault();
      if (event.shiftKey ? this.history.canRedo : this.history.canUndo) this.go(event.shiftKey ? this.history.redo() : this.history.undo());
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey || this.mode !== "decide") return;
    const acts: Record<string, () => void> = {
      y: () => this.answer("lock"), n: () => this.answer("reject"), a: () => this.alternative(), s: () => this.skip(),
    };
    const act = acts[event.key.toLowerCase()];
    if (!act) return;
    event.preventDefault();
    act();
  }

  // What is shown.

  private label(part: number): HTMLElement {
    const info = this.data!.parts[part]!;
    const label = element("span", "", "part");
    const swatch = element("span", String(part + 1), "badge");
    swatch.style.borderColor = info.colour;
    label.append(swatch, info.name);
    return label;
  }
  private toggle(text: string, pressed: boolean, act: () => void, keys = ""): HTMLButtonElement {
    const made = button(text, act);
    made.setAttribute("aria-pressed", String(pressed));
    if (keys) {
      made.setAttribute("aria-keyshortcuts", keys);
      made.append(" ", element("kbd", keys));
    }
    return made;
  }

  private show(): void {
    if (!this.data || !this.history) return;
    this.undoButton.disabled = !this.history.canUndo;
    this.redoButton.disabled = !this.history.canRedo;
    const focus = document.activeElement instanceof HTMLElement && this.root.contains(document.activeElement) ? document.activeElement.dataset["key"] : undefined;
    this.showDetail();
    settle(this.content, this.mode === "object" ? this.fragmentList() : this.jointLists());
    if (focus && (document.activeElement as HTMLElement | null)?.dataset["key"] !== focus) this.root.querySelector<HTMLElement>(`[data-key="${CSS.escape(focus)}"]`)?.focus({ preventScroll: true });
  }

  private showDetail(): void {
    const parts: HTMLElement[] = [];
    if (this.hand) parts.push(...this.handDetail(this.hand.part));
    else if (this.selection.part !== undefined) parts.push(...this.partDetail(this.selection.part));
    else if (this.selection.joint !== undefined) parts.push(...this.jointDetail(this.selection.joint));
    else parts.push(element("p", this.mode === "object" ? "Choose a fragment, in the picture or in the list." : "Choose a joint in the list.", "hint"));
    this.detail.replaceChildren(...parts);
  }

  private partDetail(index: number): HTMLElement[] {
    const info = this.data!.parts[index]!;
    const title = element("h3");
    title.append(this.label(index));
    const held = this.data!.joints.map((j, i) => ({ j, i })).filter(({ j }) => j.used && (j.a === index || j.b === index)).map(({ i }) => i);
    const pinned = held.length > 0 && held.every((i) => this.decisions!.joints[i] === "lock");
    const actions = element("p", "", "actions");
    const out = this.toggle(this.decisions!.dropped[index] ? "Take in again" : "Leave out", this.decisions!.dropped[index]!, () =>
      this.decide((d) => d.setDropped(index, !d.dropped[index])));
    out.dataset["key"] = "leave-out";
    const pin = this.toggle("Pin", pinned, () => this.decide((d) => {
      for (const i of held) d.setJoint(i, pinned ? "none" : "lock");
    }));
    pin.dataset["key"] = "pin";
    pin.title = "Locks every joint that holds it: it stays where it is, whatever else is decided";
    pin.disabled = held.length === 0;
    const lift = button("Move by hand", () => this.pickUp(index));
    lift.dataset["key"] = "move";
    lift.disabled = info.dropped || this.data!.parts.length < 2;
    actions.append(out, pin, lift);
    const byHand = this.decisions!.placed.find((p) => p.fragment === info.name);
    if (byHand) {
      const free = button("Let it go", () => this.decide((d) => d.letGo(info.name)));
      free.dataset["key"] = "let-go";
      free.title = "Back to where the program put it";
      actions.append(free);
    }
    return [title, element("p", info.dropped ? "Left out by hand." : byHand ? `You put it on ${byHand.on}; it stays there.` : info.placed ? "Placed." : "Not placed: nothing it surely belongs to."), factList(info.facts), actions];
  }

  private jointDetail(index: number): HTMLElement[] {
    const joint = this.joint(index);
    const title = element("h3");
    title.append(this.label(joint.a), element("span", "+", "plus"), this.label(joint.b));
    const open = this.open();
    if (this.queue) title.append(element("span", `${open.length} probable left`, "hint"));
    const actions = element("p", "", "actions");
    const now = this.decisions!.joints[index]!;
    const poses = this.decisions!.posesOf(index);
    const yes = this.toggle(joint.used ? "Yes, it is right" : "Yes, use it", now === "lock", () => this.answer("lock"), "y");
    const no = this.toggle("No, reject", now === "reject", () => this.answer("reject"), "n");
    yes.dataset["key"] = "yes";
    no.dataset["key"] = "no";
    actions.append(yes, no);
    if (poses.length > 1) {
      const other = button(`Other pose (${poses.indexOf(index) + 1} of ${poses.length})`, () => this.alternative());
      other.append(" ", element("kbd", "a"));
      other.dataset["key"] = "other";
      actions.append(other);
    }
    if (this.mode === "decide") {
      const skip = button("Skip", () => this.skip());
      skip.append(" ", element("kbd", "s"));
      skip.dataset["key"] = "skip";
      actions.append(skip);
    }
    const context = check("Show the other fragments", !this.alone, (on) => {
      this.alone = !on;
      this.showAlone();
      this.show();
    });
    if (this.mode === "decide") actions.append(context);
    const parts: HTMLElement[] = [title, element("p", joint.sentence.replace(`: ${joint.reason}`, ""))];
    const [pro, contra] = forAndAgainst(joint.reason);
    const why = element("div", "", "why");
    for (const [words, list, kind] of [["Speaks for it", pro, "pro"], ["Speaks against it", contra, "contra"]] as const) {
      if (list.length === 0) continue;
      const part = element("div", "", kind);
      const items = element("ul");
      items.append(...list.map((text) => element("li", text)));
      part.append(element("strong", words), items);
      why.append(part);
    }
    if (why.childElementCount > 0) parts.push(why);
    return [...parts, actions, factList(joint.facts)];
  }

  // The lists stay as long as the page does, and a row as long as it says the same: of a large object there are
  // hundreds, and a decision changes a few.
  private readonly rows = new Map<string, { text: string; item: HTMLElement }>();
  private row(key: string, says: unknown[], make: () => HTMLElement): HTMLElement {
    const text = JSON.stringify(says);
    const known = this.rows.get(key);
    if (known?.text === text) return known.item;
    const item = make();
    this.rows.set(key, { text, item });
    return item;
  }

  private readonly fragmentRows = element("ul", "", "rows");
  private readonly showAll = button("Show all", () => {
    this.stage.view?.setHidden([]);
    this.show();
  }, "quiet");
  private readonly fragmentHead = element("div", "", "heading");
  private fragmentList(): HTMLElement[] {
    const view = this.stage.view;
    this.showAll.disabled = !view || view.hiddenParts().length === 0;
    if (this.fragmentHead.childElementCount === 0) this.fragmentHead.append(element("h2", "Fragments"), this.showAll);
    settle(this.fragmentRows, this.data!.parts.map((part, i) => {
      const says = this.decisions!.dropped[i] ? "left out" : part.placed ? `${(100 * part.confidence).toFixed(0)} %` : "not placed";
      const hidden = view?.isHidden(i) ?? false;
      return this.row(`part ${i}`, [part.name, says, hidden, this.selection.part === i], () => this.fragmentRow(i, says, hidden));
    }));
    return [this.fragmentHead, this.fragmentRows];
  }

  private fragmentRow(i: number, says: string, hidden: boolean): HTMLElement {
    const item = element("li", "", this.selection.part === i ? "chosen" : "");
    const name = button("", () => this.choose({ part: i }), "row-name");
    name.dataset["key"] = `part-${i}`;
    name.setAttribute("aria-pressed", String(this.selection.part === i));
    name.append(this.label(i), element("span", says, this.data!.parts[i]!.placed ? "hint" : "bad"));
    const hide = this.toggle("Hide", hidden, () => {
      const view = this.stage.view;
      view?.setHidden(hidden ? view.hiddenParts().filter((p) => p !== i) : [...view.hiddenParts(), i]);
      this.show();
    });
    hide.setAttribute("aria-label", `Hide fragment ${i + 1}`);
    hide.dataset["key"] = `hide-${i}`;
    const alone = button("Alone", () => {
      this.stage.view?.setHidden(this.data!.parts.map((_, p) => p).filter((p) => p !== i));
      this.show();
    });
    alone.setAttribute("aria-label", `Show fragment ${i + 1} alone`);
    alone.dataset["key"] = `alone-${i}`;
    item.append(name, hide, alone);
    return item;
  }

  private readonly intro = element("p", "", "panel");
  private readonly sections = bands.map(([band, title, words]) => {
    const section = element("details", "", `band ${band}`);
    const strong = element("strong");
    const head = element("summary");
    const list = element("ul", "", "rows");
    head.append(strong, " ", element("span", words, "hint"));
    section.append(head, list);
    section.addEventListener("toggle", () => this.openBands.set(band, section.open));
    return { band, title, section, strong, list };
  });
  private jointLists(): HTMLElement[] {
    const open = this.open();
    this.intro.textContent = open.length > 0 ? `${open.length} probable joint${open.length === 1 ? "" : "s"} to look at. Keys: y yes, n no, a other pose, s skip.`
      : "No probable joint is open. Any joint below can still be confirmed or rejected.";
    const order = this.data!.joints.map((_, i) => i).sort(this.better);
    for (const { band, title, section, strong, list } of this.sections) {
      const some = order.filter((i) => this.joint(i).band === band);
      // What is to be decided comes first into view.
      section.open = this.openBands.get(band) ?? (some.length > 0 && (band === "probable" || (band === "confirmed" && open.length === 0)));
      strong.textContent = `${title} (${some.length})`;
      settle(list, some.map((i) => {
        const { a, b, confidence, used, reason } = this.joint(i);
        return this.row(`joint ${i}`, [a, b, confidence, used, reason, this.decisions!.joints[i], this.selection.joint === i], () => this.jointRow(i));
      }));
    }
    return [this.intro, ...this.sections.map((s) => s.section)];
  }
  private readonly openBands = new Map<string, boolean>();

  private jointRow(index: number): HTMLElement {
    const joint = this.joint(index);
    const item = element("li", "", this.selection.joint === index ? "chosen" : "");
    const name = button("", () => {
      this.queue = false;
      this.choose({ joint: index });
    }, "row-name");
    name.dataset["key"] = `joint-${index}`;
    name.dataset["joint"] = String(index);
    name.setAttribute("aria-pressed", String(this.selection.joint === index));
    const pair = element("span", "", "pair");
    pair.append(this.label(joint.a), element("span", "+", "plus"), this.label(joint.b));
    const verdict = this.decisions!.joints[index];
    const said = verdict === "lock" ? "you: yes" : verdict === "reject" ? "you: no" : joint.used ? "used" : "not used";
    name.append(pair, element("span", `${(100 * joint.confidence).toFixed(0)} %, ${said}`, "hint"), element("span", joint.reason, "hint small reason"));
    item.append(name);
    return item;
  }
}
