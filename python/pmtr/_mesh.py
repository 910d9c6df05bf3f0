# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""Fragments: arrays, files and what looks like a mesh."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterable, List, Optional, Sequence, Tuple, Union

from . import _geometry
from ._arguments import MOST_INT, PathLike, file_path, number, pose, seed_number, text, thread_count, whole

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, Any]


def picture_html(png: Optional[bytes], caption: str) -> str:
    import base64
    import html

    image = ""
    if png is not None:
        data = base64.b64encode(png).decode("ascii")
        words = html.escape(caption, quote=True)
        image = f'<img alt="{words}" style="max-width: 100%" src="data:image/png;base64,{data}">'
    return f"<figure>{image}<figcaption>{html.escape(caption)}</figcaption></figure>"


class Mesh:
    """A triangle mesh, or without faces a cloud of points.

    ``vertices`` is a C-contiguous (N, 3) float64 array, ``faces`` an (M, 3) int32 one, ``normals`` (N, 3) float64.
    The arrays are kept, not copied; anything else is a TypeError. Work of pmtr begins with a copy of its own, so
    changing an array afterwards changes nothing that is under way.

    >>> mesh = pmtr.Mesh(np.array([[0., 0, 0], [1, 0, 0], [0, 1, 0]]), np.array([[0, 1, 2]], dtype=np.int32))
    >>> mesh
    <pmtr.Mesh: 3 vertices, 1 face>
    >>> mesh.area
    0.5
    """

    _core: _geometry.Mesh

    def __init__(
        self,
        vertices: "Array",
        faces: "Optional[Array]" = None,
        normals: "Optional[Array]" = None,
        name: str = "",
    ) -> None:
        self._core = _geometry.Mesh(vertices, faces, normals, text("name", name))

    @classmethod
    def _of(cls, core: _geometry.Mesh) -> "Mesh":
        mesh = cls.__new__(cls)
        mesh._core = core
        return mesh

    @property
    def vertices(self) -> "Array":
        """(N, 3) float64: the array that was given, or a read-only view of the mesh that was read.

        >>> shape.vertices.shape[1], str(shape.vertices.dtype)
        (3, 'float64')
        """
        return self._core.vertices

    @property
    def faces(self) -> "Array":
        """(M, 3) int32, counterclockwise from outside; no rows for a cloud.

        >>> str(shape.faces.dtype)
        'int32'
        """
        return self._core.faces

    @property
    def normals(self) -> "Optional[Array]":
        """(N, 3) float64, or None.

        >>> shape.normals is None
        True
        """
        return self._core.normals

    @property
    def name(self) -> str:
        """What it is called in results: the path of its file, or what was given.

        >>> shape.name
        'bowl'
        """
        return self._core.name

    @property
    def area(self) -> float:
        """Of the surface, in squared units of the vertices.

        >>> shape.area > 0
        True
        """
        return self._core.area

    @property
    def volume(self) -> float:
        """Enclosed: right for closed surfaces, negative where they face inward.

        >>> shape.volume > 0
        True
        """
        return self._core.volume

    @property
    def longest_side(self) -> float:
        """Of the box around the vertices.

        >>> round(shape.longest_side, 6)
        1.0
        """
        vertices = self._core.vertices
        return float((vertices.max(axis=0) - vertices.min(axis=0)).max())

    def moved(self, world_from_mesh: "Array") -> "Mesh":
        """A copy where a 4x4 pose puts it.

        >>> up = np.eye(4)
        >>> up[2, 3] = 5
        >>> bool(np.allclose(shape.moved(up).vertices, shape.vertices + [0, 0, 5]))
        True
        """
        return Mesh._of(self._core.moved(pose("world_from_mesh", world_from_mesh)))

    def sample(self, points: int = 5000, seed: int = 0) -> "Tuple[Array, Array]":
        """About so many points spread evenly over the surface, and their normals.

        >>> points, normals = shape.sample(500)
        >>> points.shape == normals.shape
        True
        """
        found = self._core.sample(whole("points", points, 1, 100_000_000), seed_number(seed))
        return found["points"], found["normals"]

    def write(self, path: PathLike) -> None:
        """Writes OBJ, PLY, STL, OFF or GLB, by the extension.

        >>> shape.write(folder / "shape.ply")
        >>> pmtr.read_mesh(folder / "shape.ply").faces.shape == shape.faces.shape
        True
        """
        self._core.write(file_path("path", path))

    def __repr__(self) -> str:
        vertices, faces = self._core.vertex_count, self._core.face_count
        name = f" {self.name!r}" if self.name else ""
        what = f"{vertices} points" if faces == 0 else f"{vertices} vertices, {faces} face{'s' * (faces != 1)}"
        return f"<pmtr.Mesh{name}: {what}>"

    def _repr_html_(self) -> str:
        return picture_html(render([self]), repr(self)[1:-1])

    def __reduce__(self) -> "Tuple[Any, ...]":
        import numpy as np

        faces = np.array(self.faces) if self._core.face_count else None
        return Mesh, (np.array(self.vertices), faces, self.normals, self.name)


MeshLike = Union[Mesh, PathLike, Any]


def as_mesh(value: MeshLike, name: str = "mesh") -> Mesh:
    """A Mesh of whatever holds one: a Mesh, a path, or anything with ``vertices`` and ``faces`` (trimesh) or
    ``triangles`` (Open3D), or ``points`` and ``normals``. Arrays of such objects are converted where they must be.

    >>> from types import SimpleNamespace
    >>> cloud = SimpleNamespace(points=[[0, 0, 0], [1, 0, 0]], normals=[[0, 0, 1], [0, 0, 1]])
    >>> pmtr.as_mesh(cloud)
    <pmtr.Mesh: 2 points>
    """
    import os

    if isinstance(value, Mesh):
        return value
    if isinstance(value, (str, os.PathLike)):
        return read_mesh(value)
    if hasattr(value, "vertices"):
        faces = getattr(value, "faces", None)
        faces = getattr(value, "triangles", None) if faces is None else faces
        normals = getattr(value, "normals", None)
        return Mesh(
            _rows(value.vertices, f"{name}.vertices"),
            None if faces is None else _indices(faces, f"{name}.faces"),
            None if normals is None else _rows(normals, f"{name}.normals"),
        )
    if hasattr(value, "points"):
        normals = getattr(value, "normals", None)
        if normals is not None and len(normals) == 0:  # as Open3D says that there are none
            normals = None
        return Mesh(
            _rows(value.points, f"{name}.points"),
            None,
            None if normals is None else _rows(normals, f"{name}.normals"),
        )
    raise TypeError(
        f"{name}: expected a pmtr.Mesh, a path, or an object with vertices and faces or with points and normals, "
        f"got {type(value).__name__}"
    )


def _rows(value: Any, name: str) -> "Array":
    import numpy as np

    try:
        rows = np.ascontiguousarray(np.asarray(value), dtype=np.float64).view(np.ndarray)
    except (TypeError, ValueError):
        raise TypeError(f"{name}: expected numbers in rows of 3, got {type(value).__name__}") from None
    if rows.ndim != 2 or rows.shape[1] != 3:
        raise TypeError(f"{name}: expected numbers in rows of 3, got shape {rows.shape}")
    return rows


def _indices(value: Any, name: str) -> "Array":
    import numpy as np

    given = np.asarray(value)
    if given.size == 0:
        return np.zeros((0, 3), dtype=np.int32)
    if given.dtype.kind not in "iu" or given.ndim != 2 or given.shape[1] != 3:
        raise TypeError(f"{name}: expected whole numbers in rows of 3, got {given.dtype} of shape {given.shape}")
    if given.max() > MOST_INT or given.min() < 0:
        raise ValueError(f"{name}: expected numbers of vertices, from 0")
    return np.ascontiguousarray(given, dtype=np.int32).view(np.ndarray)


def read_mesh(path: PathLike) -> Mesh:
    """Reads OBJ, PLY, STL, OFF or GLB. A bad file is an InputError that says where.

    >>> pmtr.read_mesh(pmtr.example("bowl")[0]).vertices.shape[1]
    3
    """
    return Mesh._of(_geometry.read_mesh(file_path("path", path)))


def shapes() -> Dict[str, str]:
    """Names of the shapes that make_shape() knows, and a few words about each.

    >>> "bowl" in pmtr.shapes()
    True
    """
    return dict(_geometry.shapes())


def make_shape(name: str, seed: int = 0, wall_thickness: Optional[float] = None, around: int = 96) -> Mesh:
    """A closed object to break, longest side 1: proportions are drawn by the seed.

    >>> pmtr.make_shape("bowl", seed=1).name
    'bowl'
    """
    return Mesh._of(
        _geometry.make_shape(
            text("name", name),
            seed_number(seed),
            None if wall_thickness is None else number("wall_thickness", wall_thickness, 0.005, 0.1),
            whole("around", around, 16, 1024),
        )
    )


def mesh_list(values: Iterable[MeshLike], name: str) -> List[Mesh]:
    import os

    if isinstance(values, (str, bytes, os.PathLike, Mesh)) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name}: expected a list of meshes or paths, got {type(values).__name__}")
    return [as_mesh(value, f"{name}[{i}]") for i, value in enumerate(values)]


def render(
    meshes: Iterable[MeshLike],
    poses: "Optional[Sequence[Array]]" = None,
    width: int = 640,
    height: int = 480,
    threads: Optional[int] = None,
) -> bytes:
    """A picture of meshes as PNG, each in a colour of its own, where 4x4 ``poses`` put them.

    >>> pmtr.render([shape], width=64, height=48)[:4]
    b'\\x89PNG'
    """
    cores = [mesh._core for mesh in mesh_list(meshes, "meshes")]
    places = [] if poses is None else [pose("poses", each) for each in poses]
    if places and len(places) != len(cores):
        raise ValueError(f"poses: {len(places)} for {len(cores)} meshes")
    size = whole("width", width, 1, 8192), whole("height", height, 1, 8192)
    return _geometry.render(cores, places, size[0], size[1], thread_count(threads))
