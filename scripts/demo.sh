#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
#
# Puts the slab of examples/ back together.   scripts/demo.sh PMTR
set -euo pipefail
pmtr=$(realpath "${1:?give the program: scripts/demo.sh build/release/bin/pmtr}")
cd "$(dirname "$0")/.."
out=build/demo

"$pmtr" doctor
"$pmtr" info examples/slab/left.ply
"$pmtr" info examples/slab/right.ply
mkdir -p "$out"
code=0
"$pmtr" assemble examples/slab/left.ply examples/slab/right.ply \
  --seed 1 --units mm --object-size 120 --out "$out" || code=$?

nothing_assembled=4 # an expected end while the network knows nothing
case $code in
  0) echo "The results are in $out:" && ls "$out" ;;
  "$nothing_assembled") echo "pmtr could not place any piece; what it found is in $out:" && ls "$out" ;;
  *) exit "$code" ;;
esac
echo "There are no trained weights yet: the network is untrained, so the pose means nothing for now."
echo "The true pose is in examples/slab/truth.json."
