#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""Gives `pmtr assemble` meshes at their worst, with the released weights and with untrained ones.

strange_meshes.py PROGRAM COUNT [SEED=1]

Fails where it crashes, takes more than a minute, refuses without a sentence, or writes what is not a number. The kinds
are those of tests/support/strange_mesh.h. Standard library alone.
"""
import collections
import json
import math
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

KINDS = ["lump", "open", "crowded_edges", "flat_faces", "doubled", "crosses_itself", "inside_out", "in_parts",
         "one_triangle", "one_point", "on_a_line", "tiny", "huge", "far_away", "needles", "points_only"]


def lump(rng):
    """A closed lump with a rough surface: rings around an axis, with radii that are drawn."""
    rings, around = rng.randint(3, 10), rng.randint(4, 15)
    vertices = []

    def at(latitude, longitude):
        r = rng.uniform(0.6, 1.0)
        vertices.append([r * math.sin(latitude) * math.cos(longitude), r * math.sin(latitude) * math.sin(longitude),
                         r * math.cos(latitude)])

    at(0, 0)
    for i in range(rings):
        for j in range(around):
            at(math.pi * (i + 1) / (rings + 1), 2 * math.pi * j / around)
    at(math.pi, 0)
    last, faces = rings * around + 1, []
    for j in range(around):
        k = (j + 1) % around
        faces += [[0, 1 + j, 1 + k], [last, last - around + k, last - around + j]]
        for i in range(rings - 1):
            a, b = 1 + i * around, 1 + (i + 1) * around
            faces += [[a + j, b + j, b + k], [a + j, b + k, a + k]]
    return vertices, faces


def append(mesh, other, x):
    first = len(mesh[0])
    mesh[0].extend([v[0] + x, v[1], v[2]] for v in other[0])
    mesh[1].extend([i + first for i in face] for face in other[1])


def strange(kind, rng):
    mesh = vertices, faces = lump(rng)
    some = lambda: rng.randrange(len(vertices))
    if kind == "open":
        del faces[:rng.randrange(len(faces))]
    elif kind == "crowded_edges":
        faces += [rng.choice(faces)[:2] + [some()] for _ in range(20)]
    elif kind == "flat_faces":
        faces += [[a, a, rng.choice([a, some()])] for a in (some() for _ in range(40))]
    elif kind == "doubled":
        append(mesh, ([*vertices], [*faces]), 0.0)
    elif kind == "crosses_itself":
        append(mesh, lump(rng), 0.5)
    elif kind == "inside_out":
        faces[:] = [[a, c, b] for a, b, c in faces]
    elif kind == "in_parts":
        for i in range(1, 4):
            append(mesh, lump(rng), 3.0 * i)
    elif kind == "one_triangle":
        del vertices[3:]
        faces[:] = [[0, 1, 2]]
    elif kind == "one_point":
        vertices[:] = [vertices[0]] * len(vertices)
    elif kind == "on_a_line":
        vertices[:] = [[v[0], 0.0, 0.0] for v in vertices]
    elif kind in ("tiny", "huge"):
        scale = 1e-30 if kind == "tiny" else 1e30
        vertices[:] = [[c * scale for c in v] for v in vertices]
    elif kind == "far_away":
        vertices[:] = [[v[0] + 5e6, v[1] - 3e7, v[2] + 2e5] for v in vertices]
    elif kind == "needles":
        vertices[:] = [[v[0], v[1], v[2] * 1e-9] for v in vertices]
    elif kind == "points_only":
        faces.clear()
    return mesh


def write(path, mesh):
    vertices, faces = mesh
    lines = ["ply", "format ascii 1.0", f"element vertex {len(vertices)}", "property double x", "property double y",
             "property double z", f"element face {len(faces)}", "property list uchar int vertex_indices", "end_header"]
    lines += [" ".join(repr(c) for c in v) for v in vertices]
    lines += [f"3 {a} {b} {c}" for a, b, c in faces]
    path.write_text("\n".join(lines) + "\n")


def no_constant(word):
    raise ValueError(f"assembly.json has {word}")


def check_results(folder):
    json.loads((folder / "assembly.json").read_text(), parse_constant=no_constant)
    for name in ("matrices.csv", "assembly.mlp"):
        text = (folder / name).read_text()
        assert not re.search(r"(?<![A-Za-z_])-?(nan|inf)(?![A-Za-z_])", text, re.IGNORECASE), f"{name}: {text}"


def main():
    program, count = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    codes, refusals, longest, faults = collections.Counter(), collections.Counter(), 0.0, []
    for i in range(count):
        rng = random.Random(seed * 100000 + i)
        mixed = i % 2 == 1
        kinds = [rng.choice(KINDS) if mixed else KINDS[i // 2 % len(KINDS)] for _ in range(rng.randint(2, 4))]
        weights = ["--weights", "none"] if i % 3 == 2 else []
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            files = []
            for number, kind in enumerate(kinds):
                files.append(folder / f"{number}_{kind}.ply")
                write(files[-1], strange(kind, rng))
            begin = time.monotonic()
            try:
                done = subprocess.run([program, "assemble", *map(str, files), *weights, "--threads", "1", "--light", "-o",
                                       name + "/out"], capture_output=True, text=True, timeout=300)
            except subprocess.TimeoutExpired:
                faults.append(f"{i} {kinds} {weights}: not done after 300 s")
                continue
            seconds = time.monotonic() - begin
            longest = max(longest, seconds)
            codes[done.returncode] += 1
            where = f"{i} {kinds} {weights}"
            if done.returncode not in (0, 3, 4):
                faults.append(f"{where}: ended with {done.returncode}: {done.stderr[-300:]}")
            elif seconds > 60:
                faults.append(f"{where}: {seconds:.0f} s")
            elif done.returncode == 3:
                sentence = re.search(r"^pmtr: error: (.+)$", done.stderr, re.MULTILINE)
                if sentence:
                    refusals[re.sub(r"\S*/", "", sentence[1])[:90]] += 1
                else:
                    faults.append(f"{where}: refused without a sentence")
            else:
                try:
                    check_results(folder / "out")
                except (AssertionError, ValueError, OSError) as error:
                    faults.append(f"{where}: {error}")
    print(f"strange meshes: {count} runs from seed {seed}, by exit code {dict(codes)}, the longest {longest:.1f} s")
    for sentence, times in refusals.most_common(12):
        print(f"  {times} x {sentence}")
    for fault in faults:
        print("FAULT", fault)
    sys.exit(1 if faults or not codes[0] + codes[4] else 0)


if __name__ == "__main__":
    main()
