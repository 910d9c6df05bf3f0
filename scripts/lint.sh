#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
#
# clang-tidy over the sources of a configured build, with the seconds that each took.
#   scripts/lint.sh BUILD JOBS [BASE]       with BASE, only what is compiled with a .cpp file that differs from that
#                                           commit
set -euo pipefail
build=$1 jobs=$2 base=${3:-}

# What g++ alone knows.
sed -i -E 's/ (-Wno-subobject-linkage|--param=[a-z-]+=[0-9]+)//g' "$build/compile_commands.json"
# What is compiled together is looked at together: torch's headers cost more than our code, and are read once per
# folder instead of once per file. clang's analyser follows .cpp files that the compiled one includes.
mapfile -t compiled < <(sed -n 's/^ *"file": "\(.*\)",\?$/\1/p' "$build/compile_commands.json" | grep -v '/web_bundle' | sort -u)
if [[ -n $base ]]; then
  changed=$(git diff --name-only --diff-filter=d "$base" -- '*.cpp' | sed "s|^|$PWD/|")
  [[ -n $changed ]] || { echo "lint: nothing to look at"; exit 0; }
  kept=()
  for file in "${compiled[@]}"; do
    if grep -qxF "$file" <<<"$changed" || { [[ $file == *_cxx.cxx ]] && grep -qF "$changed" "$file"; }; then
      kept+=("$file")
    fi
  done
  compiled=("${kept[@]}")
fi
[[ ${#compiled[@]} -gt 0 ]] || { echo "lint: nothing to look at"; exit 0; }

# Without the plugin the same checks walk through all headers of others too: 27 instead of 13 s of processor time for
# pose/search_pairs.cpp, of which the static analyser takes 7 with or without it.
version=$(clang-tidy --version | sed -n 's/.*LLVM version \([0-9]*\).*/\1/p')
plugin=$build/own_code.so
if [[ ! $plugin -nt tools/lint/own_code.cpp ]]; then
  clang++ -std=c++17 -O1 -fno-rtti -fPIC -shared -isystem "/usr/lib/llvm-$version/include" \
    tools/lint/own_code.cpp -o "$plugin"
fi

tidy() {
  local start=$SECONDS code=0
  clang-tidy -load "$plugin" -p "$build" --quiet --extra-arg="-include$PWD/tools/lint/vector_of_incomplete.h" \
    "$1" 2> >(grep -v 'warnings\? generated' >&2) || code=$?
  echo "lint: $((SECONDS - start)) s $1"
  return "$code"
}
export -f tidy
export plugin build
printf '%s\0' "${compiled[@]}" | xargs -0 -n 1 -P "$jobs" bash -c 'tidy "$1"' tidy
