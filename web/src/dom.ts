// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Small helpers of both pages. Text goes in as text, never as markup: names of files come from anywhere.

export const byId = <T extends HTMLElement>(id: string): T => document.getElementById(id) as T;

export function element<K extends keyof HTMLElementTagNameMap>(tag: K, text = "", className = ""): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  if (className) made.className = className;
  return made;
}

export function factList(facts: [string, string][]): HTMLElement {
  const list = element("dl");
  for (const [name, value] of facts) {
    const row = element("div");
    row.append(element("dt", name), element("dd", value));
    list.append(row);
  }
  return list;
}

/** Makes these the children of an element. Those that stand there already are left alone: no focus is lost, and the
 * browser lays out only what is new. */
export function settle(parent: Element, wanted: readonly Element[]): void {
  const kept = new Set(wanted);
  for (const child of [...parent.children]) if (!kept.has(child)) child.remove();
  let at = parent.firstElementChild;
  for (const child of wanted) {
    if (child === at) at = at.nextElementSibling;
    else parent.insertBefore(child, at);
  }
}

/** To those who do not see the page. */
export function announce(text: string): void {
  byId("live").textContent = text;
}

/** Light and dark: as the system says, until the person says otherwise. */
export function bindTheme(): void {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  let dark = system.matches;
  const apply = (): void => {
    document.documentElement.dataset["theme"] = dark ? "dark" : "light";
    const button = byId("theme");
    button.textContent = dark ? "Light" : "Dark";
    button.setAttribute("aria-label", dark ? "Use light colours" : "Use dark colours");
    button.removeAttribute("aria-pressed");
  };
  apply();
  system.addEventListener("change", () => {
    dark = system.matches;
    apply();
  });
  byId("theme").addEventListener("click", () => {
    dark = !dark;
    apply();
  });
}
