#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""Writes left.ply, right.ply and truth.json beside itself: a painted slab, broken in two along a rough surface.

The slab is the image of a cube under a smooth map. The break is a rough height field across that cube; both pieces
end in its very same vertices, seen from opposite sides. Only + - * / and square roots are used, which IEEE rounds
the same everywhere, so the files come out the same on every machine."""
import json
import math
import pathlib
import struct

SIZE = (120.0, 80.0, 25.0)  # mm
CELLS = (24, 50, 16)  # of each piece: from its end to the break, and across


def lattice(*cell):
    """A number in [-1, 1) for each lattice point: a hash, so that no library's random numbers matter."""
    h = 2166136261
    for c in cell:
        h = ((h ^ (c & 0xFFFFFFFF)) * 16777619) & 0xFFFFFFFF
        h ^= h >> 15
    h = (h * 2246822519) & 0xFFFFFFFF
    return ((h ^ (h >> 13)) & 0xFFFFFF) / 0x800000 - 1.0


def noise(point, step, seed):
    """Smooth noise in [-1, 1] whose bumps are `step` wide."""
    low = [math.floor(p / step) for p in point]
    part = [p / step - l for p, l in zip(point, low)]
    part = [t * t * (3 - 2 * t) for t in part]
    total = 0.0
    for corner in range(1 << len(low)):
        bits = [corner >> k & 1 for k in range(len(low))]
        weight = 1.0
        for t, bit in zip(part, bits):
            weight *= t if bit else 1 - t
        total += weight * lattice(seed, *(l + bit for l, bit in zip(low, bits)))
    return total


def break_at(v, w):
    """Where the break crosses the cube, from -1 to 1: rough at every scale from 40 mm to 2.5 mm."""
    y, z = v * SIZE[1] / 2, w * SIZE[2] / 2
    x = 5 * v - 2 * w + sum(0.17 * step * noise((y, z), step, 7) for step in (40.0, 20.0, 10.0, 5.0, 2.5))
    return x / (SIZE[0] / 2)


def place(u, v, w):
    """A point of the cube as a point of the slab, in mm: edges rounded, surface slightly bumpy."""
    k = 0.45  # 0 would leave the box as it is, 1 would make it an ellipsoid
    round_u = u * math.sqrt(1 - k * (v * v + w * w) / 2 + k * k * v * v * w * w / 3)
    round_v = v * math.sqrt(1 - k * (u * u + w * w) / 2 + k * k * u * u * w * w / 3)
    round_w = w * math.sqrt(1 - k * (u * u + v * v) / 2 + k * k * u * u * v * v / 3)
    point = [p * size / 2 for p, size in zip((round_u, round_v, round_w), SIZE)]
    near = max(u * u, v * v, w * w)  # 1 at the surface
    swell = 1 + 0.03 * near * near * near * noise(point, 14.0, 3)
    return [p * swell for p in point]


def paint(u, v, w, outside):
    """Rings and a border in dark red on clay; bare clay where it broke."""
    x, y, _ = place(u, v, w)
    grain = 8 * noise((x, y, 40 * w), 3.0, 5)
    radius = math.sqrt((x + 12) * (x + 12) + (y - 6) * (y - 6))
    painted = outside and abs(w) == 1 and (radius % 16 < 5 or max(abs(u), abs(v)) > 0.86)
    base = (122, 40, 32) if painted else (196, 150, 108) if outside else (214, 176, 140)
    return [int(max(0, min(255, c + grain))) for c in base]


def piece(end):
    """The closed surface between the cube's side u = end (-1 or 1) and the break: vertices, colours, triangles."""
    index, vertices, colours, triangles = {}, [], [], []

    def vertex(i, j, k):
        if (i, j, k) not in index:
            v, w = 2 * j / CELLS[1] - 1, 2 * k / CELLS[2] - 1
            u = end + (break_at(v, w) - end) * i / CELLS[0]
            index[i, j, k] = len(vertices)
            vertices.append(place(u, v, w))
            colours.append(paint(u, v, w, i < CELLS[0] or abs(v) == 1 or abs(w) == 1))
        return index[i, j, k]

    for axis in range(3):  # the two faces across each axis, as grids
        a, b = (axis + 1) % 3, (axis + 2) % 3
        for side in (0, CELLS[axis]):
            turned = (side == 0) != (end > 0)
            for p in range(CELLS[a]):
                for q in range(CELLS[b]):
                    quad = []
                    for dp, dq in ((0, 0), (1, 0), (1, 1), (0, 1)):
                        at = [0, 0, 0]
                        at[axis], at[a], at[b] = side, p + dp, q + dq
                        quad.append(vertex(*at))
                    for t in ((0, 1, 2), (0, 2, 3)):
                        corners = [quad[n] for n in t]
                        triangles.append(corners[::-1] if turned else corners)
    return vertices, colours, triangles


def write_ply(path, vertices, colours, triangles):
    header = ["ply", "format binary_little_endian 1.0", "comment units mm", f"element vertex {len(vertices)}"]
    header += [f"property float {name}" for name in "xyz"]
    header += [f"property uchar {name}" for name in ("red", "green", "blue")]
    header += [f"element face {len(triangles)}", "property list uchar int vertex_indices", "end_header", ""]
    data = b"".join(struct.pack("<3f3B", *p, *c) for p, c in zip(vertices, colours))
    data += b"".join(struct.pack("<B3i", 3, *t) for t in triangles)
    path.write_bytes("\n".join(header).encode() + data)


def main():
    folder = pathlib.Path(__file__).resolve().parent
    w, x, y, z = (c / math.sqrt(39) for c in (2.0, -3.0, 1.0, 5.0))  # a unit quaternion
    rotation = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    translation = [37.0, -64.0, 110.0]
    write_ply(folder / "left.ply", *piece(-1.0))
    vertices, colours, triangles = piece(1.0)
    # right = rotation^T (left - translation), so that left = rotation right + translation
    away = [[sum(rotation[r][c] * (p[r] - translation[r]) for r in range(3)) for c in range(3)] for p in vertices]
    write_ply(folder / "right.ply", away, colours, triangles)
    pose = [row + [t] for row, t in zip(rotation, translation)] + [[0.0, 0.0, 0.0, 1.0]]
    (folder / "truth.json").write_text(json.dumps({"units": "mm", "left_from_right": pose}, indent=2) + "\n")


if __name__ == "__main__":
    main()
