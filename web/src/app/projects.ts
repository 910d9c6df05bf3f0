// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The first screen: all projects of the folder, and a new one.
import { element } from "../dom";
import { address, createProject, listProjects, type ProjectEntry } from "./api";
import { attempt, button, link, type Screen, trouble } from "./ui";
import { count } from "./words";

const states: Record<string, string> = {
  none: "Not assembled yet", wanted: "The assembly runs", done: "Assembled", failed: "The last run failed", cancelled: "The last run was cancelled",
};

function card(project: ProjectEntry): HTMLElement {
  const item = element("li", "", "project-card");
  const way = link("", `#/${encodeURIComponent(project.id)}/${project.run === "done" ? "object" : project.run === "wanted" ? "run" : "fragments"}`);
  const frame = element("span", "", "frame");
  if (project.picture) {
    const image = element("img");
    image.alt = "";
    image.loading = "lazy";
    image.src = address("picture", { project: project.id });
    frame.append(image);
  }
  way.append(frame, element("strong", project.name),
    element("span", `${count(project.fragments)} fragment${project.fragments === 1 ? "" : "s"} · ${states[project.run] ?? ""}`, "hint"));
  if (project.message) way.append(element("span", project.message, "hint small"));
  item.append(way);
  return item;
}

export function projectsScreen(): Screen {
  const root = element("div", "", "page narrow");
  const form = element("form", "", "new-project");
  const label = element("label", "Name of the object");
  const input = element("input");
  input.type = "text";
  input.required = true;
  input.maxLength = 100;
  input.placeholder = "Bowl 12, trench 4";
  input.id = "new-name";
  label.htmlFor = input.id;
  const make = element("button", "New project", "main");
  make.type = "submit";
  const row = element("div", "", "row");
  row.append(input, make);
  form.append(label, row);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void attempt(async () => {
      const { id } = await createProject(input.value.trim());
      location.hash = `#/${encodeURIComponent(id)}/fragments`;
    });
  });
  const list = element("ul", "", "project-list");
  const where = element("p", "", "hint");
  root.append(element("h1", "Projects"),
    element("p", "From scans of the fragments to the object. Nothing leaves this computer.", "hint"), form, list, where);
  const load = async (): Promise<void> => {
    try {
      const { folder, projects } = await listProjects();
      list.replaceChildren(...projects.map(card));
      if (projects.length === 0) list.append(element("li", "No project yet. Give the object a name to begin.", "hint empty"));
      where.textContent = `They are folders in ${folder}; to delete one, delete its folder.`;
    } catch (error) {
      trouble(error);
      list.replaceChildren(button("Try again", () => void load()));
    }
  };
  void load();
  return { root };
}
