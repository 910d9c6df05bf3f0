# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""Arguments as people give them: what does not fit is a TypeError or ValueError that says what was expected."""

from __future__ import annotations

import operator
import os
from typing import TYPE_CHECKING, Any, Callable, Optional, Union

if TYPE_CHECKING:
    import numpy as np

PathLike = Union[str, "os.PathLike[str]"]
Progress = Callable[[str, int, int], Any]
ProgressChoice = Union[Progress, bool, None]

MOST_INT = 2**31 - 1
MOST_SEED = 2**64 - 1


def whole(name: str, value: object, low: int, high: int) -> int:
    if isinstance(value, bool):
        raise TypeError(f"{name}: expected a whole number, got bool")
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name}: expected a whole number, got {type(value).__name__}") from None
    if not low <= number <= high:
        raise ValueError(f"{name}: expected a whole number from {low} to {high}, got {number}")
    return number


def seed_number(value: object) -> int:
    return whole("seed", value, 0, MOST_SEED)


def number(name: str, value: object, low: float, high: float = float("inf")) -> float:
    """From low to high, both included."""
    if isinstance(value, bool) or not hasattr(value, "__float__") or isinstance(value, str):
        raise TypeError(f"{name}: expected a number, got {type(value).__name__}")
    try:
        found = float(value)
    except TypeError:
        raise TypeError(f"{name}: expected a number, got {type(value).__name__}") from None
    if not low <= found <= high or found == float("inf"):
        raise ValueError(f"{name}: expected a number from {low} to {high}, got {found}")
    return found


def positive(name: str, value: object) -> float:
    found = number(name, value, 0.0)
    if found == 0.0:
        raise ValueError(f"{name}: expected a positive number, got {found}")
    return found


def flag(name: str, value: object) -> bool:
    if not isinstance(value, bool) and type(value).__name__ not in ("bool_", "bool"):
        raise TypeError(f"{name}: expected True or False, got {type(value).__name__}")
    return bool(value)


def text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected a str, got {type(value).__name__}")
    return value


def file_path(name: str, value: object) -> str:
    if isinstance(value, bytes) or not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name}: expected a path (str or os.PathLike), got {type(value).__name__}")
    path = os.fspath(value)
    if not isinstance(path, str):
        raise TypeError(f"{name}: expected a path of str, got one of {type(path).__name__}")
    if "\0" in path:
        raise ValueError(f"{name}: a path holds no null character")
    return path


def optional_path(name: str, value: object) -> Optional[str]:
    return None if value is None else file_path(name, value)


def thread_count(value: object) -> int:
    """None: all cores."""
    if value is None:
        return max(1, os.cpu_count() or 1)
    return whole("threads", value, 1, 4096)


def pose(name: str, value: Any) -> "np.ndarray[Any, Any]":
    """Poses come from lists and integers as well; 16 numbers may be copied."""
    import numpy as np

    try:
        return np.ascontiguousarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected a 4x4 matrix, got {type(value).__name__}") from None
