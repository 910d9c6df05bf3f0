// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// A colour scale from dark to light that also colour-blind people and grey printers show in order.

const stops: [number, number, number][] = [
  [68, 1, 84], [65, 68, 135], [42, 120, 142], [34, 168, 132], [122, 209, 81], [253, 231, 37],
];
export const noContact: [number, number, number] = [180, 184, 188];

/** sRGB, 0 to 255, of a share from 0 to 1. */
export function rampColour(share: number): [number, number, number] {
  const x = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const k = Math.min(Math.floor(x), stops.length - 2);
  const a = stops[k]!;
  const b = stops[k + 1]!;
  return [0, 1, 2].map((c) => a[c]! + (b[c]! - a[c]!) * (x - k)) as [number, number, number];
}

export function rampCss(): string {
  return `linear-gradient(to right, ${stops.map((s) => `rgb(${s.join(" ")})`).join(", ")})`;
}

/** How likely it is broken there: grey to orange, so that the shape of what is whole stays in sight. */
const whole: [number, number, number] = [196, 200, 204];
const broken: [number, number, number] = [208, 74, 8];
export function breakColour(share: number): [number, number, number] {
  return [0, 1, 2].map((c) => whole[c]! + (broken[c]! - whole[c]!) * share) as [number, number, number];
}
export function breakCss(): string {
  return `linear-gradient(to right, rgb(${whole.join(" ")}), rgb(${broken.join(" ")}))`;
}

/** sRGB byte to linear light, 0 to 1. */
export const linear: Float32Array = Float32Array.from({ length: 256 }, (_, i) => {
  const s = i / 255;
  return s <= 0.04045 ? s / 12.92 : Math.pow((s + 0.055) / 1.055, 2.4);
});
