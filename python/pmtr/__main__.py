# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""``python3 -m pmtr`` is the command line: everything that ``pmtr`` does."""

from __future__ import annotations

import os
import shutil
import sys

from ._paths import command


def main() -> int:
    beside = command()
    program = shutil.which("pmtr") if beside is None else str(beside)
    if program is None:
        print("pmtr: error: the program pmtr is not installed beside this module", file=sys.stderr)
        return 1
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
