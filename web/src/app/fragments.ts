// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The first step: what is there, what is wrong with it, and how large the whole is.
import { announce, element } from "../dom";
import { address, changeProject, type Fragment, getProject, type Project, removeFragment, startRun } from "./api";
import { attempt, button, check, type Screen, trouble } from "./ui";
import { droppedFiles, Uploads } from "./upload";
import { bytes, count, length } from "./words";

const units = ["", "um", "mm", "cm", "dm", "m", "in", "ft"];

class Fragments implements Screen {
  readonly root = element("div", "", "page split");
  private readonly drop = element("section", "", "drop");
  private readonly sending = element("ul", "", "sending");
  private readonly grid = element("ul", "", "fragments");
  private readonly heading = element("h2", "Fragments");
  private readonly side = element("aside", "", "side");
  private readonly size = element("input");
  private readonly unit = element("select");
  private readonly scale = element("div", "", "scale");
  private readonly sizeHint = element("p", "", "hint");
  private readonly go = button("Assemble", () => void this.start(), "main large");
  private readonly goHint = element("p", "", "hint");
  private readonly uploads: Uploads;
  private readonly cards = new Map<string, { text: string; item: HTMLElement }>();
  private timer = 0;
  private left = false;
  private sizeEdited = false;

  constructor(private project: Project) {
    this.uploads = new Uploads(project.id, () => this.showSending());
    this.buildDrop();
    this.buildSide();
    const content = element("div", "", "content");
    content.append(this.drop, this.sending, this.heading, this.grid);
    this.root.append(content, this.side);
    this.show();
    this.wait();
  }

  leave(): void {
    this.left = true;
    window.clearTimeout(this.timer);
  }

  private buildDrop(): void {
    const pick = (folder: boolean): void => {
      const input = element("input");
      input.type = "file";
      input.multiple = true;
      if (folder) input.webkitdirectory = true;
      input.addEventListener("change", () => {
        void this.send([...(input.files ?? [])].map((file) => ({ name: file.webkitRelativePath || file.name, file })));
      });
      input.click();
    };
    const choices = element("p", "", "actions");
    choices.append(button("Choose files", () => pick(false)), button("Choose a folder", () => pick(true)));
    const words = element("div");
    words.append(element("strong", "Drop scans of the fragments here"),
      element("p", "PLY, OBJ with MTL and pictures, STL, OFF, GLB; one file per fragment, or a whole folder.", "hint"));
    this.drop.append(words, choices);
    this.drop.setAttribute("aria-label", "Add fragments");
    // Anywhere on the page will do.
    for (const kind of ["dragenter", "dragover"]) {
      this.root.addEventListener(kind, (event) => {
        event.preventDefault();
        this.drop.classList.add("over-it");
      });
    }
    this.root.addEventListener("dragleave", () => this.drop.classList.remove("over-it"));
    this.root.addEventListener("drop", (event) => {
      event.preventDefault();
      this.drop.classList.remove("over-it");
      if (event.dataTransfer) void droppedFiles(event.dataTransfer).then((files) => this.send(files));
    });
  }

  private async send(files: { name: string; file: File }[]): Promise<void> {
    await attempt(() => this.uploads.add(files));
    await this.reload();
  }

  private buildSide(): void {
    const title = element("h2", "How large is the whole object?");
    const label = element("label", "Longest side");
    this.size.id = "object-size";
    this.size.type = "number";
    this.size.min = "0";
    this.size.step = "any";
    label.htmlFor = this.size.id;
    this.unit.setAttribute("aria-label", "Unit of the files");
    for (const unit of units) {
      const option = element("option", unit || "unit?");
      option.value = unit;
      this.unit.append(option);
    }
    this.unit.value = this.project.units;
    this.size.value = this.project.object_size === null ? "" : String(this.project.object_size);
    this.size.addEventListener("input", () => { this.sizeEdited = true; });
    const save = (): void => void attempt(async () => {
      const value = Number(this.size.value);
      await changeProject(this.project.id, { object_size: this.size.value === "" ? null : value, units: this.unit.value });
      this.sizeEdited = false;
      await this.reload();
    });
    this.size.addEventListener("change", save);
    this.unit.addEventListener("change", save);
    const row = element("div", "", "row");
    row.append(this.size, this.unit);
    this.side.append(title, label, row, this.sizeHint, this.scale, element("hr"), this.go, this.goHint);
  }

  private async start(): Promise<void> {
    await attempt(async () => {
      await startRun(this.project.id);
      location.hash = `#/${encodeURIComponent(this.project.id)}/run`;
    });
  }

  private wait(): void {
    window.clearTimeout(this.timer);
    if (this.left) return;
    if (this.project.waiting || this.uploads.busy) this.timer = window.setTimeout(() => void this.reload(), 500);
  }

  private async reload(): Promise<void> {
    if (this.left) return;
    try {
      const before = this.project.waiting;
      this.project = await getProject(this.project.id);
      if (before && !this.project.waiting) announce(`${this.project.fragments.length} fragments read`);
      this.show();
    } catch (error) {
      trouble(error);
    }
    this.wait();
  }

  private showSending(): void {
    this.sending.replaceChildren(...this.uploads.files.slice(0, 200).map((file) => {
      const item = element("li", "", file.message ? "refused" : "");
      item.append(element("span", file.name, "name"));
      if (file.message) item.append(element("span", `Not taken: ${file.message}.`.replace("..", "."), "bad"));
      else {
        const bar = element("progress");
        bar.max = 1;
        bar.value = file.share;
        bar.setAttribute("aria-label", `Sending ${file.name}`);
        item.append(bar);
      }
      return item;
    }));
    const refused = this.uploads.files.filter((f) => f.message);
    if (this.uploads.files.length > 200) this.sending.append(element("li", `and ${count(this.uploads.files.length - 200)} more`, "hint"));
    if (refused.length > 0 && !this.uploads.busy) {
      const item = element("li");
      item.append(button("Clear these messages", () => this.uploads.forgetRefused(), "quiet"));
      this.sending.append(item);
      announce(`${refused.length} files were not taken`);
    }
    this.wait();
  }

  private unitText(): string {
    return this.project.units ? ` ${this.project.units}` : "";
  }

  private show(): void {
    const { fragments } = this.project;
    this.drop.classList.toggle("slim", fragments.length > 0);
    const good = fragments.filter((f) => f.state === "good" && !f.left_out).length;
    this.heading.textContent = fragments.length === 0 ? "No fragments yet"
      : `${count(fragments.length)} fragment${fragments.length === 1 ? "" : "s"}${good < fragments.length ? `, ${count(good)} take part` : ""}`;
    // Cards stay as long as they say the same, so that pictures do not blink and the focus is not lost.
    const items = fragments.map((fragment) => {
      const text = JSON.stringify([fragment, this.project.units]);
      const known = this.cards.get(fragment.name);
      if (known?.text === text) return known.item;
      const item = this.card(fragment);
      this.cards.set(fragment.name, { text, item });
      return item;
    });
    if (items.length !== this.grid.childElementCount || items.some((item, i) => this.grid.children[i] !== item)) this.grid.replaceChildren(...items);
    this.showSize(fragments);
    this.go.disabled = good < 2 || this.project.waiting || this.uploads.busy;
    this.goHint.textContent = this.project.waiting ? "The files are being read …"
      : good < 2 ? "At least two fragments are needed." : this.project.result
        ? (this.project.outdated ? "The fragments have changed since the last result." : "There is a result already; a new run replaces it.") : "";
  }

  private showSize(fragments: Fragment[]): void {
    const { estimate, object_size } = this.project;
    if (!this.sizeEdited && document.activeElement !== this.size) this.size.value = object_size === null ? "" : String(object_size);
    this.size.placeholder = estimate === null ? "" : `about ${length(estimate)}`;
    this.sizeHint.textContent = estimate === null ? "A ruler or a photograph will do. It helps a lot."
      : object_size === null ? `From the fragments it seems to be about ${length(estimate)}${this.unitText()}. If you know better, say so: it helps a lot.`
        : `The fragments alone would suggest ${length(estimate)}${this.unitText()}.`;
    const whole = object_size ?? estimate;
    const largest = Math.max(0, ...fragments.filter((f) => f.state === "good" && !f.left_out).map((f) => Math.max(...f.sides!)));
    this.scale.replaceChildren();
    if (whole === null || largest <= 0) return;
    const longest = Math.max(whole, largest);
    for (const [what, value] of [["whole object", whole], ["largest fragment", largest]] as const) {
      const bar = element("div", "", "measure");
      bar.style.width = `${(100 * value) / longest}%`;
      this.scale.append(bar, element("p", `${what}: ${length(value)}${this.unitText()}`, "hint small"));
    }
    if (largest > whole) this.scale.append(element("p", "A fragment is longer than the whole. Is the size right?", "bad"));
  }

  private card(fragment: Fragment): HTMLElement {
    const item = element("li", "", `fragment ${fragment.state}${fragment.left_out ? " out" : ""}`);
    const frame = element("div", "", "frame");
    if (fragment.number !== undefined) frame.append(element("span", String(fragment.number), "number"));
    if (fragment.state === "good") {
      const image = element("img");
      image.alt = "";
      image.loading = "lazy";
      image.src = address("thumbnail", { project: this.project.id, name: fragment.name, size: String(fragment.bytes) });
      frame.append(image);
    } else {
      frame.append(element("span", fragment.state === "waiting" ? "Reading …" : "Cannot be read", "hint"));
    }
    const body = element("div", "", "body");
    body.append(element("strong", fragment.name, "name"));
    if (fragment.state === "good") {
      const plural = (n: number, what: string): string => `${count(n)} ${what}${n === 1 ? "" : "s"}`;
      const triangles = fragment.faces! > 0 ? plural(fragment.faces!, "triangle") : plural(fragment.vertices!, "point");
      body.append(element("p", `${triangles} · ${fragment.sides!.map(length).join(" × ")}${this.unitText()}`, "hint small"));
    }
    if (fragment.bytes !== undefined) body.append(element("p", `${fragment.format ?? ""} ${bytes(fragment.bytes)}`.trim(), "hint small"));
    if (fragment.state === "bad") body.append(element("p", `${fragment.message}. It does not take part.`.replace("..", "."), "bad small"));
    if (fragment.problems && fragment.problems.length > 0) {
      const list = element("ul", "", "problems small");
      for (const problem of fragment.problems) list.append(element("li", problem));
      body.append(list);
    }
    const actions = element("p", "", "actions small");
    if (fragment.state === "good") {
      actions.append(check("Leave out", fragment.left_out, (on) => void this.leaveOut(fragment.name, on)));
    }
    const remove = button("Remove", () => void this.remove(fragment), "quiet");
    remove.setAttribute("aria-label", `Remove ${fragment.name} from the project`);
    actions.append(remove);
    body.append(actions);
    item.append(frame, body);
    return item;
  }

  private async leaveOut(name: string, on: boolean): Promise<void> {
    const names = this.project.fragments.filter((f) => (f.name === name ? on : f.left_out)).map((f) => f.name);
    await attempt(() => changeProject(this.project.id, { left_out: names }));
    await this.reload();
  }

  private async remove(fragment: Fragment): Promise<void> {
    if (!window.confirm(`Remove the copy of ${fragment.name} from this project? The file that you dropped stays where it is.`)) return;
    await attempt(() => removeFragment(this.project.id, fragment.name));
    this.cards.delete(fragment.name);
    await this.reload();
  }
}

export const fragmentsScreen = (project: Project): Screen => new Fragments(project);
