# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""The notebook runs, and what is committed is what it shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "examples/notebooks"


def test_the_notebook_runs_without_a_screen() -> None:
    pytest.importorskip("ipykernel", reason="python3-ipykernel is not installed")
    found = subprocess.run(
        [sys.executable, str(FOLDER / "make_first_assembly.py"), "check"], capture_output=True, text=True
    )
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_notebook_is_committed_with_its_output() -> None:
    nbformat = pytest.importorskip("nbformat")
    sys.path.insert(0, str(FOLDER))
    try:
        import make_first_assembly as source
    finally:
        sys.path.remove(str(FOLDER))
    notebook = nbformat.read(FOLDER / "first_assembly.ipynb", as_version=4)
    assert [cell.source for cell in notebook.cells] == [text for _, text in source.CELLS]
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    pictures = [output for output in outputs if "data:image/png" in str(output.get("data", {}).get("text/html", ""))]
    assert len(pictures) >= 3
