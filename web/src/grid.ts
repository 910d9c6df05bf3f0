// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// A table whose rows are chosen with the mouse or the arrow keys; one stop for the Tab key.

export class Grid {
  private rows: HTMLTableRowElement[] = [];

  constructor(private readonly table: HTMLTableElement, private readonly chosen: (row: HTMLTableRowElement | null) => void) {
    table.addEventListener("click", (event) => {
      const row = (event.target as Element).closest<HTMLTableRowElement>("tbody tr");
      if (row) this.choose(row, true);
    });
    table.addEventListener("keydown", (event) => this.key(event));
    this.update();
  }

  /** After rows were hidden or shown. */
  update(): void {
    this.rows = [...this.table.querySelectorAll<HTMLTableRowElement>("tbody tr")].filter((r) => !r.closest("[hidden]"));
    for (const row of this.table.querySelectorAll<HTMLTableRowElement>("tbody tr")) row.tabIndex = -1;
    const entry = this.rows.find((r) => r.getAttribute("aria-selected") === "true") ?? this.rows[0];
    if (entry) entry.tabIndex = 0;
  }

  mark(row: HTMLTableRowElement | null): void {
    for (const other of this.table.querySelectorAll("tbody tr")) {
      other.setAttribute("aria-selected", other === row ? "true" : "false");
    }
    this.update();
    if (row && typeof row.scrollIntoView === "function") row.scrollIntoView({ block: "nearest" });
  }

  private choose(row: HTMLTableRowElement | null, focus: boolean): void {
    if (row && focus) row.focus({ preventScroll: true });
    this.chosen(row);
  }

  private key(event: KeyboardEvent): void {
    const at = this.rows.indexOf((event.target as Element).closest<HTMLTableRowElement>("tr")!);
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.rows.length - 1;
    const next: Record<string, number> = {
      ArrowDown: Math.min(at + 1, last), ArrowUp: Math.max(at - 1, 0), Home: 0, End: last,
      PageDown: Math.min(at + 10, last), PageUp: Math.max(at - 10, 0), Enter: at, " ": at,
    };
    if (event.key === "Escape") {
      this.choose(null, false);
    } else if (event.key in next) {
      this.choose(this.rows[next[event.key]!]!, true);
    } else {
      return;
    }
    event.preventDefault();
  }
}
