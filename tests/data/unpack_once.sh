#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
# unpack_once.sh FROM TO: unpacks the archives of FROM into TO unless a whole copy is there already.
set -euo pipefail
[ -e "$2/whole" ] && exit 0
"$1/unpack" "$2"
touch "$2/whole"
