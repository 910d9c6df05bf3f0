# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""Objects in pieces: broken here, or read from a dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Optional, Sequence, Tuple

from . import _geometry
from ._arguments import (
    MOST_INT,
    PathLike,
    ProgressChoice,
    file_path,
    flag,
    number,
    optional_path,
    seed_number,
    text,
    whole,
)
from ._mesh import Mesh, MeshLike, as_mesh, picture_html, render
from ._progress import choose

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


class Scattered:
    """Pieces as a finder has them: each turned and moved at random, with the truth about where they belong.

    >>> scattered = broken.scatter(seed=1)
    >>> scattered
    <pmtr.Scattered 'bowl/fractured_3': 4 pieces>
    >>> len(scattered.world_from_piece) == len(scattered.pieces)
    True
    """

    def __init__(self, core: _geometry.Scattered, again: Tuple[Any, ...]) -> None:
        self._core = core
        self._again = again  # what gives the same once more: how it is pickled

    def __reduce__(self) -> Tuple[Any, ...]:
        return self._again

    @property
    def path(self) -> str:
        """The name of the object and its fracture.

        >>> scattered.path
        'bowl/fractured_3'
        """
        return self._core.path

    @property
    def pieces(self) -> List[Mesh]:
        """The meshes to put together.

        >>> len(scattered.pieces)
        4
        """
        return [Mesh._of(core) for core in self._core.pieces]

    @property
    def world_from_piece(self) -> "List[Array]":
        """The truth: 4x4 poses that bring each piece back to its place in the object.

        >>> scattered.world_from_piece[0].shape
        (4, 4)
        """
        return self._core.world_from_piece

    @property
    def partners(self) -> "List[Array]":
        """The truth, per piece and face: the piece on the other side of the break, -1 on the outer surface.

        >>> len(scattered.partners[0]) == len(scattered.pieces[0].faces)
        True
        """
        return self._core.partners

    @property
    def adjacent(self) -> List[Tuple[int, int]]:
        """The truth: pairs of pieces that touch.

        >>> (0, 1) in scattered.adjacent or len(scattered.adjacent) >= 3
        True
        """
        return self._core.adjacent

    @property
    def object_size(self) -> float:
        """Longest side of the whole object.

        >>> round(scattered.object_size, 2)
        1.0
        """
        return self._core.object_size

    def __repr__(self) -> str:
        return f"<pmtr.Scattered {self.path!r}: {len(self._core.world_from_piece)} pieces>"


class Broken:
    """An object in pieces, in the assembled pose: what fracture() makes and a Dataset holds.

    >>> broken
    <pmtr.Broken 'bowl/fractured_3': 4 pieces>
    """

    def __init__(self, core: Any, name: str, again: Tuple[Any, ...]) -> None:
        self._core = core
        self._name = name
        self._again = again  # what gives the same once more: how it is pickled

    def __reduce__(self) -> Tuple[Any, ...]:
        return self._again

    @property
    def name(self) -> str:
        """The object and its fracture.

        >>> broken.name
        'bowl/fractured_3'
        """
        return self._name

    @property
    def pieces(self) -> List[Mesh]:
        """Where they were before the object broke.

        >>> broken.pieces[0].name
        'piece_0'
        """
        return [Mesh._of(core) for core in self._core.pieces]

    @property
    def partners(self) -> "List[Array]":
        """Per piece and face: the piece on the other side of the break, -1 on the outer surface.

        >>> sorted(set(broken.partners[0].tolist()))[0]
        -1
        """
        found: "List[Array]" = self._core.partners
        return found

    @property
    def mating(self) -> List[Tuple[int, int, float]]:
        """Pairs of pieces that share a surface, with its area.

        >>> all(a < b and area > 0 for a, b, area in broken.mating)
        True
        """
        found: List[Tuple[int, int, float]] = self._core.mating
        return found

    def scatter(self, seed: int = 0, pieces: Sequence[int] = ()) -> Scattered:
        """Turns and moves each piece at random. With ``pieces``, only these.

        >>> broken.scatter(seed=1, pieces=[0, 2])
        <pmtr.Scattered 'bowl/fractured_3#0+2': 2 pieces>
        """
        chosen = [whole("pieces", piece, 0, MOST_INT) for piece in pieces]
        again = (Broken.scatter, (self, seed_number(seed), chosen))
        return Scattered(self._core.scatter(seed_number(seed), chosen), again)

    def save(self, folder: PathLike, format: str = "ply", scatter: bool = False) -> None:
        """Writes the pieces and object.json, as ``pmtr fracture`` does. Only what fracture() made.

        >>> broken.save(folder / "everyday/Bowl/0/fractured_0")
        >>> len(pmtr.Dataset(folder))
        1
        """
        if not isinstance(self._core, _geometry.Fracture):
            raise TypeError("save: only what fracture() made can be saved; this was read from a dataset")
        if text("format", format) not in ("ply", "obj"):
            raise ValueError(f"format: expected 'ply' or 'obj', got {format!r}")
        self._core.save(file_path("folder", folder), format, flag("scatter", scatter))

    def __repr__(self) -> str:
        return f"<pmtr.Broken {self.name!r}: {len(self._core.pieces)} pieces>"

    def _repr_html_(self) -> str:
        return picture_html(render(self.pieces), repr(self)[1:-1])


def fracture(
    mesh: MeshLike,
    pieces: int = 8,
    seed: int = 0,
    *,
    min_volume: Optional[float] = None,
    roughness: float = 0.05,
    wavelength: float = 0.6,
    splinter: float = 0.0,
    detail: float = 0.02,
    wear: float = 0.0,
    missing: int = 0,
    callback: ProgressChoice = None,
) -> Broken:
    """Breaks a closed mesh into pieces with rough breaks that fit each other exactly.

    The options are those of ``pmtr fracture``: docs/fracture.md says what each does.

    >>> pmtr.fracture(shape, pieces=4, seed=3)
    <pmtr.Broken 'bowl/fractured_3': 4 pieces>
    """
    whole_mesh = as_mesh(mesh)
    arguments = (
        whole("pieces", pieces, 2, 1000),
        seed_number(seed),
        None if min_volume is None else number("min_volume", min_volume, 0.0, 1.0),
        number("roughness", roughness, 0.0),
        number("wavelength", wavelength, 0.0),
        number("splinter", splinter, 0.0, 1.0),
        number("detail", detail, 0.0),
        number("wear", wear, 0.0),
        whole("missing", missing, 0, 1000),
    )
    return _fracture(whole_mesh, arguments, callback)


def _fracture(mesh: Mesh, arguments: Tuple[Any, ...], callback: ProgressChoice = False) -> Broken:
    everything: Tuple[Any, ...] = (mesh._core, *arguments, choose(callback))
    core = _geometry.fracture(*everything)
    return Broken(core, f"{core.source}/fractured_{core.seed}", (_fracture, (mesh, arguments)))


class Dataset:
    """Broken objects on disk, in the layout of Breaking Bad: a sequence of Broken.

    It has a length and gives its items by number, so it can be handed to a ``torch.utils.data.DataLoader`` (with a
    ``collate_fn``, for objects differ in size); pair() gives training pairs, as dicts of arrays. It can be pickled,
    so workers may be of any kind. ``split`` is a file that names objects; ``cache`` a folder that makes reading quick.

    >>> broken.save(folder / "everyday/Bowl/0/fractured_0")
    >>> dataset = pmtr.Dataset(folder)
    >>> dataset[0].name
    'everyday/Bowl/0/fractured_0'
    >>> [len(each.pieces) for each in dataset]
    [4]
    """

    def __init__(
        self,
        root: PathLike,
        *,
        split: Optional[PathLike] = None,
        min_parts: int = 2,
        max_parts: Optional[int] = None,
        categories: Sequence[str] = (),
        skip_missing: bool = False,
        cache: Optional[PathLike] = None,
    ) -> None:
        if isinstance(categories, (str, bytes)):
            raise TypeError("categories: expected a list of str, got str")
        self._arguments = (
            file_path("root", root),
            optional_path("split", split),
            whole("min_parts", min_parts, 1, MOST_INT),
            MOST_INT if max_parts is None else whole("max_parts", max_parts, 1, MOST_INT),
            [text("categories", category) for category in categories],
            flag("skip_missing", skip_missing),
            optional_path("cache", cache),
        )
        self._core = _geometry.list_dataset(*self._arguments)

    @property
    def names(self) -> List[str]:
        """Of all fractures, in order.

        >>> dataset.names
        ['everyday/Bowl/0/fractured_0']
        """
        return [self._core.name(i) for i in range(len(self._core))]

    def __len__(self) -> int:
        return len(self._core)

    def __getitem__(self, index: int) -> Broken:
        place = whole("index", index, -(2**63), 2**63)
        if not -len(self) <= place < len(self):
            raise IndexError(f"index: there are {len(self)} fractures, not one number {place}")
        place %= len(self)
        return Broken(self._core.read(place), self._core.name(place), (Dataset.__getitem__, (self, place)))

    def __iter__(self) -> Iterator[Broken]:
        return (self[i] for i in range(len(self)))

    def pair(self, index: int, seed: int = 0, *, points: int = 5000, rotate: bool = True) -> Dict[str, Any]:
        """Number ``index`` of an endless list of training pairs, as numpy arrays.

        "source" and "target" are dicts with points, normals, fracture (per point: broken here), mating (broken from
        the other) and object_from_fragment; "source_from_target" is the true pose.

        >>> pair = dataset.pair(0)
        >>> sorted(pair)
        ['object', 'source', 'source_from_target', 'target']
        """
        return self._core.pair(
            whole("index", index, 0, 2**64 - 1),
            seed_number(seed),
            whole("points", points, 256, 100_000_000),
            flag("rotate", rotate),
        )

    def __repr__(self) -> str:
        return f"<pmtr.Dataset {self._arguments[0]!r}: {len(self)} fractures>"

    def __reduce__(self) -> Tuple[Any, ...]:
        return _dataset_again, self._arguments


def _dataset_again(
    root: str, split: Optional[str], low: int, high: int, categories: List[str], skip: bool, cache: Optional[str]
) -> Dataset:
    return Dataset(
        root, split=split, min_parts=low, max_parts=high, categories=categories, skip_missing=skip, cache=cache
    )
