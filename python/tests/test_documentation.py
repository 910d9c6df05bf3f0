# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""Every public name has words and an example, the examples are true, and the types are what the stubs say."""

from __future__ import annotations

import doctest
import inspect
import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, Iterator, Tuple

import numpy as np
import pytest

import pmtr

SOURCE = Path(__file__).resolve().parents[2]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def public_names() -> Iterator[Tuple[str, Any]]:
    for name in pmtr.__all__:
        value = getattr(pmtr, name)
        if name.startswith("__"):
            continue
        yield name, value
        if inspect.isclass(value):
            for member, content in vars(value).items():
                if member.startswith("_"):
                    continue
                if isinstance(content, (property, classmethod, staticmethod)) or inspect.isfunction(content):
                    yield f"{name}.{member}", content


NAMES = dict(public_names())


def words_of(value: Any) -> str:
    target = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
    return inspect.getdoc(target) or ""


def test_all_that_is_public_is_named() -> None:
    visible = {name for name in vars(pmtr) if not name.startswith("_") and not inspect.ismodule(getattr(pmtr, name))}
    assert visible == set(pmtr.__all__) - {"__version__"}
    assert len(NAMES) > 60


@pytest.mark.parametrize("name", NAMES)
def test_has_words_and_an_example(name: str) -> None:
    words = words_of(NAMES[name])
    assert len(words.split()) >= 3, f"{name} has no words"
    assert ">>>" in words, f"{name} has no example"


@pytest.fixture(scope="module")
def names_in_examples(
    encoder: pmtr.Encoder,
    assembly: pmtr.Assembly,
    tmp_path_factory: pytest.TempPathFactory,
    tiny_config: Path,
) -> Dict[str, Any]:
    """What examples may take for granted; docs/python.md lists it."""
    shape = pmtr.make_shape("bowl", seed=1, around=48)
    broken = pmtr.fracture(shape, pieces=4, seed=3)
    scattered = broken.scatter(seed=1)
    piece = broken.pieces[0]
    points, normals = piece.sample(1000)
    eyes = np.stack([np.eye(3)] * 2)
    folder = tmp_path_factory.mktemp("listed")
    broken.save(folder / "everyday/Bowl/0/fractured_0")
    return {
        "pmtr": pmtr,
        "np": np,
        "sys": sys,
        "shape": shape,
        "broken": broken,
        "scattered": scattered,
        "assembly": assembly,
        "encoder": encoder,
        "tiny": tiny_config,
        "dataset": pmtr.Dataset(folder),
        "surface": pmtr.Surface(points, normals, np.ones(len(points)), area=piece.area, object_size=1.0),
        "average": pmtr.average_rotations(3, np.array([[0, 1], [1, 2]], dtype=np.int32), eyes),
        "features": encoder.encode([scattered.pieces[0]], object_size=1.0, points=1000),
        "matches": pmtr.Matches(points, points, points[:, 0], [np.eye(4)]),
    }


@pytest.mark.parametrize("name", NAMES)
def test_example(name: str, names_in_examples: Dict[str, Any], tmp_path: Path, broken: pmtr.Broken) -> None:
    names = {**names_in_examples, "folder": tmp_path}
    if name == "train":
        for i in range(2):
            broken.save(tmp_path / f"data/everyday/Bowl/{i}/fractured_0")
    test = doctest.DocTestParser().get_doctest(words_of(NAMES[name]), names, name, None, 0)
    said: "list[str]" = []
    result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append)
    assert result.attempted > 0
    assert result.failed == 0, "".join(said)


def test_the_guide_tells_of_every_name() -> None:
    guide = (SOURCE / "docs/python.md").read_text()
    missing = [name for name in pmtr.__all__ if not name.startswith("__") and name not in guide]
    assert not missing, f"docs/python.md does not mention {missing}"


def test_the_examples_of_the_guide(names_in_examples: Dict[str, Any], tmp_path: Path) -> None:
    text = (SOURCE / "docs/python.md").read_text()
    test = doctest.DocTestParser().get_doctest(
        text, {**names_in_examples, "folder": tmp_path}, "docs/python.md", None, 0
    )
    said: "list[str]" = []
    result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append)
    assert result.attempted > 5
    assert result.failed == 0, "".join(said)


def test_mypy_is_content(tmp_path: Path) -> None:
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path), "-p", "pmtr"],
        capture_output=True,
        text=True,
        env={**os.environ, "MYPYPATH": str(Path(pmtr.__file__).parent.parent)},
        cwd=tmp_path,
    )
    assert found.returncode == 0, found.stdout + found.stderr


def test_mypy_sees_the_types_of_callers(tmp_path: Path) -> None:
    (tmp_path / "caller.py").write_text(
        "import pmtr\n"
        "size: float = pmtr.assemble(['a.ply']).object_size\n"
        "wrong: str = pmtr.assemble(['a.ply']).object_size\n"
        "pmtr.fracture(pmtr.make_shape('bowl'), pieces='two')\n"
    )
    found = subprocess.run(
        [sys.executable, "-m", "mypy", "--cache-dir", str(tmp_path / "cache"), "caller.py"],
        capture_output=True,
        text=True,
        env={**os.environ, "MYPYPATH": str(Path(pmtr.__file__).parent.parent)},
        cwd=tmp_path,
    )
    lines = [line.split(":")[1] for line in found.stdout.splitlines() if ": error:" in line]
    assert lines == ["3", "4"], found.stdout + found.stderr


def members(module: Any) -> Dict[str, Any]:
    return {name: value for name, value in vars(module).items() if not name.startswith("_")}


@pytest.mark.parametrize("name", ["_geometry", "_network"])
def test_stubs_say_what_the_modules_have(name: str) -> None:
    import ast
    import importlib

    module = importlib.import_module(f"pmtr.{name}")
    tree = ast.parse((SOURCE / f"python/pmtr/{name}.pyi").read_text())
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}

    def stub_members(node: ast.ClassDef) -> "set[str]":
        own = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
        for base in node.bases:
            if isinstance(base, ast.Name) and base.id in classes:
                own |= stub_members(classes[base.id])
        return {each for each in own if not each.startswith("_")}

    for found, value in members(module).items():
        if inspect.isclass(value):
            assert found in classes, f"{name}.pyi has no class {found}"
            assert set(members(value)) == stub_members(classes[found]), found
        elif callable(value):
            assert found in functions, f"{name}.pyi has no function {found}"
    real = set(members(module))
    assert {each for each in set(classes) | functions if not each.startswith("_")} == real
