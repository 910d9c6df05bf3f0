#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
#
# Runs make targets one after the other, all of them even if one fails, and says at the end how each went.
#   scripts/check.sh TARGET...     their output: build/check/TARGET.log
set -uo pipefail
[[ $# -gt 0 ]] || { echo "check: no targets given" >&2; exit 2; }
cd "$(dirname "$0")/.."
logs=build/check
mkdir -p "$logs"

table=() failed=0
row() { printf '%-14s %8s  %s\n' "$@"; }
for target in "$@"; do
  echo "check: make $target"
  start=$(date +%s)
  if "${MAKE:-make}" "$target" >"$logs/$target.log" 2>&1; then
    result=passed
  else
    result="FAILED, see $logs/$target.log"
    failed=$((failed + 1))
    tail -n 20 "$logs/$target.log"
  fi
  taken=$(($(date +%s) - start))
  table+=("$(row "$target" "$((taken / 60)):$(printf %02d $((taken % 60)))" "$result")")
done

echo
row step min:s result
printf '%s\n' "${table[@]}"
[[ $failed -eq 0 ]]
