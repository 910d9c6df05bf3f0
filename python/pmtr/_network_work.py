# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""What needs the network. torch is loaded by the first call, not by ``import pmtr``."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Union

from . import _geometry
from ._arguments import (
    MOST_INT,
    PathLike,
    ProgressChoice,
    file_path,
    flag,
    optional_path,
    positive,
    seed_number,
    text,
    thread_count,
    whole,
)
from ._assembly import Assembly
from ._broken import Dataset, Scattered
from ._mesh import Mesh, MeshLike, as_mesh, mesh_list
from ._paths import bundled_weights
from ._poses import Surface
from ._progress import choose

if TYPE_CHECKING:
    import numpy as np

    from . import _network

    Array = np.ndarray[Any, Any]


def _load() -> Any:
    try:
        from . import _network
    except ImportError as error:
        raise ImportError(f"pmtr was built without its network, or torch is missing: {error}") from error
    return _network


@dataclass(frozen=True, repr=False)
class Features:
    """What the network says of a fragment.

    ``points`` and ``normals`` lie on its surface; ``broken`` is how surely each point lies on a break, 0 to 1, None
    where the network does not tell. ``feature_points`` have features: rows of ``as_source`` and ``as_target``, no rows
    where features depend on the partner. ``surface`` is ready for search_poses().

    >>> features[0].points.shape == features[0].normals.shape
    True
    """

    points: "Array"
    normals: "Array"
    broken: "Optional[Array]"
    feature_points: "Array"
    as_source: "Array"
    as_target: "Array"
    surface: Surface

    def __repr__(self) -> str:
        return f"<pmtr.Features: {len(self.points)} points, {len(self.feature_points)} with features>"


class Encoder:
    """The network with its weights: those that come with pmtr, a safetensors file, or "none" for untrained ones.

    Loading takes a moment, so make one and hand it to many calls; threads may share it.

    >>> encoder.name, encoder.trained
    ('pmtr-2b.safetensors', True)
    """

    _core: "_network.Encoder"

    def __init__(self, weights: Optional[PathLike] = None, seed: int = 0) -> None:
        chosen = optional_path("weights", weights)
        bundled = bundled_weights()
        self._core = _load().make_encoder(chosen, None if bundled is None else str(bundled), seed_number(seed))

    @property
    def name(self) -> str:
        """Of the weights, for results.

        >>> encoder.name
        'pmtr-2b.safetensors'
        """
        return self._core.name

    @property
    def trained(self) -> bool:
        """Whether poses mean anything.

        >>> encoder.trained
        True
        """
        return self._core.trained

    def encode(
        self,
        fragments: Iterable[MeshLike],
        *,
        object_size: Optional[float] = None,
        points: Optional[int] = None,
        seed: int = 0,
        threads: Optional[int] = None,
        callback: ProgressChoice = None,
    ) -> List[Features]:
        """What the network says of the fragments of one object, each without knowing the others.

        >>> encoder.encode(scattered.pieces[:1], object_size=1.0, points=1000)[0].points.shape[1]
        3
        """
        meshes = mesh_list(fragments, "fragments")
        found = _load().encode(
            self._core,
            [mesh._core for mesh in meshes],
            0.0 if object_size is None else positive("object_size", object_size),
            None if points is None else whole("points", points, 1, 100_000_000),
            seed_number(seed),
            thread_count(threads),
            choose(callback),
        )
        for entry in found:
            entry["surface"] = Surface._of(entry["surface"])
        return [Features(**entry) for entry in found]

    def __repr__(self) -> str:
        return f"<pmtr.Encoder {self.name!r}>"


EncoderChoice = Union[Encoder, PathLike, None]


def _encoder(value: EncoderChoice, seed: int) -> Any:
    if isinstance(value, Encoder):
        return value._core
    if value is not None and not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"encoder: expected a pmtr.Encoder or a file of weights, got {type(value).__name__}")
    return Encoder(value, seed)._core


def assemble(
    fragments: Iterable[MeshLike],
    *,
    encoder: EncoderChoice = None,
    seed: int = 0,
    object_size: Optional[float] = None,
    points: Optional[int] = None,
    place_all: bool = False,
    only_confirmed: bool = False,
    exhaustive: bool = False,
    units: str = "",
    constraints: Optional[PathLike] = None,
    threads: Optional[int] = None,
    callback: ProgressChoice = None,
) -> Assembly:
    """Puts fragments back together: meshes, paths, or anything that holds a mesh (as_mesh).

    The same files and options give the same bits as ``pmtr assemble``. ``object_size`` is the longest side of the
    whole object, if it is known; ``encoder`` an Encoder or a file of weights; ``callback`` hears (stage, done, total),
    stops the work by raising, and is text by default in notebooks. Ctrl-C stops the work too.

    >>> pmtr.assemble(pmtr.example("bowl"), encoder=encoder)
    <pmtr.Assembly: 5 of 5 fragments placed, ... joints>
    """
    number = seed_number(seed)
    if isinstance(fragments, (str, bytes, os.PathLike, Mesh)) or not hasattr(fragments, "__iter__"):
        raise TypeError(f"fragments: expected a list of meshes or paths, got {type(fragments).__name__}")
    given = list(fragments)
    request = (
        number,
        None if object_size is None else positive("object_size", object_size),
        None if points is None else whole("points", points, 1, 100_000_000),
        flag("place_all", place_all),
        flag("only_confirmed", only_confirmed),
        flag("exhaustive", exhaustive),
        text("units", units),
        optional_path("constraints", constraints),
        thread_count(threads),
        choose(callback),
    )
    cores: List[_geometry.Mesh]
    if given and all(isinstance(each, (str, os.PathLike)) for each in given):
        cores = _load().read_fragments([file_path("fragments", each) for each in given])
    else:
        cores = [mesh._core for mesh in mesh_list(given, "fragments")]
    return Assembly(_load().assemble(cores, _encoder(encoder, number), *request))


@dataclass(frozen=True, repr=False)
class Matches:
    """Points of two fragments that should touch: row i of ``points_a`` and row i of ``points_b``, each in the
    coordinates of its fragment, with scores from 0 to 1; and the 4x4 poses that many of them agree on, best first.

    >>> matches.points_a.shape == matches.points_b.shape
    True
    """

    points_a: "Array"
    points_b: "Array"
    scores: "Array"
    poses: "List[Array]"

    @property
    def a_from_b(self) -> "Optional[Array]":
        """The best of the poses, or None.

        >>> matches.a_from_b.shape
        (4, 4)
        """
        return self.poses[0] if self.poses else None

    def __repr__(self) -> str:
        return f"<pmtr.Matches: {len(self.points_a)} points, {len(self.poses)} poses>"


def match(
    a: MeshLike,
    b: MeshLike,
    *,
    encoder: EncoderChoice = None,
    object_size: Optional[float] = None,
    seed: int = 0,
    threads: Optional[int] = None,
    callback: ProgressChoice = None,
) -> Matches:
    """Matches two fragments by the network alone, as the paper does.

    >>> matches = pmtr.match(*pmtr.example("bowl")[:2], encoder=encoder)
    >>> len(matches.scores) > 0
    True
    """
    found = _load().match(
        as_mesh(a, "a")._core,
        as_mesh(b, "b")._core,
        _encoder(encoder, seed_number(seed)),
        0.0 if object_size is None else positive("object_size", object_size),
        seed_number(seed),
        thread_count(threads),
        choose(callback),
    )
    return Matches(**found)


class Scores(Dict[str, Any]):
    """How near an assembly is to the truth: a dict, with the measures of docs/evaluate.md by name.

    >>> pmtr.Scores(rot_deg=1.0, trans=0.01, placed=1.0, complete=True)
    <pmtr.Scores: complete, rotation off by 1.00 degrees, translation by 0.0100>
    """

    def __repr__(self) -> str:
        word = "complete" if self["complete"] else f"{100 * self['placed']:.0f} % placed, not complete"
        return (
            f"<pmtr.Scores: {word}, rotation off by {self['rot_deg']:.2f} degrees, "
            f"translation by {self['trans']:.4f}>"
        )


class Evaluation:
    """What evaluate() found on a dataset: ``to_dict()`` is what ``pmtr eval --json`` writes, ``tables`` are for people.

    >>> "samples" in pmtr.Evaluation({"samples": []}, "no table").to_dict()
    True
    """

    def __init__(self, content: Dict[str, Any], tables: str) -> None:
        self._content = content
        self.tables = tables

    def to_dict(self) -> Dict[str, Any]:
        """The content of the JSON file (docs/evaluate.md).

        >>> pmtr.Evaluation({"samples": []}, "").to_dict()
        {'samples': []}
        """
        return self._content

    def __repr__(self) -> str:
        return f"<pmtr.Evaluation: {len(self._content['samples'])} samples>"

    def _repr_html_(self) -> str:
        import html

        return f"<pre>{html.escape(self.tables)}</pre>"


def evaluate(
    what: Union[Assembly, Dataset, PathLike],
    truth: Optional[Scattered] = None,
    *,
    encoder: EncoderChoice = None,
    points: int = 5000,
    count_anchor: bool = True,
    split: Optional[PathLike] = None,
    min_parts: int = 2,
    max_parts: int = 20,
    limit: Optional[int] = None,
    pairs: bool = False,
    pose: str = "both",
    place_all: bool = True,
    seed: int = 0,
    cache: Optional[PathLike] = None,
    threads: Optional[int] = None,
    callback: ProgressChoice = None,
) -> Union[Scores, Evaluation]:
    """Compares with the truth.

    An Assembly with the Scattered that its fragments are the pieces of gives Scores (``points`` and ``count_anchor``
    matter); no network is needed. The folder of a dataset is put together object by object, as ``pmtr eval`` does, and
    gives an Evaluation (the options after ``count_anchor`` matter).

    >>> pmtr.evaluate(pmtr.assemble(scattered.pieces, encoder=encoder, place_all=True), scattered)["placed"]
    1.0
    """
    team = thread_count(threads)
    if isinstance(what, Assembly):
        if not isinstance(truth, Scattered):
            raise TypeError(f"truth: expected a pmtr.Scattered, got {type(truth).__name__}")
        size = whole("points", points, 2, MOST_INT)
        return Scores(what._core.score(truth._core, size, flag("count_anchor", count_anchor), team))
    if truth is not None:
        raise TypeError("truth: a dataset has its own; it belongs to an Assembly")
    if isinstance(what, Dataset):
        root, own_split = what._arguments[0], what._arguments[1]
        split = own_split if split is None else split
    elif isinstance(what, (str, os.PathLike)):
        root = file_path("what", what)
    else:
        raise TypeError(f"what: expected a pmtr.Assembly or the folder of a dataset, got {type(what).__name__}")
    import json

    number = seed_number(seed)
    found = _load().evaluate(
        root,
        optional_path("split", split),
        whole("min_parts", min_parts, 2, MOST_INT),
        whole("max_parts", max_parts, 2, MOST_INT),
        None if limit is None else whole("limit", limit, 1, MOST_INT),
        flag("pairs", pairs),
        text("pose", pose),
        flag("place_all", place_all),
        number,
        optional_path("cache", cache),
        _encoder(encoder, number),
        team,
        choose(callback),
    )
    return Evaluation(json.loads(found["json"]), found["tables"])


@dataclass(frozen=True, repr=False)
class Training:
    """What train() did: updates in all, the losses of the last one, and the folder with weights and log.

    >>> pmtr.Training("out", 0, 10, {"total": 1.5}, None, 0.2)
    <pmtr.Training: 10 updates, loss 1.5, 0.2 s each>
    """

    folder: str
    first_step: int
    steps: int
    losses: Dict[str, float]
    best_score: Optional[float]
    seconds_per_step: float

    @property
    def weights(self) -> str:
        """The file with the last weights, for Encoder.

        >>> pmtr.Training("out", 0, 10, {"total": 1.5}, None, 0.2).weights
        'out/last.safetensors'
        """
        return os.path.join(self.folder, "last.safetensors")

    def __repr__(self) -> str:
        total = self.losses["total"]
        return f"<pmtr.Training: {self.steps} updates, loss {total:.4g}, {self.seconds_per_step:.2g} s each>"


def train(
    data: PathLike,
    out: PathLike,
    *,
    config: Optional[PathLike] = None,
    steps: Optional[int] = None,
    seed: Optional[int] = None,
    weights: Optional[PathLike] = None,
    cache: Optional[PathLike] = None,
    resume: bool = False,
    threads: Optional[int] = None,
    callback: ProgressChoice = None,
) -> Training:
    """Trains the network on a dataset, as ``pmtr train`` does: a TOML file says how (configs/, docs/train.md).

    ``callback`` hears (stage, done, total) after every update, where the stage has the loss in it; an exception out of
    it, or Ctrl-C, ends the run after a checkpoint, and ``resume=True`` goes on from there. ``weights`` is a file to
    begin with.

    >>> seen = []
    >>> run = pmtr.train(folder / "data", folder / "run", config=tiny, steps=1, callback=lambda *at: seen.append(at))
    >>> run.steps, seen[-1][1:]
    (1, (1, 1))
    """
    target = file_path("out", out)
    found = _load().train(
        optional_path("config", config),
        file_path("data", data),
        target,
        None if steps is None else whole("steps", steps, 1, MOST_INT),
        None if seed is None else seed_number(seed),
        optional_path("weights", weights),
        optional_path("cache", cache),
        flag("resume", resume),
        thread_count(threads),
        choose(callback),
    )
    return Training(folder=target, **found)
