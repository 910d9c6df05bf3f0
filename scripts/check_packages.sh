#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
#
# Unpacks the Debian packages into an empty folder and runs from there what users would; lintian reads them first.
#   scripts/check_packages.sh FOLDER
set -euo pipefail
folder=$(realpath "$1")
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
cd "$root" # nothing of the build tree is found by accident

shopt -s nullglob
packages=("$folder"/*.deb)
[[ ${#packages[@]} -eq 3 ]] || { echo "check_packages: ${#packages[@]} packages in $folder, not 3" >&2; exit 1; }
for package in "${packages[@]}"; do
  printf '%8d kB  %s\n' $(($(stat -c %s "$package") / 1000)) "$(basename "$package")"
  printf '            needs %s\n' "$(dpkg-deb -f "$package" Depends)"
  if command -v lintian >/dev/null; then lintian --fail-on error "$package"; fi
  # Every package it needs is one that this system has or can get, in a version that will do.
  dpkg-deb -f "$package" Depends | tr ',' '\n' | grep -v '^ *pmtr ' | while read -r need; do
    name=${need%% *}
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) == installed ]] ||
      apt-cache show "$name" >/dev/null 2>&1 || { echo "check_packages: nothing is called $name" >&2; exit 1; }
  done
  dpkg-deb -x "$package" root
done

program=root/usr/bin/pmtr
$program --version
$program assemble root/usr/share/pmtr/examples/bowl/piece_*.ply --object-size 1 --out bowl --no-report
[[ -s bowl/assembly.json ]] || { echo "check_packages: pmtr assembled nothing" >&2; exit 1; }
for page in pmtr pmtr-assemble; do
  zcat "root/usr/share/man/man1/$page.1.gz" | grep -q '^\.SH SYNOPSIS' ||
    { echo "check_packages: no man page $page" >&2; exit 1; }
done
bash -c 'PATH=$PWD/root/usr/bin:$PATH; source root/usr/share/bash-completion/completions/pmtr
  COMP_WORDS=(pmtr asse) COMP_CWORD=1; _pmtr; [[ ${COMPREPLY[*]} == assemble ]]' ||
  { echo "check_packages: completion does not know assemble" >&2; exit 1; }
PYTHONPATH=root/usr/lib/python3/dist-packages /usr/bin/python3 - <<'PYTHON'
import pmtr
assert pmtr.__file__.startswith("/") or pmtr.__file__.startswith("root/"), pmtr.__file__
assembly = pmtr.assemble(pmtr.example("bowl"), object_size=1)
assert all(part.placed for part in assembly.parts), assembly
print(assembly)
PYTHON
PYTHONPATH=root/usr/lib/python3/dist-packages /usr/bin/python3 -m pmtr --version >/dev/null
ls root/usr/lib/*/libpmtr_geometry.a root/usr/include/pmtr/pipeline/assemble_fragments.h >/dev/null
echo "check_packages: all of it runs from an empty folder"
