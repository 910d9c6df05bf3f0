#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
#
# clang-tidy over the sources of a configured build.   scripts/lint.sh BUILD JOBS [BASE]
# With BASE, only the .cpp files that differ from that commit.
set -euo pipefail
build=$1 jobs=$2 base=${3:-}

if [[ -n $base ]]; then
  mapfile -t files < <(git diff --name-only --diff-filter=d "$base" -- '*.cpp')
else
  mapfile -t files < <(git ls-files '*.cpp')
fi
# Only what this build compiles: a build without the network has no flags for its files.
compiled=()
for file in "${files[@]}"; do
  if grep -qF "\"$PWD/$file\"" "$build/compile_commands.json"; then compiled+=("$file"); fi
done
[[ ${#compiled[@]} -gt 0 ]] || { echo "lint: nothing to look at"; exit 0; }
printf '%s\0' "${compiled[@]}" | xargs -0 -n 1 -P "$jobs" clang-tidy -p "$build" --quiet
