# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""The module and the command are one program: the same files and options give the same bytes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, List

import numpy as np
import pytest

import pmtr


def same_but_for_time(text: bytes) -> Dict[str, Any]:
    content: Dict[str, Any] = json.loads(text)
    # How long it took and how much memory the process held are no results.
    for key in ("timing_ms", "peak_rss_mb"):
        assert key in content, f"assembly.json has no {key} any more: this test must know its new name"
        del content[key]
    return content


def files_below(folder: Path) -> List[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def both(command: str, encoder: pmtr.Encoder, tmp_path_factory: pytest.TempPathFactory) -> "tuple[Path, Path]":
    folder = tmp_path_factory.mktemp("both")
    bowl = pmtr.example("bowl")
    (folder / "by_command").mkdir()
    options = ["--seed", "3", "--units", "cm", "--object-size", "1", "--threads", "2"]
    subprocess.run(
        [command, "assemble", *map(str, bowl), "-o", str(folder / "by_command"), *options],
        check=True,
        capture_output=True,
    )
    found = pmtr.assemble(bowl, encoder=encoder, seed=3, units="cm", object_size=1, threads=2)
    found.save(folder / "by_python")
    return folder / "by_command", folder / "by_python"


def test_the_same_files_are_written(both: "tuple[Path, Path]") -> None:
    by_command, by_python = both
    assert files_below(by_command) == files_below(by_python)
    assert "report.html" in files_below(by_python)


def test_assembly_json_is_the_same(both: "tuple[Path, Path]") -> None:
    by_command, by_python = (folder / "assembly.json" for folder in both)
    assert same_but_for_time(by_command.read_bytes()) == same_but_for_time(by_python.read_bytes())


def test_every_other_file_is_the_same_byte_for_byte(both: "tuple[Path, Path]") -> None:
    by_command, by_python = both
    compared = 0
    for name in files_below(by_command):
        # These two repeat the times of assembly.json.
        if name in ("assembly.json", "report.html"):
            continue
        assert (by_command / name).read_bytes() == (by_python / name).read_bytes(), name
        compared += 1
    assert compared >= 12  # five fragments and their matrices, glb, mlp, csv, pictures


def test_poses_are_the_bits_of_the_file(both: "tuple[Path, Path]") -> None:
    by_command, by_python = both
    loaded = pmtr.Assembly.load(by_python)
    written = json.loads((by_command / "assembly.json").read_text())
    assert len(loaded.parts) == len(written["parts"]) == 5
    rows = np.loadtxt(by_command / "matrices.csv", delimiter=",", skiprows=1, usecols=range(3, 19))
    for part, row in zip(loaded.parts, rows):
        assert part.world_from_part is not None
        assert np.array_equal(part.world_from_part, row.reshape(4, 4))


def test_one_thread_gives_the_same(assembly: pmtr.Assembly, encoder: pmtr.Encoder) -> None:
    alone = pmtr.assemble(pmtr.example("bowl"), encoder=encoder, threads=1)
    for a, b in zip(alone.parts, assembly.parts):
        assert np.array_equal(a.world_from_part, b.world_from_part)  # type: ignore[arg-type]


def test_arrays_give_the_same_as_their_files(assembly: pmtr.Assembly, encoder: pmtr.Encoder) -> None:
    read = [pmtr.read_mesh(path) for path in pmtr.example("bowl")]
    arrays = [pmtr.Mesh(np.array(m.vertices), np.array(m.faces), m.normals) for m in read]
    found = pmtr.assemble(arrays, encoder=encoder)
    for a, b in zip(found.parts, assembly.parts):
        assert np.array_equal(a.world_from_part, b.world_from_part)  # type: ignore[arg-type]


def test_python_m_pmtr_is_the_command(command: str) -> None:
    by_module = subprocess.run([sys.executable, "-m", "pmtr", "--version"], check=True, capture_output=True)
    by_program = subprocess.run([command, "--version"], check=True, capture_output=True)
    assert by_module.stdout == by_program.stdout
    assert pmtr.__version__ in by_module.stdout.decode()


def test_the_module_can_break_what_the_command_breaks(command: str, tmp_path: Path) -> None:
    options = ["--shape", "bowl", "--pieces", "4", "--seed", "5", "--category", "c"]
    subprocess.run([command, "fracture", *options, "-o", str(tmp_path / "c")], check=True, capture_output=True)
    by_command = pmtr.Dataset(tmp_path / "c")[0]
    by_python = pmtr.fracture(pmtr.make_shape("bowl", seed=5), pieces=4, seed=5)
    assert len(by_command.pieces) == 4
    for a, b in zip(by_command.pieces, by_python.pieces):
        assert np.array_equal(a.faces, b.faces)
        assert np.array_equal(a.vertices, b.vertices)
