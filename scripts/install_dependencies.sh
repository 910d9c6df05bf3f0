#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
#
# Installs what pmtr is built with from Debian's own packages. Does nothing, quickly, when all is there.
#   scripts/install_dependencies.sh [--list] [GROUP...]     groups: build test browser bench dev python package slurm; default: build test
set -euo pipefail

declare -A groups=(
  # libtorch works with any BLAS; Debian's reference one is 20 times slower than OpenBLAS.
  [build]="build-essential g++ cmake ninja-build ccache libtorch-dev libopenblas0-pthread libeigen3-dev
           nlohmann-json3-dev libcli11-dev libnanoflann-dev libfmt-dev zlib1g-dev
           libtomlplusplus-dev libgloo-dev libcpp-httplib-dev pkg-config"
  [test]="libgtest-dev libgmock-dev"
  [browser]="chromium nodejs npm"
  [python]="pybind11-dev python3-dev python3-numpy python3-pytest mypy python3-nbclient python3-ipykernel
           python3-torch"
  [package]="dpkg-dev file lintian"
  [slurm]="slurm-wlm munge"
  [bench]="libbenchmark-dev"
  [dev]="clang llvm-14-dev libclang-14-dev libclang-rt-14-dev clang-format clang-tidy ccache"
)

list=no
packages=()
chosen=()
for argument in "$@"; do
  case "$argument" in
    --list) list=yes ;;
    -h | --help) sed -n '5,6s/^# //p' "$0"; exit 0 ;;
    *)
      if [[ -z "${groups[$argument]:-}" ]]; then
        echo "install_dependencies: unknown group '$argument' (build, test, browser, bench, dev, python, package, slurm)" >&2
        exit 2
      fi
      chosen+=("$argument")
      ;;
  esac
done
[[ ${#chosen[@]} -gt 0 ]] || chosen=(build test)
for group in "${chosen[@]}"; do
  for package in ${groups[$group]}; do packages+=("$package"); done
done

if [[ $list == yes ]]; then
  printf '%s\n' "${packages[@]}"
  exit 0
fi

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  {
    echo "install_dependencies: this is not a Debian system. Please install by its own means (Debian names):"
    printf '  %s\n' "${packages[@]}"
    echo "A C++20 compiler, CMake 3.25 and libtorch 1.13 or later are needed; docs/dependencies.md says what for."
    echo "When all is there: make test DEPENDENCIES=no"
  } >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  # Node often comes from somewhere else, and Debian's own would not go beside it.
  case $package in
    nodejs) ! command -v node >/dev/null || continue ;;
    npm) ! command -v npm >/dev/null || continue ;;
  esac
  [[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" == installed ]] || missing+=("$package")
done
[[ ${#missing[@]} -gt 0 ]] || exit 0

as_root=()
if [[ $EUID -ne 0 ]]; then
  if ! command -v sudo >/dev/null; then
    echo "install_dependencies: run as root or install sudo; missing: ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "install_dependencies: installing ${missing[*]}" >&2
install() {
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${missing[@]}"
}
# The package lists may be absent (fresh containers) or too old for the mirror; only then are they fetched.
if ! apt-get install -s --no-install-recommends "${missing[@]}" >/dev/null 2>&1 || ! install; then
  "${as_root[@]}" apt-get update -q
  install
fi
