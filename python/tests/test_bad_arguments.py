# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""Whatever is handed in, an exception that says what was expected comes out, and the interpreter lives."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, Dict, Tuple

import numpy as np
import pytest

import pmtr

GOOD = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
FACES = np.array([[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], dtype=np.int32)
SEVERAL = np.zeros((3, 3, 3))
PAIRS = np.array([[0, 1], [1, 2]], dtype=np.int32)
EYES = np.stack([np.eye(3)] * 2)


def with_nan(rows: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    bad = rows.copy()
    bad[1, 1] = np.nan
    return bad


def misaligned() -> "np.ndarray[Any, Any]":
    raw = np.zeros(4 * 3 * 8 + 1, dtype=np.uint8)
    return raw[1:].view(np.float64).reshape(4, 3)


def surface(**changed: Any) -> pmtr.Surface:
    arguments: Dict[str, Any] = dict(points=GOOD, normals=GOOD + 1, broken=np.ones(4), area=1.0, object_size=1.0)
    arguments.update(changed)
    return pmtr.Surface(**arguments)


# What is called, what it raises, and words that the message must have.
CASES: Dict[str, Tuple[Callable[[], Any], type, str]] = {
    "a list for an array": (lambda: pmtr.Mesh([[0, 0, 0]]), TypeError, r"vertices: expected .*\(N, 3\).*got list"),  # type: ignore[arg-type]
    "None for an array": (lambda: pmtr.Mesh(None), TypeError, "vertices: expected .*got None"),  # type: ignore[arg-type]
    "float32": (lambda: pmtr.Mesh(GOOD.astype(np.float32)), TypeError, "float64 .*got a float32"),
    "complex": (lambda: pmtr.Mesh(GOOD.astype(complex)), TypeError, "float64 .*got a complex128"),
    "objects": (lambda: pmtr.Mesh(GOOD.astype(object)), TypeError, "float64 .*got a object"),
    "other byte order": (lambda: pmtr.Mesh(GOOD.astype(">f8")), TypeError, "float64 .*got a >f8"),
    "one dimension": (lambda: pmtr.Mesh(np.zeros(9)), TypeError, r"shape \(N, 3\), got .*\(9,\)"),
    "three dimensions": (lambda: pmtr.Mesh(SEVERAL), TypeError, r"\(3, 3, 3\)"),
    "two columns": (lambda: pmtr.Mesh(np.zeros((4, 2))), TypeError, r"\(4, 2\)"),
    "transposed": (lambda: pmtr.Mesh(np.zeros((3, 4)).T), TypeError, "not C-contiguous"),
    "every other row": (lambda: pmtr.Mesh(np.zeros((8, 3))[::2]), TypeError, "not C-contiguous"),
    "misaligned": (lambda: pmtr.Mesh(misaligned()), TypeError, "vertices: expected"),
    "no rows": (lambda: pmtr.Mesh(np.zeros((0, 3))), pmtr.InputError, "there are none"),
    "NaN": (lambda: pmtr.Mesh(with_nan(GOOD)), pmtr.InputError, "NaN"),
    "infinite": (lambda: pmtr.Mesh(GOOD * np.inf), pmtr.InputError, "NaN or infinite"),
    "int64 faces": (lambda: pmtr.Mesh(GOOD, FACES.astype(np.int64)), TypeError, "faces: .*int32.*got a int64"),
    "float faces": (lambda: pmtr.Mesh(GOOD, FACES.astype(float)), TypeError, "faces: .*int32"),
    "quads": (lambda: pmtr.Mesh(GOOD, np.zeros((1, 4), np.int32)), TypeError, r"faces: .*\(1, 4\)"),
    "a face beyond the end": (lambda: pmtr.Mesh(GOOD, FACES + np.int32(1)), pmtr.InputError, "names vertex 4"),
    "a negative index": (lambda: pmtr.Mesh(GOOD, FACES - np.int32(1)), pmtr.InputError, "names vertex -1"),
    "too few normals": (lambda: pmtr.Mesh(GOOD, None, GOOD[:2]), pmtr.InputError, "normals: 2 for 4"),
    "NaN normals": (lambda: pmtr.Mesh(GOOD, None, with_nan(GOOD)), pmtr.InputError, "normals"),
    "a name that is no text": (lambda: pmtr.Mesh(GOOD, name=7), TypeError, "name: expected a str"),  # type: ignore[arg-type]
    "a missing file": (lambda: pmtr.read_mesh("/no/such.ply"), pmtr.InputError, "/no/such.ply"),
    "a folder": (lambda: pmtr.read_mesh("/"), pmtr.InputError, "/"),
    "bytes for a path": (lambda: pmtr.read_mesh(b"x.ply"), TypeError, "path: expected a path"),  # type: ignore[arg-type]
    "a null in a path": (lambda: pmtr.read_mesh("a\0b.ply"), ValueError, "null"),
    "a number for a mesh": (lambda: pmtr.as_mesh(3), TypeError, "expected a pmtr.Mesh, a path"),
    "vertices that are none": (
        lambda: pmtr.as_mesh(SimpleNamespace(vertices="abc", faces=[])),
        TypeError,
        "mesh.vertices: expected numbers",
    ),
    "faces beyond int32": (
        lambda: pmtr.as_mesh(SimpleNamespace(vertices=GOOD, faces=np.array([[0, 1, 2**40]]))),
        ValueError,
        "mesh.faces",
    ),
    "one path for a list": (lambda: pmtr.assemble("a.ply"), TypeError, "fragments: expected a list"),
    "no fragments": (lambda: pmtr.assemble([], encoder="none"), pmtr.InputError, "no fragments"),
    "one file twice": (lambda: pmtr.assemble([pmtr.example()[0]] * 2), pmtr.InputError, "given twice"),
    "a negative seed": (lambda: pmtr.make_shape("bowl", seed=-1), ValueError, "seed: expected"),
    "a seed of 65 bits": (lambda: pmtr.make_shape("bowl", seed=2**64), ValueError, "seed: expected"),
    "a float for a seed": (lambda: pmtr.make_shape("bowl", seed=1.5), TypeError, "seed: .*got float"),  # type: ignore[arg-type]
    "a bool for a number": (lambda: pmtr.make_shape("bowl", seed=True), TypeError, "seed: .*got bool"),
    "an unknown shape": (lambda: pmtr.make_shape("cloud"), ValueError, "no shape 'cloud'"),
    "no threads": (lambda: pmtr.render([pmtr.Mesh(GOOD)], threads=0), ValueError, "threads: expected"),
    "a picture without pixels": (lambda: pmtr.render([pmtr.Mesh(GOOD)], width=0), ValueError, "width: expected"),
    "a callback that is none": (
        lambda: pmtr.fracture(pmtr.Mesh(GOOD, FACES), callback=3),  # type: ignore[arg-type]
        TypeError,
        "callback: expected a function",
    ),
    "one piece": (lambda: pmtr.fracture(pmtr.Mesh(GOOD, FACES), pieces=1), ValueError, "pieces: expected"),
    "an open surface to break": (lambda: pmtr.fracture(pmtr.Mesh(GOOD, FACES[:2])), pmtr.InputError, ""),
    "a cloud to break": (lambda: pmtr.fracture(pmtr.Mesh(GOOD)), pmtr.InputError, ""),
    "a pose of other shape": (lambda: pmtr.Mesh(GOOD).moved(np.eye(3)), TypeError, r"\(4, 4\), got"),
    "a pose that scales": (lambda: pmtr.Mesh(GOOD).moved(2 * np.eye(4)), pmtr.InputError, "not a rotation"),
    "a pose that mirrors": (lambda: pmtr.Mesh(GOOD).moved(np.diag([1.0, 1, -1, 1])), pmtr.InputError, "not a rot"),
    "words for a pose": (lambda: pmtr.Mesh(GOOD).moved("up"), TypeError, "expected a 4x4 matrix"),  # type: ignore[arg-type]
    "nodes beyond the end": (lambda: pmtr.average_rotations(2, PAIRS, EYES), pmtr.InputError, ""),
    "an unconnected graph": (lambda: pmtr.average_rotations(4, PAIRS, EYES), pmtr.InputError, ""),
    "fewer rotations than pairs": (lambda: pmtr.average_rotations(3, PAIRS, EYES[:1]), pmtr.InputError, "2 pairs"),
    "rotations that are none": (lambda: pmtr.average_rotations(3, PAIRS, 2 * EYES), pmtr.InputError, ""),
    "pairs of int64": (lambda: pmtr.average_rotations(3, PAIRS.astype(int), EYES), TypeError, "pairs: .*int32"),
    "a negative weight": (
        lambda: pmtr.average_rotations(3, PAIRS, EYES, np.array([1.0, -1])),
        pmtr.InputError,
        "",
    ),
    "labels above 1": (lambda: surface(broken=np.full(4, 2.0)), pmtr.InputError, "not from 0 to 1"),
    "fewer labels than points": (lambda: surface(broken=np.ones(3)), pmtr.InputError, "do not belong together"),
    "normals without length": (lambda: surface(normals=np.zeros((4, 3))), pmtr.InputError, "is zero"),
    "an area of nothing": (lambda: surface(area=0.0), ValueError, "area: expected a positive"),
    "a size that is NaN": (lambda: surface(object_size=float("nan")), ValueError, "object_size: expected"),
    "an encoder that is none": (lambda: pmtr.assemble([pmtr.Mesh(GOOD)], encoder=3), TypeError, "encoder: expected"),  # type: ignore[arg-type]
    "weights that are none": (lambda: pmtr.Encoder(pmtr.example()[0]), pmtr.InputError, "piece_0.ply"),
    "an unknown unit": (
        lambda: pmtr.assemble([pmtr.Mesh(GOOD, FACES)], encoder="none", units="parsec"),
        ValueError,
        "parsec",
    ),
    "a size below zero": (lambda: pmtr.assemble([pmtr.Mesh(GOOD)], object_size=-1), ValueError, "object_size"),
    "place all, and only confirmed": (
        lambda: pmtr.assemble([pmtr.Mesh(GOOD, FACES)], encoder="none", place_all=True, only_confirmed=True),
        ValueError,
        "exclude each other",
    ),
    "no dataset": (lambda: pmtr.Dataset("/no/such/folder"), pmtr.InputError, "/no/such/folder"),
    "a word for a list": (lambda: pmtr.Dataset("/", categories="Bowl"), TypeError, "categories: expected"),
    "nothing to evaluate": (lambda: pmtr.evaluate(3), TypeError, "what: expected"),  # type: ignore[arg-type]
    "a configuration that is none": (
        lambda: pmtr.train("/no", "/no", config=pmtr.example()[0]),
        pmtr.InputError,
        "piece_0.ply",
    ),
    "no points to measure": (lambda: pmtr.chamfer_distance(np.zeros((0, 3)), GOOD), pmtr.InputError, "no points"),
    "an unknown example": (lambda: pmtr.example("../models"), ValueError, "no example"),
}


def test_there_are_enough_cases() -> None:
    assert len(CASES) >= 30


@pytest.mark.filterwarnings("ignore::pmtr.InputWarning")
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.replace(" ", "-"))
def test_bad_argument(case: str) -> None:
    call, expected, words = CASES[case]
    with pytest.raises(expected, match=words) as caught:
        call()
    assert str(caught.value).strip(), "an exception without a word"
    if expected is TypeError:
        assert not isinstance(caught.value, pmtr.InputError)
        assert "incompatible function arguments" not in str(caught.value), "the binding's own words, not ours"


def test_a_bad_file_says_where(tmp_path: Path) -> None:
    file = tmp_path / "bad.off"
    file.write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n0 one 0\n3 0 1 2\n")
    with pytest.raises(pmtr.InputError) as caught:
        pmtr.read_mesh(file)
    assert caught.value.file == str(file)
    assert caught.value.line == 5
    assert f"{file}:5:" in str(caught.value)


def test_a_truncated_file_says_so(tmp_path: Path) -> None:
    whole = pmtr.example()[0].read_bytes()
    file = tmp_path / "cut.ply"
    file.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(pmtr.InputError) as caught:
        pmtr.read_mesh(file)
    assert caught.value.cause == "truncated"


def test_arrays_that_are_changed_or_freed_later_do_no_harm() -> None:
    vertices, faces = GOOD.copy(), FACES.copy()
    mesh = pmtr.Mesh(vertices, faces)
    vertices.resize((2, 3), refcheck=False)  # frees the memory under our feet
    with pytest.raises(pmtr.InputError, match="names vertex"):
        mesh.area
    vertices.resize((0, 3), refcheck=False)
    with pytest.raises(pmtr.InputError, match="there are none"):
        mesh.area
    kept = pmtr.Mesh(GOOD.copy(), FACES.copy())  # nobody else holds these arrays
    assert kept.area == pytest.approx(3 * 0.5 + np.sqrt(3) / 2)


def test_a_read_only_array_is_as_good_as_any() -> None:
    vertices = GOOD.copy()
    vertices.flags.writeable = False
    assert pmtr.Mesh(vertices, FACES).vertices is vertices


def test_a_view_outlives_its_mesh() -> None:
    vertices = pmtr.read_mesh(pmtr.example()[0]).vertices
    assert np.isfinite(vertices).all()
    with pytest.raises(ValueError):
        vertices[0] = 0  # a file that was read is not changed by accident


def test_huge_numbers_are_refused_or_survive() -> None:
    mesh = pmtr.Mesh(GOOD * 1e300, FACES)
    assert mesh.area == np.inf or mesh.area > 0
    with pytest.raises((pmtr.InputError, ValueError)):
        pmtr.fracture(mesh, pieces=2)


def test_other_libraries_meshes_are_understood() -> None:
    as_trimesh = SimpleNamespace(vertices=GOOD, faces=FACES.astype(np.int64))
    as_open3d = SimpleNamespace(vertices=GOOD.tolist(), triangles=FACES.tolist())
    as_cloud = SimpleNamespace(points=GOOD.astype(np.float32), normals=np.ones((4, 3)))
    for value in (as_trimesh, as_open3d):
        assert np.array_equal(pmtr.as_mesh(value).faces, FACES)
        assert pmtr.as_mesh(value).area == pytest.approx(3 * 0.5 + np.sqrt(3) / 2)
    assert pmtr.as_mesh(as_cloud).normals is not None


