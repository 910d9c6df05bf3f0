// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
import { byId, element } from "../dom";

export function button(text: string, act: () => void, className = ""): HTMLButtonElement {
  const made = element("button", text, className);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
}

export function link(text: string, href: string, className = ""): HTMLAnchorElement {
  const made = element("a", text, className);
  made.href = href;
  return made;
}

/** A box to tick; the words are part of it. */
export function check(text: string, on: boolean, change: (on: boolean) => void): HTMLLabelElement {
  const label = element("label", "", "check");
  const input = element("input");
  input.type = "checkbox";
  input.checked = on;
  input.addEventListener("change", () => change(input.checked));
  label.append(input, element("span", text));
  return label;
}

export function trouble(error: unknown): void {
  const box = byId("trouble");
  box.textContent = error instanceof Error ? error.message : String(error);
  box.hidden = false;
}

export function clearTrouble(): void {
  byId("trouble").hidden = true;
}

/** Runs something that may fail; the reason is shown. */
export async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    clearTrouble();
    await work();
  } catch (error) {
    trouble(error);
  }
}

/** A page of the workbench: what is shown, and how to leave it. */
export interface Screen {
  root: HTMLElement;
  leave?(): void;
}
