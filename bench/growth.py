#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""Draws how processor time and memory of a project grow with its fragments, from what mixed_finds.py --json wrote.

    bench/growth.py FILE.json... -o docs/growth.svg

prints the table of docs/cluster.md as well. Both axes are logarithmic; a dotted line grows with the number of fragments.
"""

import argparse
import json
import math
import pathlib

STAGES = (("encode", "#1b6ca8"), ("match", "#d1495b"), ("search", "#2e8b57"), ("solve", "#8a5cc2"))
WIDTH, HEIGHT, LEFT, TOP, BOTTOM, GAP = 400, 300, 60, 34, 44, 70


class Panel:
    """A pair of logarithmic axes."""

    def __init__(self, left, xs, ys):
        self.left = left
        self.x = (math.log10(min(xs)) - 0.05, math.log10(max(xs)) + 0.05)
        self.y = (math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys))))

    def place(self, x, y):
        across = (math.log10(x) - self.x[0]) / (self.x[1] - self.x[0])
        up = (math.log10(y) - self.y[0]) / (self.y[1] - self.y[0])
        return self.left + across * WIDTH, TOP + (1.0 - up) * HEIGHT

    def axes(self, title, xs):
        out = [f'<rect x="{self.left}" y="{TOP}" width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#999"/>',
               f'<text x="{self.left}" y="{TOP - 12}" font-weight="bold">{title}</text>',
               f'<text x="{self.left + WIDTH / 2}" y="{TOP + HEIGHT + 36}" text-anchor="middle">fragments</text>']
        for x in xs:
            at, _ = self.place(x, 10 ** self.y[0])
            out.append(f'<line x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{TOP + HEIGHT}" stroke="#eee"/>')
            out.append(f'<text x="{at:.1f}" y="{TOP + HEIGHT + 16}" text-anchor="middle">{x}</text>')
        for power in range(self.y[0], self.y[1] + 1):
            _, at = self.place(xs[0], 10.0 ** power)
            out.append(f'<line x1="{self.left}" y1="{at:.1f}" x2="{self.left + WIDTH}" y2="{at:.1f}" stroke="#ddd"/>')
            out.append(f'<text x="{self.left - 6}" y="{at + 4:.1f}" text-anchor="end">{10.0 ** power:g}</text>')
        return out

    def line(self, xs, ys, colour, name, dashes=""):
        points = [self.place(x, y) for x, y in zip(xs, ys)]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        out = [f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dashes}"/>']
        if not dashes:
            out += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
        x, y = points[-1]
        off = 50 if dashes else -7  # below its line, where no stage is
        out.append(f'<text x="{x - 6:.1f}" y="{y + off:.1f}" fill="{colour}" text-anchor="end">{name}</text>')
        return out


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("files", type=pathlib.Path, nargs="+")
    arguments.add_argument("-o", "--out", type=pathlib.Path, required=True)
    a = arguments.parse_args()
    runs = sorted((json.loads(file.read_text()) for file in a.files), key=lambda run: run["fragments"])
    xs = [run["fragments"] for run in runs]

    print("| fragments | vessels | encode | match | search | solve | all, processor s | MB | right | "
          "confirmed, wrong | probable, wrong | separated |")
    print("|" + "---|" * 12)
    for run in runs:
        cost, joints = run["cost"], run["joints"]
        each = " | ".join(f"{cost[stage]['processor']:.3g}" for stage, _ in STAGES)
        print(f"| {run['fragments']} | {run['vessels']} | {each} | {sum(c['processor'] for c in cost.values()):.0f} | "
              f"{max(c['mb'] for c in cost.values()):.0f} | "
              f"{run['right']} | {joints['confirmed']['joints']}, {joints['confirmed']['wrong']} | "
              f"{joints['probable']['joints']}, {joints['probable']['wrong']} | {run['separated']} of {run['vessels']} |")

    seconds = {stage: [run["cost"][stage]["processor"] for run in runs] for stage, _ in STAGES}
    memory = {stage: [run["cost"][stage]["mb"] for run in runs] for stage, _ in STAGES}
    every = [value for some in seconds.values() for value in some]
    left = Panel(LEFT, xs, every)
    right = Panel(LEFT + WIDTH + GAP, xs, [value for some in memory.values() for value in some])
    out = ['<svg xmlns="http://www.w3.org/2000/svg" '
           f'width="{LEFT + 2 * WIDTH + GAP + 20}" height="{TOP + HEIGHT + BOTTOM}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>']
    out += left.axes("processor time, seconds", xs) + right.axes("memory of the process, MB", xs)
    first = min(some[0] for some in seconds.values())
    out += left.line(xs, [first * x / xs[0] for x in xs], "#999", "grows with the fragments", "3 4")
    for stage, colour in STAGES:
        out += left.line(xs, seconds[stage], colour, stage)
        out += right.line(xs, memory[stage], colour, stage)
    a.out.write_text("\n".join(out + ["</svg>"]) + "\n")


if __name__ == "__main__":
    main()
