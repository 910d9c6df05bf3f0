#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
# run.sh NEEDS SCRIPT ARGUMENTS...   runs a node script, or says what is missing and returns 77 (skipped).
# NEEDS is "packages" (of web/) or "browser" (those and Chromium).
needs=$1
shift
here=$(dirname "$0")
if ! command -v node >/dev/null; then
  echo "skipped: there is no node (Debian package nodejs)"
  exit 77
fi
if [ ! -d "$here/../../web/node_modules/playwright-core" ]; then
  echo "skipped: the packages of web/ are not installed (scripts/install_web_packages.sh)"
  exit 77
fi
if [ "$needs" = browser ] && [ ! -x "${PMTR_CHROMIUM:=/usr/bin/chromium}" ]; then
  echo "skipped: there is no $PMTR_CHROMIUM (Debian package chromium)"
  exit 77
fi
export PMTR_CHROMIUM
exec node "$@"
