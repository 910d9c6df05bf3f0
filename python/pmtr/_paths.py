# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""Where the weights, the examples and the command are."""

from __future__ import annotations

import os
from pathlib import Path
from typing import List, Optional

from . import _build
from ._arguments import text

_HERE = Path(os.path.abspath(__file__)).parent


def _find(folders: "tuple[str, ...]", name: str) -> Optional[Path]:
    for folder in folders:
        candidate = Path(os.path.normpath(_HERE / folder / name))
        if candidate.exists():
            return candidate
    return None


def bundled_weights() -> Optional[Path]:
    return _find(_build.SHARE, os.path.join("models", _build.WEIGHTS))


def command() -> Optional[Path]:
    return _find(_build.BIN, "pmtr")


def example(name: str = "bowl") -> List[Path]:
    """The fragments of an object that comes with pmtr.

    >>> [path.name for path in pmtr.example("bowl")]
    ['piece_0.ply', 'piece_1.ply', 'piece_2.ply', 'piece_3.ply', 'piece_4.ply']
    """
    folder = _find(_build.SHARE, os.path.join("examples", os.path.basename(text("name", name))))
    if folder is None or not name:
        raise ValueError(f"name: there is no example {name!r} in this installation")
    return sorted(path for path in folder.iterdir() if path.suffix == ".ply")
