// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The 3D view with its tools. It outlives the data: solving again brings new ones, and all stays as it was set.
import type { ReportData, Source } from "../data";
import { announce, element } from "../dom";
import { breakCss, rampCss } from "../ramp";
import type { ColourMode, Selection } from "../scene";
import { button, check, trouble } from "./ui";
import { type Axis, Workview } from "./workview";

export class Stage {
  readonly root = element("section", "", "stage");
  view: Workview | null = null;
  private readonly tools = element("div", "", "tools");
  private readonly host = element("div", "", "view");
  private readonly legend = element("div", "", "legend");
  private readonly ramp = element("span", "", "ramp");
  private readonly legendWhat = element("span");
  private readonly legendLow = element("span");
  private readonly legendHigh = element("span");
  private readonly legendNone = element("span", "no contact");
  private readonly noneSwatch = element("span", "", "none-swatch");
  private readonly hover = element("span", "", "hover");
  private readonly wait = element("p", "Loading the 3D view …", "wait");
  private readonly modes = new Map<ColourMode, HTMLInputElement>();
  private readonly explode = element("input");
  private readonly explodeValue = element("output", "0 %");
  private readonly axis = element("select");
  private readonly sectionAt = element("input");
  private readonly rakingAt = element("input");
  private readonly measureButton = button("Measure", () => this.setMeasuring(!this.measuring));
  private readonly looseLabel = check("Not placed", false, () => this.apply());
  private boxes: Record<string, HTMLInputElement> = {};
  private measuring = false;
  private mode: ColourMode = "parts";
  private data: ReportData | null = null;

  constructor(private readonly name: string, private readonly choose: (selection: Selection) => void) {
    this.root.setAttribute("aria-label", "3D view");
    this.host.id = "view";
    this.host.tabIndex = 0;
    this.host.setAttribute("role", "application");
    this.host.setAttribute("aria-roledescription", "3D view");
    this.host.setAttribute("aria-label", "The object in 3D. Arrow keys turn it, plus and minus zoom, Escape clears the selection. The lists hold the same facts as text.");
    this.buildTools();
    this.legend.append(this.legendWhat, this.legendLow, this.ramp, this.legendHigh, this.noneSwatch, this.legendNone);
    this.legend.hidden = true;
    this.hover.hidden = true;
    this.host.append(this.legend, this.hover, button("Reset view", () => this.view?.resetView(), "over"), this.wait);
    this.root.append(this.tools, this.host);
    this.bindPointer();
    this.bindKeys();
  }

  private slider(input: HTMLInputElement, label: string, value: number, max: number): HTMLInputElement {
    input.type = "range";
    input.min = "0";
    input.max = String(max);
    input.value = String(value);
    input.setAttribute("aria-label", label);
    input.addEventListener("input", () => this.apply());
    return input;
  }

  private buildTools(): void {
    const colours = element("fieldset", "", "choice");
    colours.append(element("legend", "Colours"));
    for (const [mode, words] of [["parts", "Fragments"], ["original", "Original"], ["gaps", "Gaps"], ["breaks", "Breaks"]] as const) {
      const label = element("label");
      const input = element("input");
      input.type = "radio";
      input.name = "colours";
      input.value = mode;
      input.checked = mode === this.mode;
      input.addEventListener("change", () => {
        this.mode = mode;
        this.apply();
      });
      this.modes.set(mode, input);
      label.append(input, element("span", words));
      colours.append(label);
    }
    const apart = element("label", "Pull apart", "slider");
    apart.append(this.slider(this.explode, "Pull apart", 0, 150), this.explodeValue);
    this.explode.id = "explode";
    const box = (key: string, words: string): HTMLElement => {
      const label = check(words, false, () => this.apply());
      this.boxes[key] = label.querySelector("input")!;
      label.querySelector("input")!.id = `tool-${key}`;
      return label;
    };
    const cut = element("label", "Section", "slider");
    this.axis.id = "section-axis";
    this.axis.setAttribute("aria-label", "Section across");
    for (const [value, words] of [["", "off"], ["x", "x"], ["y", "y"], ["z", "z"]] as const) {
      const option = element("option", words);
      option.value = value;
      this.axis.append(option);
    }
    this.axis.addEventListener("change", () => this.apply());
    cut.append(this.axis, this.slider(this.sectionAt, "Where the section lies", 50, 100), box("flip", "other side"));
    const rake = element("span", "", "slider");
    rake.append(box("raking", "Raking light"), this.slider(this.rakingAt, "Where the light comes from", 150, 360));
    this.measureButton.setAttribute("aria-pressed", "false");
    this.measureButton.id = "measure";
    this.looseLabel.hidden = true;
    this.boxes["loose"] = this.looseLabel.querySelector("input")!;
    this.tools.append(colours, apart, box("labels", "Numbers"), box("lines", "Contact points"), box("matches", "Matches"), this.looseLabel, cut, rake,
      box("wireframe", "Wireframe"), this.measureButton, button("Save picture", () => void this.savePicture()));
    this.boxes["labels"]!.checked = true;
  }

  /** What the tools say, to the view. */
  private apply(): void {
    const text = `${this.explode.value} %`;
    this.explodeValue.textContent = text;
    this.explode.setAttribute("aria-valuetext", text);
    this.sectionAt.hidden = this.axis.value === "";
    this.boxes["flip"]!.parentElement!.hidden = this.axis.value === "";
    this.rakingAt.hidden = !this.boxes["raking"]!.checked;
    const breaks = this.mode === "breaks";
    this.legend.hidden = this.mode !== "gaps" && !breaks;
    this.ramp.style.background = breaks ? breakCss() : rampCss();
    this.legendWhat.textContent = breaks ? "Broken" : "Gap";
    this.legendLow.textContent = breaks ? "surely not" : "0";
    this.legendHigh.textContent = breaks || !this.data ? "surely" : `${Number(this.data.gapScale.toPrecision(3))}${this.data.units ? " " + this.data.units : ""}`;
    this.legendNone.hidden = this.noneSwatch.hidden = breaks;
    const view = this.view;
    if (!view) return;
    view.together(() => {
      view.setMode(this.mode);
      view.setExplode(Number(this.explode.value) / 100);
      view.setLines(this.boxes["lines"]!.checked);
      view.setMatches(this.boxes["matches"]!.checked);
      view.setLoose(this.boxes["loose"]!.checked);
      view.setLabels(this.boxes["labels"]!.checked);
      view.setWireframe(this.boxes["wireframe"]!.checked);
      view.setSection(this.axis.value as Axis, Number(this.sectionAt.value) / 100, this.boxes["flip"]!.checked);
      view.setRaking(this.boxes["raking"]!.checked, Number(this.rakingAt.value));
    });
  }

  /** The picture of another result in the place of the last one. */
  show(data: ReportData, source: Source, selection: Selection): void {
    const camera = this.view?.cameraState();
    const hidden = this.view?.hiddenParts() ?? [];
    this.view?.dispose();
    this.view = null;
    this.data = data;
    try {
      this.view = new Workview(this.host, data, source);
    } catch (error) {
      this.wait.textContent = `This browser shows no 3D (${(error as Error).message}). The lists hold the facts.`;
      return;
    }
    this.wait.hidden = true;
    if (camera) this.view.restoreCamera(camera);
    this.view.setHidden(hidden);
    this.offer();
    this.apply();
    this.view.select(selection);
    Object.assign(window, { pmtrApp: { view: this.view } }); // for tests
  }

  /** The same fragments after another decision. */
  update(data: ReportData, gaps: string[], selection: Selection, more: () => void): void {
    this.data = data;
    const view = this.view;
    if (!view) return;
    view.together(() => {
      view.update(data, gaps);
      view.select(selection);
      this.offer();
      this.apply();
      more();
    });
  }

  /** What this result can show. */
  private offer(): void {
    const { view, data } = this;
    if (!view || !data) return;
    this.modes.get("original")!.disabled = !view.hasOriginal();
    this.modes.get("gaps")!.disabled = !view.hasGaps();
    this.modes.get("breaks")!.disabled = !view.hasBreaks();
    this.boxes["matches"]!.parentElement!.hidden = !view.hasMatches();
    const input = this.modes.get(this.mode)!;
    if (input.disabled) {
      this.mode = "parts";
      this.modes.get("parts")!.checked = true;
    }
    this.looseLabel.hidden = data.parts.every((p) => p.placed);
  }

  setMode(mode: ColourMode): void {
    const input = this.modes.get(mode)!;
    if (input.disabled || this.mode === mode) return;
    this.mode = mode;
    input.checked = true;
    this.apply();
  }
  /** Pulled apart a little, breaks that face each other are in sight. */
  pullApart(percent: number): void {
    this.explode.value = String(percent);
    this.apply();
  }

  /** In the hand of a person: nothing is pulled apart, and clicks choose nothing. */
  startMove(part: number, along: number[]): void {
    this.explode.value = "0";
    if (this.measuring) this.setMeasuring(false);
    this.apply();
    this.view?.startMove(part, along);
  }

  private setMeasuring(on: boolean): void {
    this.measuring = on;
    this.measureButton.setAttribute("aria-pressed", String(on));
    this.host.classList.toggle("measuring", on);
    if (!on) this.view?.clearMeasure();
    announce(on ? "Click two points to measure their distance" : "Measuring ended");
  }

  private bindPointer(): void {
    let down: [number, number] | null = null;
    let rest = 0;
    this.host.addEventListener("pointerdown", (event) => {
      down = event.target instanceof HTMLCanvasElement ? [event.clientX, event.clientY] : null;
    });
    this.host.addEventListener("pointerup", (event) => {
      if (!down || !this.view || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return;
      if (this.view.isMoving) return;
      if (this.measuring) {
        const text = this.view.measureAt(event.clientX, event.clientY);
        if (text) announce(`Distance: ${text}`);
        return;
      }
      const part = this.view.pick(event.clientX, event.clientY);
      this.choose(part === null ? {} : { part });
    });
    this.host.addEventListener("pointermove", (event) => {
      if (event.buttons !== 0 || event.pointerType === "touch" || !this.view || !this.data) return;
      // Looking for the triangle under the cursor takes long in large scans: at most a quarter of the time goes there.
      const begin = performance.now();
      if (begin < rest) return;
      const part = event.target instanceof HTMLCanvasElement ? this.view.pick(event.clientX, event.clientY) : null;
      rest = begin + 4 * (performance.now() - begin);
      this.hover.hidden = part === null;
      if (part === null) return;
      const area = this.host.getBoundingClientRect();
      this.hover.textContent = `${part + 1}  ${this.data.parts[part]!.name}`;
      this.hover.style.transform = `translate(${event.clientX - area.left + 14}px, ${event.clientY - area.top + 14}px)`;
    });
    this.host.addEventListener("pointerleave", () => { this.hover.hidden = true; });
  }

  private bindKeys(): void {
    const step = Math.PI / 18;
    this.host.addEventListener("keydown", (event) => {
      const view = this.view;
      if (!view || event.ctrlKey || event.metaKey || event.altKey) return;
      const nudges: Record<string, [number, number, number]> = {
        ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0], PageUp: [0, 0, 1], PageDown: [0, 0, -1],
      };
      const nudge = event.shiftKey && view.isMoving ? nudges[event.key] : undefined;
      if (nudge) {
        view.nudge(...nudge);
        event.preventDefault();
        return;
      }
      const acts: Record<string, () => void> = {
        ArrowLeft: () => view.turn(-step, 0), ArrowRight: () => view.turn(step, 0),
        ArrowUp: () => view.turn(0, step), ArrowDown: () => view.turn(0, -step),
        "+": () => view.zoom(0.87), "=": () => view.zoom(0.87), "-": () => view.zoom(1.15),
        Home: () => view.resetView(), Escape: () => this.choose({}),
      };
      const act = acts[event.key];
      if (!act) return;
      act();
      event.preventDefault();
    });
  }

  private async savePicture(): Promise<void> {
    if (!this.view) return;
    try {
      const url = URL.createObjectURL(await this.view.screenshot());
      const way = element("a");
      way.href = url;
      way.download = `${this.name}.png`;
      way.click();
      window.setTimeout(() => URL.revokeObjectURL(url), 10000);
    } catch (error) {
      trouble(error);
    }
  }

  dispose(): void {
    this.view?.dispose();
    this.view = null;
  }
}
