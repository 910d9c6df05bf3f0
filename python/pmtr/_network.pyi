# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""The extension module with torch (python/src/network_module.cpp)."""

from typing import Any, Callable, Dict, List, Optional, Sequence

from ._geometry import Mesh, Record

Progress = Optional[Callable[[str, int, int], Any]]

class Encoder:
    @property
    def name(self) -> str: ...
    @property
    def trained(self) -> bool: ...
    @property
    def reads_breaks(self) -> bool: ...

def make_encoder(weights: Optional[str], bundled: Optional[str], seed: int, /) -> Encoder: ...
def read_fragments(paths: Sequence[str], /) -> List[Mesh]: ...
def assemble(
    fragments: Sequence[Mesh],
    encoder: Encoder,
    seed: int,
    object_size: Optional[float],
    points: Optional[int],
    place_all: bool,
    only_confirmed: bool,
    exhaustive: bool,
    units: str,
    constraints: Optional[str],
    threads: int,
    callback: Progress,
    /,
) -> Record: ...
def encode(
    encoder: Encoder,
    fragments: Sequence[Mesh],
    object_size: float,
    points: Optional[int],
    seed: int,
    threads: int,
    callback: Progress,
    /,
) -> List[Dict[str, Any]]: ...
def match(
    a: Mesh, b: Mesh, encoder: Encoder, object_size: float, seed: int, threads: int, callback: Progress, /
) -> Dict[str, Any]: ...
def evaluate(
    root: str,
    split: Optional[str],
    min_parts: int,
    max_parts: int,
    limit: Optional[int],
    pairs: bool,
    pose: str,
    place_all: bool,
    seed: int,
    cache: Optional[str],
    encoder: Encoder,
    threads: int,
    callback: Progress,
    /,
) -> Dict[str, Any]: ...
def train(
    config: Optional[str],
    data: str,
    out: str,
    steps: Optional[int],
    seed: Optional[int],
    weights: Optional[str],
    cache: Optional[str],
    resume: bool,
    threads: int,
    callback: Progress,
    /,
) -> Dict[str, Any]: ...
