#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
#
# Runs every fuzz target of a build, one after the other, or those that are named.
#   scripts/fuzz.sh BUILD SECONDS [TARGET...]           scripts/fuzz.sh build/fuzz 60 fuzz_ply
#   scripts/fuzz.sh BUILD keep [TARGET...]              adds what was learnt and is small to fuzz/seeds
# What it learns is kept in BUILD/corpus; the seeds in fuzz/seeds are replayed first and only read, but by `keep`.
# fuzz/dictionaries/NAME.dict has words that fuzz_NAME needs.
set -euo pipefail
build=$1 seconds=$2
shift 2
largest_seed=4096    # bytes of an input that `keep` takes over
most_seeds=60        # inputs of a target that it keeps, the smallest first

shopt -s nullglob
targets=("$@")
[[ ${#targets[@]} -gt 0 ]] || for path in "$build"/bin/fuzz_*; do
  [[ ! -x $path || ! -f $path ]] || targets+=("$(basename "$path")")
done
[[ ${#targets[@]} -gt 0 ]] || { echo "fuzz: no targets in $build/bin"; exit 0; }
for name in "${targets[@]}"; do
  target=$build/bin/$name corpus=$build/corpus/$name own=fuzz/seeds/${name#fuzz_}
  mkdir -p "$corpus"
  seeds=()
  [[ ! -d $own ]] || seeds=("$own")
  if [[ $seconds == keep ]]; then
    # Of what reaches the same code the smallest. Seeds that people made stay: they have names.
    rm -rf "$build/merged" && mkdir -p "$build/merged"
    "$target" -merge=1 -timeout=10 -rss_limit_mb=2048 "$build/merged" "${seeds[@]}" "$corpus" 2> "$build/$name.merge"
    mkdir -p "$own"
    find "$build/merged" -type f -size -$((largest_seed + 1))c -printf '%s %f\n' | sort -n | head -n $most_seeds |
      while read -r _ file; do
        grep -qlF -- "$file" <(sha1sum "$own"/* 2>/dev/null) || cp "$build/merged/$file" "$own/"
      done
    continue
  fi
  words=()
  [[ ! -f fuzz/dictionaries/${name#fuzz_}.dict ]] || words=("-dict=fuzz/dictionaries/${name#fuzz_}.dict")
  echo "fuzz: $name for $seconds s"
  "$target" -max_total_time="$seconds" -rss_limit_mb=2048 -timeout=10 -print_final_stats=1 \
    -artifact_prefix="$build/$name-" "${words[@]}" "$corpus" "${seeds[@]}"
done
