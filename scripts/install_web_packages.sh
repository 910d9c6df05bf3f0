#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
#
# Installs the packages of web/ (TypeScript, esbuild, three.js, playwright-core) as package-lock.json names them, for
# the browser tests and for building the viewer anew. Building pmtr does not need them. Does nothing when they are
# there; where they cannot be had, says so and lets the tests be skipped.
set -euo pipefail
cd "$(dirname "$0")/../web"
if ! command -v npm >/dev/null; then
  echo "install_web_packages: no npm; the browser tests will be skipped" >&2
  exit 0
fi
[[ ! -f node_modules/.package-lock.json || package-lock.json -nt node_modules/.package-lock.json ]] || exit 0
npm ci --no-audit --no-fund --ignore-scripts >&2 ||
  echo "install_web_packages: npm ci failed; the browser tests will be skipped" >&2
