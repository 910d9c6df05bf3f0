# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""What pmtr raises and how it speaks; the extension modules call this too."""

from __future__ import annotations


class InputError(ValueError):
    """A file, an array or a folder that cannot be used.

    ``str()`` says where and why. The parts are there too: ``cause`` (one word, such as "truncated"), ``file``,
    ``line`` (from 1) and ``byte``, each None where it is not known.

    >>> try:
    ...     pmtr.read_mesh("/no/such/file.ply")
    ... except pmtr.InputError as error:
    ...     print(error.cause, error.file)
    unreadable /no/such/file.ply
    """

    def __init__(
        self,
        message: str,
        cause: str = "malformed",
        file: str | None = None,
        line: int | None = None,
        byte: int | None = None,
    ) -> None:
        super().__init__(message)
        self.cause = cause
        self.file = file
        self.line = line
        self.byte = byte

    def __reduce__(self) -> tuple[type, tuple[object, ...]]:
        return type(self), (str(self), self.cause, self.file, self.line, self.byte)


class InputWarning(UserWarning):
    """Something about the input is off, and the work goes on: a texture is missing, a surface was inside out.

    >>> import warnings
    >>> warnings.simplefilter("ignore", pmtr.InputWarning)
    """


class InternalError(RuntimeError):
    """A mistake of pmtr itself. Please report it, with what led to it.

    >>> issubclass(pmtr.InternalError, RuntimeError)
    True
    """


def warn(message: str) -> None:
    import warnings

    warnings.warn(message, InputWarning, stacklevel=3)


def note(message: str) -> None:
    import logging

    logging.getLogger("pmtr").info("%s", message)
