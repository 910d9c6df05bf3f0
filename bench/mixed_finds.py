#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""Mixed finds: breaks vessels, mixes their fragments, puts them together as a project, and compares with the truth.

    bench/mixed_finds.py PMTR FOLDER [--vessels 3] [--pieces 20] [--shapes vase bowl] [--threads 2] [--json FILE]

prints what docs/cluster.md quotes. Vessels take turns with the shapes. A fragment is right if it stands, relative to the
fragments of its vessel that most others agree with, within 10 degrees and 5 % of the vessel's size of where it belongs;
a joint, if its two fragments stand so to each other. Stages are run one after another, each by one process.
"""

import argparse
import json
import math
import os
import pathlib
import struct
import subprocess
import time

STAGES = ("encode", "match", "search", "solve")
PARTNERS = (1, 2, 4, 6, 8, 12, 16, 24, 32, 48)
LARGE = 1e-3  # of the area of two fragments that touch, in squares of the vessel's size


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


def break_vessels(a):
    """Files of all fragments, mixed, the vessel of each, where it belongs, and which of them touch."""
    files, vessel_of, truth, touch = [], [], [], {}
    for vessel in range(a.vessels):
        where = a.folder / "data" / str(vessel)
        if not where.exists():
            subprocess.run([a.pmtr, "fracture", "--shape", a.shapes[vessel % len(a.shapes)], "--pieces", str(a.pieces),
                            "--seed", str(a.seed + vessel), "--scatter", "--out", str(where)], check=True,
                           stderr=subprocess.DEVNULL)
        description = next(where.rglob("object.json"))
        broken = json.loads(description.read_text())
        first = len(files)
        for piece in broken["pieces"]:
            # Results are named like the files, and vessels have pieces of the same name.
            name = a.folder / f"vessel_{vessel}_{piece['file']}"
            name.write_bytes((description.parent / piece["file"]).read_bytes())
            files.append(name)
            vessel_of.append(vessel)
            truth.append(full(piece["world_from_part"]))
        for pair in broken["adjacency"]:
            touch[tuple(sorted((first + pair["a"], first + pair["b"])))] = pair["mating_area"]
    return files, vessel_of, truth, touch


def run(words):
    """Wall time, processor time and peak memory of a command."""
    start = time.monotonic()
    process = subprocess.Popen([str(word) for word in words], stderr=subprocess.PIPE)
    complaint = process.stderr.read()
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(complaint.decode()[-2000:])
    return {"seconds": time.monotonic() - start, "processor": used.ru_utime + used.ru_stime,
            "mb": used.ru_maxrss / 1024}


def scores(project):
    """What the matches of each pair come to: the files that `match` writes (project/kept_pairs.h)."""
    found = []
    for file in (project / "pairs").glob("*.scores"):
        body = file.read_bytes()[24:]
        found += [(score, one, other) for one, other, score, _ in struct.iter_unpack("<iid?", body[8:])]
    return found


def tell_screening(project, fragments, touch):
    """How many of those that touch are among the best partners of one of the two."""
    partners = [[] for _ in range(fragments)]
    for score, one, other in scores(project):
        partners[one].append((-score, other))
        partners[other].append((-score, one))
    for some in partners:
        some.sort()
    large = [pair for pair, area in touch.items() if area >= LARGE]
    rows = []
    for kept in PARTNERS:
        chosen = {tuple(sorted((i, j))) for i in range(fragments) for _, j in partners[i][:kept]}
        recall = [sum(pair in chosen for pair in some) / max(1, len(some)) for some in (touch, large)]
        rows.append({"kept": kept, "pairs": len(chosen), "recall": recall[0], "recall_large": recall[1]})
    print(f"screening: {len(touch)} pairs touch, {len(large)} of them on {LARGE:g} or more; kept: pairs, recall, of large")
    for row in rows:
        print(f"  {row['kept']}: {row['pairs']}, {100 * row['recall']:.1f} %, {100 * row['recall_large']:.1f} %")
    return rows


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("pmtr")
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--vessels", type=int, default=3)
    arguments.add_argument("--pieces", type=int, default=20)
    arguments.add_argument("--shapes", nargs="+", default=["vase"])
    arguments.add_argument("--seed", type=int, default=1, help="of the first vessel")
    arguments.add_argument("--threads", type=int, default=2)
    arguments.add_argument("--size", type=float, default=1.0, help="longest side of a vessel; 0: estimated")
    arguments.add_argument("--json", type=pathlib.Path, help="the figures, for growth.py")
    a = arguments.parse_args()

    a.folder.mkdir(parents=True, exist_ok=True)
    files, vessel_of, truth, touch = break_vessels(a)
    project = a.folder / "project"
    size = ["--object-size", a.size] if a.size > 0 else []
    cost = {"init": run([a.pmtr, "project", "init", project, "--objects", a.vessels, *size, *files])}
    for stage in STAGES:
        options = ["--no-report"] if stage == "solve" else []
        cost[stage] = run([a.pmtr, "project", stage, project, "--threads", a.threads, *options])
        print(f"{stage}: {cost[stage]['seconds']:.1f} s, {cost[stage]['processor']:.1f} s of processor, "
              f"{cost[stage]['mb']:.0f} MB", flush=True)
    result = json.loads((project / "result" / "assembly.json").read_text())

    parts = result["parts"]
    poses = [full(part["world_from_part"]) for part in parts]
    right, separated, joints_of = 0, 0, {}
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
            groups = {parts[i]["component"] for i in own}
            print(f"vessel {vessel} ({a.shapes[vessel % len(a.shapes)]}): {len(best)} of {a.pieces} right in one component "
                  f"of {len(members)} fragments, {len(strangers)} of other vessels; {len(own)} placed in "
                  f"{len(groups)} components")
    joints = [joint for joint in result["joints"] if joint["used"]]
    for band in ("confirmed", "probable"):
        some = [joint for joint in joints if joint["band"] == band]
        apart = sum(1 for joint in some if vessel_of[joint["a"]] != vessel_of[joint["b"]])
        wrong = apart + sum(1 for joint in some if vessel_of[joint["a"]] == vessel_of[joint["b"]] and not agree(
            full(joint["a_from_b"]), product(inverse(truth[joint["a"]]), truth[joint["b"]]),
            parts[joint["b"]]["centre"], 1.0))
        joints_of[band] = {"joints": len(some), "wrong": wrong, "of_two_vessels": apart}
        print(f"joints {band}: {len(some)}, wrong: {wrong}, of them between two vessels: {apart}")
    groups = {part["component"] for part in parts if part["placed"]}
    mixed = sum(1 for group in groups if len({vessel_of[i] for i in range(len(parts)) if parts[i]["placed"] and
                                              parts[i]["component"] == group}) > 1)
    alone = sum(1 for part in parts if not part["placed"])
    print(f"fragments {len(parts)}, right {right} ({100.0 * right / len(parts):.0f} %), components {len(groups)}, "
          f"of several vessels {mixed}, not placed {alone}, vessels separated {separated} of {a.vessels}")
    print(f"seconds {sum(c['seconds'] for c in cost.values()):.0f}, processor "
          f"{sum(c['processor'] for c in cost.values()):.0f}; solve: " +
          ", ".join(f"{stage} {ms / 1e3:.1f}" for stage, ms in result["timing_ms"].items()))
    screening = tell_screening(project, len(parts), touch)
    if a.json:
        a.json.write_text(json.dumps({
            "fragments": len(parts), "vessels": a.vessels, "pieces": a.pieces, "shapes": a.shapes, "threads": a.threads,
            "right": right, "components": len(groups), "mixed": mixed, "alone": alone, "separated": separated,
            "joints": joints_of, "cost": cost, "solve_ms": result["timing_ms"], "screening": screening}, indent=1) + "\n")


if __name__ == "__main__":
    main()
