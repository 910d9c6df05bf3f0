// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Decisions one after the other, to go back and forth. An entry is the text of constraints.json.

export class History {
  private readonly states: string[];
  private at = 0;

  constructor(first: string) {
    this.states = [first];
  }
  get now(): string {
    return this.states[this.at]!;
  }
  get canUndo(): boolean {
    return this.at > 0;
  }
  get canRedo(): boolean {
    return this.at + 1 < this.states.length;
  }
  push(state: string): void {
    if (state === this.now) return;
    this.states.splice(this.at + 1);
    this.states.push(state);
    this.at += 1;
  }
  undo(): string {
    if (this.canUndo) this.at -= 1;
    return this.now;
  }
  redo(): string {
    if (this.canRedo) this.at += 1;
    return this.now;
  }
}
