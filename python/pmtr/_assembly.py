# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""Fragments put together, and what is told about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, List, Optional

from . import _geometry
from ._arguments import PathLike, ProgressChoice, file_path, flag, optional_path, thread_count, whole
from ._mesh import Mesh, picture_html
from ._progress import choose

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np

    Array = np.ndarray[Any, Any]


@dataclass(frozen=True, repr=False)
class Part:
    """Where one fragment goes. ``world_from_part`` is 4x4, None where it is not placed.

    >>> assembly.parts[0].world_from_part.shape
    (4, 4)
    """

    name: str
    placed: bool
    anchor: bool
    component: int
    world_from_part: "Optional[Array]"
    confidence: float
    open_share: Optional[float]

    def __repr__(self) -> str:
        place = "anchor" if self.anchor else "placed" if self.placed else "not placed"
        return f"<pmtr.Part {self.name!r}: {place}, confidence {self.confidence:.2f}>"


@dataclass(frozen=True, repr=False)
class Joint:
    """Two fragments that may belong side by side, with what speaks for it; ``used`` where it holds the assembly.

    ``band`` is confirmed, probable or rejected; ``fate`` says why it is used or not, in a word.

    >>> joint = [joint for joint in assembly.joints if joint.used][0]
    >>> joint.a_from_b.shape, joint.used, joint.fate
    ((4, 4), True, 'used')
    """

    a: int
    b: int
    a_from_b: "Array"
    confidence: float
    matches: int
    used: bool
    band: str
    fate: str
    evidence: Optional[Dict[str, float]]

    def __repr__(self) -> str:
        return f"<pmtr.Joint {self.a}-{self.b}: {self.fate}, {self.band}, confidence {self.confidence:.2f}>"


class Assembly:
    """Fragments put together: poses, joints and what speaks for them. A notebook shows its picture.

    >>> assembly
    <pmtr.Assembly: 5 of 5 fragments placed, ... joints>
    """

    def __init__(self, core: _geometry.Record) -> None:
        self._core = core

    @staticmethod
    def load(folder: PathLike, fragments: Optional[PathLike] = None) -> "Assembly":
        """Reads what save() or ``pmtr assemble`` wrote; the fragments where they were, or in a folder that is named.

        >>> assembly.save(folder / "out", report=False)
        >>> pmtr.Assembly.load(folder / "out").to_dict() == assembly.to_dict()
        True
        """
        return Assembly(_geometry.load(file_path("folder", folder), optional_path("fragments", fragments)))

    @property
    def parts(self) -> List[Part]:
        """One per fragment, in the given order.

        >>> len(assembly.parts)
        5
        """
        return [Part(**part) for part in self._core.parts]

    @property
    def joints(self) -> List[Joint]:
        """All that were considered, used or not.

        >>> assembly.joints[0].evidence["gap_mean"] < 0.01 * assembly.object_size
        True
        """
        return [Joint(**joint) for joint in self._core.joints]

    @property
    def fragments(self) -> List[Mesh]:
        """As they were given.

        >>> len(assembly.fragments)
        5
        """
        return [Mesh._of(core) for core in self._core.fragments]

    @property
    def object_size(self) -> float:
        """Longest side of the whole object, as given or estimated, in the units of the fragments.

        >>> assembly.object_size > 0
        True
        """
        return self._core.object_size

    @property
    def summary(self) -> str:
        """What was put together, in a sentence or two.

        >>> "5" in assembly.summary
        True
        """
        return self._core.summary

    def assembled(self) -> List[Mesh]:
        """The fragments that are placed, moved to where they belong.

        >>> len(assembly.assembled())
        5
        """
        return [
            mesh.moved(part.world_from_part)
            for mesh, part in zip(self.fragments, self.parts)
            if part.world_from_part is not None
        ]

    def to_dict(self) -> Dict[str, Any]:
        """The content of assembly.json (docs/report.md).

        >>> assembly.to_dict()["version"]
        1
        """
        import json

        found: Dict[str, Any] = json.loads(self._core.json)
        return found

    def save(
        self,
        folder: PathLike,
        *,
        report: bool = True,
        light: bool = False,
        threads: Optional[int] = None,
        callback: ProgressChoice = None,
    ) -> None:
        """Writes what ``pmtr assemble`` writes: assembly.json, the placed fragments, matrices and report.html.

        Fragments that came from files are written in their format with everything but the position unchanged, those
        of arrays as PLY.

        >>> assembly.save(folder / "out", report=False)
        >>> (folder / "out/assembly.json").exists()
        True
        """
        self._core.save(
            file_path("folder", folder),
            flag("report", report),
            flag("light", light),
            thread_count(threads),
            choose(callback),
        )

    def picture(
        self, exploded: bool = False, width: int = 800, height: int = 600, threads: Optional[int] = None
    ) -> Optional[bytes]:
        """PNG; None where nothing is placed.

        >>> assembly.picture(width=80, height=60)[:4]
        b'\\x89PNG'
        """
        return self._core.picture(
            flag("exploded", exploded),
            whole("width", width, 16, 8192),
            whole("height", height, 16, 8192),
            thread_count(threads),
        )

    def show(self, folder: Optional[PathLike] = None, *, open_browser: bool = True) -> "Path":
        """Writes the report, into a new folder if none is named, and opens it in a browser; says where it is.

        >>> assembly.show(folder / "shown", open_browser=False).name
        'report.html'
        """
        import tempfile
        import webbrowser
        from pathlib import Path

        where = Path(tempfile.mkdtemp(prefix="pmtr-")) if folder is None else Path(file_path("folder", folder))
        self.save(where)
        page = (where / "report.html").resolve()
        if flag("open_browser", open_browser):
            webbrowser.open(page.as_uri())
        return page

    def __repr__(self) -> str:
        parts, joints = self._core.parts, self._core.joints
        placed = sum(part["placed"] for part in parts)
        used = sum(joint["used"] for joint in joints)
        return f"<pmtr.Assembly: {placed} of {len(parts)} fragments placed, {used} joint{'s' * (used != 1)}>"

    def _repr_html_(self) -> str:
        return picture_html(self.picture(), self.summary)
