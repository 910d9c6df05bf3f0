#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
#
# Puts the first example back together.   scripts/demo.sh PMTR
set -euo pipefail
pmtr=$1

"$pmtr" doctor
shopt -s nullglob
for example in examples/*/; do
  fragments=("$example"*.{obj,ply,stl,off,glb})
  [[ ${#fragments[@]} -ge 2 ]] || continue
  out=out/demo/$(basename "$example")
  mkdir -p "$out"
  "$pmtr" assemble "${fragments[@]}" --out "$out"
  echo "The result is in $out"
  exit 0
done
echo "There are no fragments in examples/ yet, so there is nothing to assemble."
