#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""Mixed finds: breaks vessels, mixes their fragments, puts them together as a project, and compares with the truth.

    bench/mixed_finds.py PMTR FOLDER [--vessels 3] [--pieces 20] [--shape vase] [--workers 2]

prints what docs/cluster.md quotes. A fragment is right if it stands, relative to the fragments of its vessel that most
others agree with, within 10 degrees and 5 % of the vessel's size of where it belongs.
"""

import argparse
import json
import math
import pathlib
import subprocess
import time


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(4)) for j in range(4)] for i in range(4)]


def inverse(m):
    turned = [[m[j][i] for j in range(3)] for i in range(3)]
    moved = [-sum(turned[i][k] * m[k][3] for k in range(3)) for i in range(3)]
    return [turned[i] + [moved[i]] for i in range(3)] + [[0.0, 0.0, 0.0, 1.0]]


def full(rows):
    return [list(row) for row in rows[:3]] + [[0.0, 0.0, 0.0, 1.0]]


def agree(a, b, centre, size):
    """Do two poses bring a fragment to about the same place?"""
    trace = sum(a[k][i] * b[k][i] for i in range(3) for k in range(3))
    angle = math.degrees(math.acos(max(-1.0, min(1.0, (trace - 1.0) / 2.0))))
    at = [[sum(m[i][k] * centre[k] for k in range(3)) + m[i][3] for i in range(3)] for m in (a, b)]
    return angle < 10.0 and math.dist(at[0], at[1]) < 0.05 * size


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("pmtr")
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--vessels", type=int, default=3)
    arguments.add_argument("--pieces", type=int, default=20)
    arguments.add_argument("--shape", default="vase")
    arguments.add_argument("--workers", type=int, default=1)
    arguments.add_argument("--size", type=float, default=1.0, help="longest side of a vessel; 0: estimated")
    a = arguments.parse_args()

    files, vessel_of, truth = [], [], []
    for vessel in range(a.vessels):
        where = a.folder / "data" / str(vessel)
        if not where.exists():
            subprocess.run([a.pmtr, "fracture", "--shape", a.shape, "--pieces", str(a.pieces), "--seed", str(vessel + 1),
                            "--scatter", "--out", str(where)], check=True, stderr=subprocess.DEVNULL)
        description = next(where.rglob("object.json"))
        for piece in json.loads(description.read_text())["pieces"]:
            # Results are named like the files, and vessels have pieces of the same name.
            name = a.folder / f"vessel_{vessel}_{piece['file']}"
            name.write_bytes((description.parent / piece["file"]).read_bytes())
            files.append(name)
            vessel_of.append(vessel)
            truth.append(full(piece["world_from_part"]))

    project = a.folder / "project"
    size = ["--object-size", str(a.size)] if a.size > 0 else []

    def pmtr(*words):
        start = time.monotonic()
        subprocess.run([a.pmtr, "project", *map(str, words)], check=True, stderr=subprocess.DEVNULL)
        return time.monotonic() - start

    seconds = {"init": pmtr("init", project, "--objects", a.vessels, *size, *files)}
    seconds["run"] = pmtr("run", project, "--workers", a.workers, "--no-report")
    result = json.loads((project / "result" / "assembly.json").read_text())

    parts = result["parts"]
    poses = [full(part["world_from_part"]) for part in parts]
    right, separated, together = 0, 0, 0
    for vessel in range(a.vessels):
        own = [i for i in range(len(parts)) if vessel_of[i] == vessel and parts[i]["placed"]]
        best = []
        for base in own:
            shift = product(truth[base], inverse(poses[base]))
            good = [i for i in own if parts[i]["component"] == parts[base]["component"] and
                    agree(product(shift, poses[i]), truth[i], parts[i]["centre"], 1.0)]
            best = max(best, good, key=len)
        right += len(best)
        if best:
            members = [i for i in range(len(parts)) if parts[i]["placed"] and
                       parts[i]["component"] == parts[best[0]]["component"]]
            strangers = [i for i in members if vessel_of[i] != vessel]
            separated += not strangers
            together += len(best)
            print(f"vessel {vessel}: {len(best)} of {a.pieces} right in one component of {len(members)} fragments, "
                  f"{len(strangers)} of other vessels")
    joints = [joint for joint in result["joints"] if joint["used"]]
    for band in ("confirmed", "probable"):
        some = [joint for joint in joints if joint["band"] == band]
        wrong = sum(1 for joint in some if vessel_of[joint["a"]] != vessel_of[joint["b"]] or not agree(
            full(joint["a_from_b"]), product(inverse(truth[joint["a"]]), truth[joint["b"]]),
            parts[joint["b"]]["centre"], 1.0))
        print(f"joints {band}: {len(some)}, wrong: {wrong}")
    groups = {part["component"] for part in parts if part["placed"]}
    alone = sum(1 for part in parts if not part["placed"])
    print(f"fragments {len(parts)}, right {right} ({100.0 * right / len(parts):.0f} %), components {len(groups)}, "
          f"not placed {alone}, vessels separated {separated} of {a.vessels}")
    print(f"init {seconds['init']:.0f} s, run {seconds['run']:.0f} s, of which solve: " +
          ", ".join(f"{stage} {ms / 1e3:.1f}" for stage, ms in result["timing_ms"].items()) +
          f" s; {result['peak_rss_mb']:.0f} MB")


if __name__ == "__main__":
    main()
