#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""compare_weights.py A B START: fails unless A and B differ by less than 2 % of what A has moved from START.

Adam divides by the size of the gradient, so where a gradient is nothing but rounding the weights go their own ways.
"""

import array
import json
import math
import sys


def weights(path):
    with open(path, "rb") as file:
        content = file.read()
    size = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + size])
    result = {}
    for name, entry in header.items():
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        begin, end = entry["data_offsets"]
        result[name] = array.array("f", content[8 + size + begin : 8 + size + end])
    return result


first, second, start = (weights(path) for path in sys.argv[1:4])
assert first.keys() == second.keys() == start.keys() and first
difference = movement = 0.0
for name, values in first.items():
    difference += sum((x - y) ** 2 for x, y in zip(values, second[name], strict=True))
    movement += sum((x - z) ** 2 for x, z in zip(values, start[name], strict=True))
share = math.sqrt(difference / movement)
print(f"difference of the weights: {share:.2g} of what they moved")
sys.exit(0 if share < 0.02 else 1)
