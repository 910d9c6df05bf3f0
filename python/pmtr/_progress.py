# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""How long work says how far it is."""

from __future__ import annotations

import sys
import time
from typing import Optional

from ._arguments import Progress, ProgressChoice


class TextProgress:
    """A line of text that grows: "coarse search  40% 4/10". Written again at most ten times a second.

    >>> progress = pmtr.TextProgress(sys.stdout)
    >>> progress("encoding", 1, 4)  # doctest: +NORMALIZE_WHITESPACE
    encoding 25% |#####               | 1/4
    """

    def __init__(self, stream: object = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._last = 0.0
        self._width = 0

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = time.monotonic()
        if done < total and now - self._last < 0.1:
            return
        self._last = now
        if total > 0:
            bar = "#" * (20 * done // total)
            line = f"{stage:16} {100 * done // total:3d}% |{bar:20}| {done}/{total}"
        else:
            line = f"{stage:16} {done}"
        print("\r" + line.ljust(self._width), end="", file=self._stream, flush=True)  # type: ignore[call-overload]
        self._width = len(line)


def _in_notebook() -> bool:
    shell = sys.modules.get("IPython")
    if shell is None:
        return False
    running = shell.get_ipython()
    return running is not None and hasattr(running, "kernel")


def choose(callback: ProgressChoice) -> Optional[Progress]:
    """None: text in a notebook, else nothing. True: text. False: nothing."""
    if callback is None:
        return TextProgress() if _in_notebook() else None
    if callback is True:
        return TextProgress()
    if callback is False:
        return None
    if not callable(callback):
        raise TypeError(f"callback: expected a function of (stage, done, total), got {type(callback).__name__}")
    return callback
