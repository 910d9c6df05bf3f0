#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
#
# Puts the bowl of examples/ back together.   scripts/demo.sh PMTR
set -euo pipefail
pmtr=$(realpath "${1:?give the program: scripts/demo.sh build/release/bin/pmtr}")
cd "$(dirname "$0")/.."
out=build/demo

"$pmtr" doctor
rm -rf "$out"
"$pmtr" assemble examples/bowl/piece_*.ply --object-size 1 --out "$out"
echo "The pieces at their places and everything about them are in $out:"
ls "$out"
echo "The true poses are in examples/bowl/object.json."
echo "To look at the bowl, open this file in a browser:"
echo "  $PWD/$out/report.html"
