#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
#
# Runs every fuzz target of a build, one after the other.   scripts/fuzz.sh BUILD SECONDS
# What it learns is kept in BUILD/corpus; the seeds in fuzz/seeds are only read.
set -euo pipefail
build=$1 seconds=$2

shopt -s nullglob
targets=("$build"/bin/fuzz_*)
[[ ${#targets[@]} -gt 0 ]] || { echo "fuzz: no targets in $build/bin"; exit 0; }
for target in "${targets[@]}"; do
  [[ -x $target && -f $target ]] || continue
  name=$(basename "$target")
  corpus=$build/corpus/$name
  mkdir -p "$corpus"
  seeds=()
  [[ ! -d fuzz/seeds/${name#fuzz_} ]] || seeds=("fuzz/seeds/${name#fuzz_}")
  echo "fuzz: $name for $seconds s"
  "$target" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
    -artifact_prefix="$build/$name-" "$corpus" "${seeds[@]}"
done
