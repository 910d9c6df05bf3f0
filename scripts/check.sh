#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
#
# Runs make targets one after the other, all of them even if one fails, and says at the end how each went and what it
# took: minutes on the clock, and minutes of processor time, which a busy machine changes less.
#   scripts/check.sh TARGET... [NAME=VALUE...]     their output: build/check/TARGET.log; the values go to make
set -uo pipefail
targets=() values=()
for argument in "$@"; do
  if [[ $argument == *=* ]]; then values+=("$argument"); else targets+=("$argument"); fi
done
[[ ${#targets[@]} -gt 0 ]] || { echo "check: no targets given" >&2; exit 2; }
cd "$(dirname "$0")/.."
logs=build/check
mkdir -p "$logs"

table=() failed=0
row() { printf '%-14s %8s %10s  %s\n' "$@"; }
minutes() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }
TIMEFORMAT='%0R %0U %0S'
for target in "${targets[@]}"; do
  echo "check: make $target"
  code=0
  { time "${MAKE:-make}" "$target" ${values[@]+"${values[@]}"} >"$logs/$target.log" 2>&1; } 2>"$logs/$target.time" || code=$?
  result=passed
  if [[ $code -ne 0 ]]; then
    result="FAILED, see $logs/$target.log"
    failed=$((failed + 1))
    tail -n 20 "$logs/$target.log"
  fi
  read -r wall user system <"$logs/$target.time"
  table+=("$(row "$target" "$(minutes "$wall")" "$(minutes $((user + system)))" "$result")")
done

echo
row step min:s processor result
printf '%s\n' "${table[@]}"
[[ $failed -eq 0 ]]
