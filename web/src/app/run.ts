// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The second step: how far the assembly is. It runs in the program, not here: the page may be closed.
import { announce, element } from "../dom";
import { address, cancelRun, getProject, type Project, type Stage, startRun } from "./api";
import { attempt, button, link, type Screen, trouble } from "./ui";
import { duration, stageWords } from "./words";

const titles: Record<string, string> = {
  none: "Not assembled yet", queued: "Waiting for another assembly to end", running: "Assembling …", stopping: "Stopping …",
  done: "Done", failed: "It did not work", cancelled: "Cancelled",
};

class RunScreen implements Screen {
  readonly root = element("div", "", "page narrow run");
  private readonly title = element("h1");
  private readonly message = element("p", "", "message");
  private readonly list = element("ol", "", "stages");
  private readonly groups = element("section", "", "groups");
  private shownGroups = "";
  private readonly actions = element("p", "", "actions");
  private readonly picture = element("img", "", "made");
  private readonly notes = element("details", "", "notes-list");
  private readonly noteList = element("ul");
  private timer = 0;
  private left = false;
  private state = "";

  constructor(private project: Project) {
    this.title.id = "run-title";
    this.notes.append(element("summary", "What the program says"), this.noteList);
    this.root.append(this.title, this.message, this.list, this.groups, this.actions, this.picture, this.notes);
    this.picture.alt = "The object, put together";
    this.show();
  }

  leave(): void {
    this.left = true;
    window.clearTimeout(this.timer);
  }

  private async reload(): Promise<void> {
    if (this.left) return;
    try {
      this.project = await getProject(this.project.id);
      if (!this.left) this.show();
    } catch (error) {
      trouble(error);
      this.timer = window.setTimeout(() => void this.reload(), 3000);
    }
  }

  private act(work: (id: string) => Promise<void>): void {
    void attempt(async () => {
      await work(this.project.id);
      await this.reload();
    });
  }

  private show(): void {
    const { run, id } = this.project;
    const base = `#/${encodeURIComponent(id)}`;
    const going = run.state === "running" || run.state === "stopping" || run.state === "queued";
    this.title.textContent = titles[run.state] ?? run.state;
    const resumed = (run.notes ?? []).some((note) => note.startsWith("going on with what was kept"));
    this.message.textContent = going
      ? `${run.seconds !== undefined ? `${duration(run.seconds)} so far${resumed ? ", going on where it was interrupted" : ""}. ` : ""}You may close this page; the assembly goes on.`
      : run.state === "none" ? "Add fragments, then assemble them." : run.message;
    this.message.className = run.state === "failed" ? "message bad" : "message";
    const stages = run.stages ?? [];
    this.list.replaceChildren(...(stages.length > 0 ? stages : [{ stage: "start", done: 0, total: 0, seconds: 0 }])
      .map((stage, i, all) => this.stage(stage, i === all.length - 1)));
    this.list.hidden = !going || run.state === "queued";
    this.showGroups(going ? (run.groups ?? []) : []);
    this.noteList.replaceChildren(...(run.notes ?? []).map((note) => element("li", note)));
    this.notes.hidden = (run.notes ?? []).length === 0;
    if (run.state !== this.state) {
      this.state = run.state;
      this.picture.hidden = run.state !== "done" || !this.project.result;
      if (!this.picture.hidden) this.picture.src = address("picture", { project: id, at: String(Date.now()) });
      announce(this.title.textContent);
      this.actions.replaceChildren();
      if (run.state === "running" || run.state === "queued") this.actions.append(button("Cancel", () => this.act(cancelRun)));
      if (!going && this.project.result) this.actions.append(link("See the object", `${base}/object`, "button main"));
      if (!going && run.state !== "done") this.actions.append(button(run.state === "cancelled" ? "Go on" : "Assemble again", () => this.act(startRun)));
      if (!going) this.actions.append(link("Back to the fragments", `${base}/fragments`, "button"));
    }
    document.body.dataset["run"] = run.state;
    if (going) this.timer = window.setTimeout(() => void this.reload(), 400);
  }

  /** What holds together so far. */
  private showGroups(groups: string[][]): void {
    this.groups.hidden = groups.length === 0;
    if (JSON.stringify(groups) === this.shownGroups) return;
    this.shownGroups = JSON.stringify(groups);
    document.body.dataset["groups"] = String(groups.length);
    const known = new Map(this.project.fragments.map((f) => [f.name, f]));
    const lone = this.project.fragments.filter((f) => f.number !== undefined).length - groups.flat().length;
    this.groups.replaceChildren(element("h2", "What holds together so far"), ...groups.map((names) => {
      const group = element("div", "", "group");
      group.setAttribute("aria-label", `${names.length} fragments: ${names.join(", ")}`);
      group.setAttribute("role", "img");
      group.append(...names.map((name) => {
        const frame = element("span", "", "frame");
        const image = element("img");
        image.alt = "";
        image.src = address("thumbnail", { project: this.project.id, name, size: String(known.get(name)?.bytes ?? 0) });
        frame.append(image, element("span", String(known.get(name)?.number ?? ""), "number"));
        return frame;
      }));
      return group;
    }));
    if (lone > 0) this.groups.append(element("p", `${lone} fragment${lone === 1 ? " is" : "s are"} still alone.`, "hint"));
  }

  private stage(stage: Stage, last: boolean): HTMLElement {
    const item = element("li", "", last ? "now" : "past");
    const bar = element("progress");
    bar.setAttribute("aria-label", stageWords(stage.stage));
    if (!last) {
      bar.max = 1;
      bar.value = 1;
    } else if (stage.total > 0) {
      bar.max = stage.total;
      bar.value = stage.done;
    }
    let text = "";
    if (last && stage.total > 0) {
      text = `${stage.done} of ${stage.total}`;
      if (stage.done > 0 && stage.done < stage.total && stage.seconds > 1) {
        text += `, ${duration((stage.seconds * (stage.total - stage.done)) / stage.done)} left`;
      }
    } else if (!last) {
      text = duration(stage.seconds);
    }
    item.append(element("span", stageWords(stage.stage), "what"), bar, element("span", text, "hint"));
    return item;
  }
}

export const runScreen = (project: Project): Screen => new RunScreen(project);
