// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// What the program answers (workbench_routes.cpp). Addresses are relative to the page, whose path is the secret.
import { fromReport, type Placement, type Source } from "../data";

export interface ProjectEntry {
  id: string;
  name: string;
  fragments: number;
  run: string;
  message: string;
  picture: boolean;
}

export interface Fragment {
  name: string;
  state: "waiting" | "good" | "bad";
  left_out: boolean;
  number?: number;
  message?: string;
  format?: string;
  bytes?: number;
  faces?: number;
  vertices?: number;
  sides?: [number, number, number];
  problems?: string[];
}

export interface Stage {
  stage: string;
  done: number;
  total: number;
  seconds: number;
}

export interface Run {
  state: "none" | "queued" | "running" | "stopping" | "done" | "failed" | "cancelled";
  message: string;
  seconds?: number;
  stages?: Stage[];
  notes?: string[];
  groups?: string[][]; // what holds together so far, by name
}

export interface Project {
  id: string;
  name: string;
  units: string;
  object_size: number | null;
  estimate: number | null;
  fragments: Fragment[];
  companions: number;
  waiting: boolean;
  run: Run;
  result: boolean;
  outdated: boolean;
}

export interface ResultFile {
  name: string;
  bytes: number;
}

type Query = Record<string, string>;

export function address(path: string, query: Query = {}): string {
  const text = new URLSearchParams(query).toString();
  return `api/${path}${text ? "?" + text : ""}`;
}

async function answer<T>(response: Response): Promise<T> {
  const json = (await response.json().catch(() => null)) as (T & { ok?: boolean; message?: string }) | null;
  if (!response.ok || json === null) throw new Error(json?.message ?? `the program answered ${response.status}`);
  return json;
}

async function ask<T>(method: string, path: string, query: Query, body?: unknown): Promise<T> {
  let response: Response;
  try {
    response = await fetch(address(path, query), {
      method,
      ...(body === undefined ? {} : { headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) }),
    });
  } catch {
    throw new Error("The program does not answer. Was it stopped? Start pmtr app again; the projects are safe.");
  }
  return answer<T>(response);
}

export const listProjects = (): Promise<{ folder: string; projects: ProjectEntry[] }> => ask("GET", "projects", {});
export const createProject = (name: string): Promise<{ id: string }> => ask("POST", "projects", {}, { name });
/** With `study` the program looks at the files that it does not know yet, which takes all cores where they are large. */
export const getProject = (project: string, study = true): Promise<Project> => ask("GET", "project", { project, study: study ? "1" : "0" });
export const changeProject = (project: string, change: Partial<Pick<Project, "name" | "units" | "object_size">> & { left_out?: string[] }): Promise<void> =>
  ask("POST", "project", { project }, change);
export const removeFragment = (project: string, name: string): Promise<void> => ask("DELETE", "fragment", { project, name });
export const startRun = (project: string): Promise<void> => ask("POST", "run", { project }, {});
export const cancelRun = (project: string): Promise<void> => ask("POST", "cancel", { project }, {});
export const listResults = (project: string): Promise<{ files: ResultFile[] }> => ask("GET", "files", { project });
export const announceFiles = (project: string, files: { name: string; bytes: number }[]): Promise<{ files: { ok: boolean; name?: string; message?: string }[] }> =>
  ask("POST", "announce", { project }, { files });

/** One file, streamed from the disk by the browser; `progress` hears the share that is gone. */
export function sendFile(project: string, name: string, file: File, progress: (share: number) => void): Promise<void> {
  return new Promise((done, fail) => {
    const request = new XMLHttpRequest();
    request.open("PUT", address("fragment", { project, name }));
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.addEventListener("progress", (event) => progress(event.total > 0 ? event.loaded / event.total : 0));
    request.addEventListener("load", () => {
      if (request.status === 200) return done();
      let message = `the program answered ${request.status}`;
      try {
        message = (JSON.parse(request.responseText) as { message: string }).message;
      } catch { /* no JSON: the status must do */ }
      fail(new Error(message));
    });
    request.addEventListener("error", () => fail(new Error("the connection to the program broke")));
    request.send(file);
  });
}

export interface Snapped {
  placement: Placement;
  contact: number;
  gap: number;
  turned: number; // degrees
  shifted: number;
}
/** A fragment that was put about where it belongs, pulled onto the breaks around it. */
export const snap = (project: string, placement: Placement): Promise<Snapped> => ask("POST", "snap", { project }, placement);

/** The object is before somebody's eyes: its scans may be read for the decisions to come. */
export const look = (project: string): Promise<void> => ask("POST", "look", { project }, {});

/** What the 3D view shows. */
export async function fetchObject(project: string): Promise<Source> {
  const response = await fetch(address("object", { project }));
  if (!response.ok) return answer(response);
  return fromReport(await response.text());
}
