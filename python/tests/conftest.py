# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""What several tests share. The package is the one on PYTHONPATH: ctest sets it, as docs/python.md says by hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import pmtr

@pytest.fixture(scope="session")
def command() -> str:
    """The program that this module was built with."""
    from pmtr._paths import command as find

    found = os.environ.get("PMTR_COMMAND") or find()
    assert found is not None, "no pmtr program beside the module"
    return str(found)


@pytest.fixture(scope="session")
def encoder() -> pmtr.Encoder:
    return pmtr.Encoder()


@pytest.fixture(scope="session")
def shape() -> pmtr.Mesh:
    return pmtr.make_shape("bowl", seed=1, around=48)


@pytest.fixture(scope="session")
def broken(shape: pmtr.Mesh) -> pmtr.Broken:
    return pmtr.fracture(shape, pieces=4, seed=3, detail=0.04)


@pytest.fixture(scope="session")
def scattered(broken: pmtr.Broken) -> pmtr.Scattered:
    return broken.scatter(seed=1)


@pytest.fixture(scope="session")
def assembly(encoder: pmtr.Encoder) -> pmtr.Assembly:
    return pmtr.assemble(pmtr.example("bowl"), encoder=encoder)


@pytest.fixture
def dataset_folder(broken: pmtr.Broken, tmp_path: Path) -> Path:
    """One object in the layout of Breaking Bad."""
    broken.save(tmp_path / "data/everyday/Bowl/0/fractured_0")
    return tmp_path / "data"


@pytest.fixture(scope="session")
def tiny_config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run small enough for a test: a network that reads points alone, few of them, and never validates."""
    file = tmp_path_factory.mktemp("config") / "tiny.toml"
    file.write_text(
        "[network]\nsurface_input = false\nfracture_head = false\nfracture_context = false\n"
        "[train]\nbatch = 1\nlog_every = 1\nvalidate_every = 0\n"
        "[data]\npoints_per_object = 300\ndense_points_per_object = 0\nmin_points = 20\nvalidation_one_in = 0\n"
        "[losses]\nmatching_from = 0\ncontrast = false\ncoarse = 1.0\nfine = 1.0\northonormal = 10.0\nzero = 10.0\n"
    )
    return file
