# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""Poses between surfaces, averages of rotations, and measures; all without the network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Sequence

from . import _geometry
from ._arguments import MOST_INT, flag, number, pose, positive, seed_number, thread_count, whole

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


class Surface:
    """A cloud of points made ready for search_poses(): points, normals, and how surely each point is broken (0 to 1).

    ``area`` is that of the surface the points are spread over, ``object_size`` the longest side of the whole object;
    both in the units of the points.

    >>> piece = broken.pieces[0]
    >>> points, normals = piece.sample(2000)
    >>> pmtr.Surface(points, normals, np.ones(len(points)), area=piece.area, object_size=1.0).object_size
    1.0
    """

    def __init__(
        self,
        points: "Array",
        normals: "Array",
        broken: "Array",
        *,
        area: float,
        object_size: float,
        threads: Optional[int] = None,
    ) -> None:
        self._core = _geometry.make_surface(
            points,
            normals,
            broken,
            positive("area", area),
            positive("object_size", object_size),
            thread_count(threads),
        )

    @classmethod
    def _of(cls, core: _geometry.Surface) -> "Surface":
        surface = cls.__new__(cls)
        surface._core = core
        return surface

    @property
    def object_size(self) -> float:
        """Longest side of the whole object.

        >>> surface.object_size
        1.0
        """
        return self._core.object_size

    def __repr__(self) -> str:
        return f"<pmtr.Surface: {self._core.points} points, {self._core.broken_points} on breaks>"


@dataclass(frozen=True, repr=False)
class PoseCandidate:
    """A way in which two surfaces could lie against each other.

    >>> pmtr.PoseCandidate(np.eye(4), 0.5, {"contact_area": 0.1})
    <pmtr.PoseCandidate: confidence 0.50, contact area 0.1>
    """

    a_from_b: "Array"
    confidence: float
    evidence: Dict[str, float]

    def __repr__(self) -> str:
        area = self.evidence["contact_area"]
        return f"<pmtr.PoseCandidate: confidence {self.confidence:.2f}, contact area {area:.3g}>"


def search_poses(
    a: Surface,
    b: Surface,
    *,
    hints: "Sequence[Array]" = (),
    brief: bool = False,
    kept: int = 8,
    seed: int = 0,
    threads: Optional[int] = None,
) -> List[PoseCandidate]:
    """Every way in which the breaks of two fragments could lie against each other, best first. No network.

    ``hints`` are 4x4 poses that something else proposes. ``brief`` takes a few percent of the time.

    >>> pmtr.search_poses(surface, surface, brief=True, kept=2) is not None
    True
    """
    for name, value in (("a", a), ("b", b)):
        if not isinstance(value, Surface):
            raise TypeError(f"{name}: expected a pmtr.Surface, got {type(value).__name__}")
    found = _geometry.search_poses(
        a._core,
        b._core,
        [pose("hints", hint) for hint in hints],
        flag("brief", brief),
        whole("kept", kept, 1, 1000),
        seed_number(seed),
        thread_count(threads),
    )
    return [PoseCandidate(**entry) for entry in found]


@dataclass(frozen=True, repr=False)
class RotationAverage:
    """Rotations of all nodes, with the proof that none are better, or the lack of it.

    ``kept`` says which edges had a say; ``residual_deg`` how far each edge is from the result.

    >>> average.optimal
    True
    """

    world_from_node: "Array"
    kept: "Array"
    residual_deg: "Array"
    cost: float
    lower_bound: float
    min_eigenvalue: float
    optimal: bool

    def __repr__(self) -> str:
        return (
            f"<pmtr.RotationAverage: {len(self.world_from_node)} nodes, {int(self.kept.sum())} of {len(self.kept)} "
            f"edges kept, {'optimal' if self.optimal else 'not shown to be optimal'}>"
        )


def average_rotations(
    nodes: int,
    pairs: "Array",
    a_from_b: "Array",
    weights: "Optional[Array]" = None,
    *,
    robust: bool = True,
    inlier_angle_deg: float = 10.0,
) -> RotationAverage:
    """Shonan rotation averaging with a certificate; robust: edges that are off by more than the angle are left out.

    ``pairs`` is (E, 2) int32, ``a_from_b`` (E, 3, 3) float64: what was measured between the nodes a and b of a pair.
    The first node is turned to the identity.

    >>> turn = np.array([[0., -1, 0], [1, 0, 0], [0, 0, 1]])
    >>> pairs = np.array([[0, 1], [1, 2], [0, 2]], dtype=np.int32)
    >>> pmtr.average_rotations(3, pairs, np.stack([turn, turn, turn @ turn]))
    <pmtr.RotationAverage: 3 nodes, 3 of 3 edges kept, optimal>
    """
    found = _geometry.average_rotations(
        whole("nodes", nodes, 1, MOST_INT),
        pairs,
        a_from_b,
        weights,
        flag("robust", robust),
        number("inlier_angle_deg", inlier_angle_deg, 0.0, 180.0),
    )
    return RotationAverage(**found)


def chamfer_distance(a: "Array", b: "Array", threads: Optional[int] = None) -> float:
    """Mean squared distance to the nearest point of the other cloud, both ways added; (N, 3) float64 each.

    >>> pmtr.chamfer_distance(np.zeros((1, 3)), np.array([[0., 0, 2]]))
    8.0
    """
    return _geometry.chamfer_distance(a, b, thread_count(threads))
