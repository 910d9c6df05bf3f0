// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Numbers as people read them.

export const count = (n: number): string => n.toLocaleString("en");

export function bytes(n: number): string {
  if (n < 1e3) return `${n} bytes`;
  if (n < 1e6) return `${(n / 1e3).toFixed(0)} kB`;
  if (n < 1e9) return `${(n / 1e6).toFixed(1)} MB`;
  return `${(n / 1e9).toFixed(2)} GB`;
}

/** Three digits. */
export function length(x: number): string {
  return String(Number(x.toPrecision(3)));
}

export function duration(seconds: number): string {
  const s = Math.round(seconds);
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
}

/** What a stage does, by the name that the program gives it. */
const stages: Record<string, string> = {
  start: "Starting", read: "Reading the files", encode: "Finding the breaks", matching: "Comparing the breaks of all pairs",
  matches: "Trying what matches", screening: "Looking for promising pairs", "full search": "Trying the promising pairs in full", groups: "Fitting groups to groups",
  assemble: "Putting all joints together", "breaks again": "Reading breaks again by what lies against them",
  "whole object": "Looking at the whole object", report: "Writing the report",
};
export const stageWords = (stage: string): string => stages[stage] ?? stage.charAt(0).toUpperCase() + stage.slice(1);
