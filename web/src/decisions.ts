// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// What the person decides, and the request to solve again; only when `pmtr view` serves the page.
import type { Placement, ReportData, Verdict } from "./data";

export interface Solved {
  ok: boolean;
  message: string;
  data?: ReportData; // without the points of the joints
  gaps?: string[]; // of every fragment, in base64
}

export class Decisions {
  readonly joints: Verdict[];
  readonly dropped: boolean[];
  placed: Placement[];
  private readonly before: string;
  private readonly poses: number[][]; // asked for often, of many joints

  constructor(private readonly data: ReportData) {
    this.joints = data.joints.map((j) => j.decision);
    this.dropped = data.parts.map((p) => p.dropped);
    this.placed = data.placed;
    const pairs = new Map<string, number[]>();
    data.joints.forEach((j, i) => {
      const pair = `${Math.min(j.a, j.b)} ${Math.max(j.a, j.b)}`;
      pairs.set(pair, [...(pairs.get(pair) ?? []), i]);
    });
    this.poses = [];
    for (const list of pairs.values()) {
      list.sort((x, y) => data.joints[x]!.rank - data.joints[y]!.rank);
      for (const i of list) this.poses[i] = list;
    }
    this.before = this.text();
  }

  /** Locking one pose of a pair frees the others: a pair stands in one way. */
  setJoint(index: number, verdict: Verdict): void {
    this.joints[index] = verdict;
    if (verdict !== "lock") return;
    for (const other of this.posesOf(index)) {
      if (other !== index && this.joints[other] === "lock") this.joints[other] = "none";
    }
  }
  /** What is left out stands nowhere, and nothing stands on it. */
  setDropped(part: number, dropped: boolean): void {
    this.dropped[part] = dropped;
    const name = this.data.parts[part]!.name;
    if (dropped) this.placed = this.placed.filter((p) => p.fragment !== name && p.on !== name);
  }
  /** A person put it there; a lock that held it elsewhere is gone. */
  place(placement: Placement): void {
    this.letGo(placement.fragment);
    this.placed.push(placement);
    this.data.joints.forEach((j, i) => {
      if (this.joints[i] === "lock" && [j.a, j.b].some((p) => this.data.parts[p]!.name === placement.fragment)) this.joints[i] = "none";
    });
  }
  letGo(fragment: string): void {
    this.placed = this.placed.filter((p) => p.fragment !== fragment);
  }

  /** All candidate poses of the same two fragments, by rank. */
  posesOf(index: number): number[] {
    return this.poses[index]!;
  }

  get changed(): boolean {
    return this.text() !== this.before;
  }

  jointName(index: number): string {
    const joint = this.data.joints[index]!;
    const poses = this.posesOf(index).length;
    const pose = poses > 1 ? `, pose ${joint.rank + 1}` : "";
    return `${this.data.parts[joint.a]!.name} + ${this.data.parts[joint.b]!.name}${pose}`;
  }

  /** The content of constraints.json. */
  text(): string {
    const joints = this.data.joints
      .map((j, i) => ({
        a: this.data.parts[j.a]!.name, b: this.data.parts[j.b]!.name, rank: j.rank, decision: this.joints[i]!,
      }))
      .filter((j) => j.decision !== "none");
    const drop = this.data.parts.filter((_, i) => this.dropped[i]).map((p) => p.name);
    return JSON.stringify({ version: 1, joints, drop, ...(this.placed.length > 0 ? { placed: this.placed } : {}) });
  }

  /** Takes over what text() said of the same assembly, before or after solving again. */
  restore(text: string): void {
    const kept = JSON.parse(text) as { joints: { a: string; b: string; rank: number; decision: Verdict }[]; drop: string[]; placed?: Placement[] };
    this.data.joints.forEach((j, i) => {
      const a = this.data.parts[j.a]!.name;
      const b = this.data.parts[j.b]!.name;
      this.joints[i] = kept.joints.find((k) => k.a === a && k.b === b && k.rank === j.rank)?.decision ?? "none";
    });
    this.data.parts.forEach((p, i) => { this.dropped[i] = kept.drop.includes(p.name); });
    this.placed = kept.placed ?? [];
  }

  /** What the workbench answers says what to show; `pmtr view` only that it is done. */
  async solve(address = "solve"): Promise<Solved> {
    const response = await fetch(address, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: this.text(),
    });
    const answer = (await response.json()) as Solved;
    if (!answer.ok) throw new Error(answer.message);
    return answer;
  }
}
