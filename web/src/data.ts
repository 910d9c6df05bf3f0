// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// What the program put into the page (object_view.cpp writes it).

export interface GeometryInfo {
  vertices: number;
  faces: number;
  low: number[];
  size: number[];
  normals: boolean;
  colours: boolean;
  uvs: number[] | null; // low u, low v, size u, size v
  gaps: boolean;
  breaks: boolean;
  indexBytes: 2 | 4;
  groups: number[][]; // texture or -1, first face, face after the last
  textures: Record<string, string>; // number to MIME type
}

export interface PartInfo {
  name: string;
  colour: string;
  placed: boolean;
  dropped: boolean;
  byHand: boolean; // a person put it there
  component: number;
  confidence: number;
  facts: [string, string][];
  pose: number[]; // 4x4 row by row: where it stands in the view
  explode: number[];
  geometry: GeometryInfo;
}

export type Verdict = "none" | "lock" | "reject";

export interface JointInfo {
  a: number;
  b: number;
  rank: number;
  used: boolean;
  fate: string;
  sentence: string;
  confidence: number;
  band: "confirmed" | "probable" | "rejected";
  reason: string; // of the band
  decision: Verdict;
  facts: [string, string][];
  other: number[] | null; // where b would stand if only this joint counted; null if a is nowhere
  pairs: number[]; // six numbers per pair: the point in a, the point in b
  matches: number[]; // the same of what the network matched; only at the first pose of a pair
}

/** A fragment that a person put somewhere, as constraints.json says it. */
export interface Placement {
  fragment: string;
  on: string;
  on_from_fragment: number[][];
  group: boolean;
}

export interface ReportData {
  summary: string;
  units: string;
  gapScale: number;
  objectSize: number;
  canSnap: boolean; // what was seen of the breaks is kept
  placed: Placement[];
  parts: PartInfo[];
  joints: JointInfo[];
}

export interface Geometry {
  positions: Float32Array;
  normals: Float32Array | null;
  colours: Uint8Array | null;
  uvs: Float32Array | null;
  gaps: Uint8Array | null; // 0 to 254 over the scale; 255: no contact
  breaks: Uint8Array | null; // how likely it is broken there, 0 to 255
  indices: Uint16Array | Uint32Array;
}

/** The text of an element by its id: of this page, or of a report that was fetched. */
export type Source = (id: string) => string;

/** The element is then removed: it is large and used once. */
export const fromPage: Source = (id) => {
  const element = document.getElementById(id)!;
  const text = element.textContent!;
  element.remove();
  return text.trim();
};

/** Out of the text of a report. Neither JSON nor base64 holds a "<", so the next one is the end of the element. */
export function fromReport(html: string): Source {
  return (id) => {
    const begin = html.indexOf(">", html.indexOf(` id="${id}"`)) + 1;
    return html.slice(begin, html.indexOf("<", begin)).trim();
  };
}

export function readData(source: Source = fromPage): ReportData {
  const data = JSON.parse(source("report-data")) as ReportData;
  // Reports of earlier versions do not say these.
  data.placed ??= [];
  data.canSnap ??= false;
  for (const joint of data.joints) joint.matches ??= [];
  return data;
}

export function decodeBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export function takeTexture(source: Source, part: number, texture: number, mime: string): Blob {
  return new Blob([decodeBase64(source(`texture-${part}-${texture}`))], { type: mime });
}

export function takeGeometry(source: Source, part: number, info: GeometryInfo): Geometry {
  const bytes = decodeBase64(source(`geometry-${part}`));
  let at = 0;
  const take = (count: number): ArrayBuffer => {
    const from = at;
    at += Math.ceil(count / 4) * 4;
    return bytes.buffer.slice(from, from + count);
  };
  const n = info.vertices;
  const steps = new Uint16Array(take(6 * n));
  const positions = new Float32Array(3 * n);
  for (let i = 0; i < positions.length; ++i) {
    positions[i] = info.low[i % 3]! + (steps[i]! / 65535) * info.size[i % 3]!;
  }
  let normals: Float32Array | null = null;
  if (info.normals) {
    const coarse = new Int8Array(take(3 * n));
    normals = new Float32Array(3 * n);
    for (let i = 0; i < normals.length; ++i) normals[i] = coarse[i]! / 127;
  }
  const colours = info.colours ? new Uint8Array(take(3 * n)) : null;
  let uvs: Float32Array | null = null;
  if (info.uvs) {
    const coarse = new Uint16Array(take(4 * n));
    uvs = new Float32Array(2 * n);
    for (let i = 0; i < uvs.length; ++i) uvs[i] = info.uvs[i % 2]! + (coarse[i]! / 65535) * info.uvs[2 + (i % 2)]!;
  }
  const gaps = info.gaps ? new Uint8Array(take(n)) : null;
  const breaks = info.breaks ? new Uint8Array(take(n)) : null;
  const raw = take(3 * info.faces * info.indexBytes);
  const indices = info.indexBytes === 2 ? new Uint16Array(raw) : new Uint32Array(raw);
  return { positions, normals, colours, uvs, gaps, breaks, indices };
}
