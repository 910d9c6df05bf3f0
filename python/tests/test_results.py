# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""What comes back: readable, whole, and right."""

from __future__ import annotations

import base64
import pickle
import re
from pathlib import Path
from typing import Any, List

import numpy as np
import pytest

import pmtr


def angle_between(a: Any, b: Any) -> float:
    cosine = (np.trace(a[:3, :3].T @ b[:3, :3]) - 1) / 2
    return float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))


def test_an_object_is_broken_assembled_and_right(encoder: pmtr.Encoder) -> None:
    broken = pmtr.fracture(pmtr.make_shape("bowl", seed=1), pieces=3, seed=3)
    scattered = broken.scatter(seed=1)
    found = pmtr.assemble(scattered.pieces, encoder=encoder, object_size=scattered.object_size)
    scores = pmtr.evaluate(found, scattered)
    assert isinstance(scores, pmtr.Scores)
    assert scores["complete"], scores
    # The same by hand: two pieces stand to each other as they did before.
    truth = np.linalg.inv(scattered.world_from_piece[0]) @ scattered.world_from_piece[1]
    a, b = (part.world_from_part for part in found.parts[:2])
    assert a is not None and b is not None
    assert angle_between(np.linalg.inv(a) @ b, truth) < 5
    assert scores["rot_deg"] < 5 and "complete" in repr(scores)


def test_the_scores_are_bad_where_the_pose_is(broken: pmtr.Broken, encoder: pmtr.Encoder) -> None:
    scattered, other = broken.scatter(seed=1), broken.scatter(seed=2)
    found = pmtr.assemble(scattered.pieces, encoder=encoder, place_all=True)
    wrong = pmtr.evaluate(found, other)  # the same pieces, scattered in another way
    assert isinstance(wrong, pmtr.Scores)
    assert wrong["rot_deg"] > 5 and not wrong["complete"]


def test_pieces_fit_each_other_exactly(broken: pmtr.Broken) -> None:
    places = [set(map(tuple, piece.vertices.tolist())) for piece in broken.pieces]
    for a, b, area in broken.mating:
        assert len(places[a] & places[b]) >= 3 and area > 0
    assert sum(piece.volume for piece in broken.pieces) == pytest.approx(pmtr.make_shape("bowl", 1, around=48).volume)


def test_a_notebook_shows_a_picture(assembly: pmtr.Assembly, broken: pmtr.Broken) -> None:
    for value in (assembly, broken, broken.pieces[0]):
        page = value._repr_html_()
        data = re.search(r"data:image/png;base64,([A-Za-z0-9+/=]+)", page)
        assert data is not None
        assert base64.b64decode(data[1]).startswith(b"\x89PNG")


def test_poses_are_named_and_consistent(assembly: pmtr.Assembly) -> None:
    for joint in assembly.joints:
        assert joint.a_from_b.shape == (4, 4)
        assert np.array_equal(joint.a_from_b[3], [0, 0, 0, 1])
        if joint.used:
            a, b = (assembly.parts[i].world_from_part for i in (joint.a, joint.b))
            assert a is not None and b is not None
            assert angle_between(np.linalg.inv(a) @ b, joint.a_from_b) < 10


def test_saved_and_loaded_is_the_same(assembly: pmtr.Assembly, tmp_path: Path) -> None:
    assembly.save(tmp_path / "out", report=False)
    again = pmtr.Assembly.load(tmp_path / "out")
    for a, b in zip(again.parts, assembly.parts):
        assert np.array_equal(a.world_from_part, b.world_from_part)  # type: ignore[arg-type]
    assert repr(again) == repr(assembly)


def test_fragments_of_arrays_are_saved_as_ply(
    scattered: pmtr.Scattered, encoder: pmtr.Encoder, tmp_path: Path
) -> None:
    arrays = [pmtr.Mesh(np.array(m.vertices), np.array(m.faces)) for m in scattered.pieces]
    found = pmtr.assemble(arrays, encoder=encoder, place_all=True)
    found.save(tmp_path, report=False)
    for i, part in enumerate(found.parts):
        assert part.world_from_part is not None
        placed = pmtr.read_mesh(tmp_path / f"fragment_{i}.ply").vertices
        expected = arrays[i].vertices @ part.world_from_part[:3, :3].T + part.world_from_part[:3, 3]
        assert np.allclose(placed, expected, atol=1e-9)


def test_breaks_are_seen(broken: pmtr.Broken, encoder: pmtr.Encoder) -> None:
    """The network says more often "broken" near true breaks than elsewhere."""
    features = encoder.encode(broken.pieces, object_size=1.0)
    piece, said = broken.pieces[0], features[0]
    assert said.broken is not None and said.broken.shape == (len(said.points),)
    true_faces = broken.partners[0] >= 0
    middles = piece.vertices[piece.faces[true_faces]].mean(axis=1)
    near = np.array([((middles - point) ** 2).sum(axis=1).min() < 0.02**2 for point in said.points])
    assert said.broken[near].mean() > said.broken[~near].mean() + 0.3


def test_the_search_finds_the_pose_of_two_pieces(broken: pmtr.Broken) -> None:
    pair = broken.mating[int(np.argmax([area for _, _, area in broken.mating]))][:2]
    scattered = broken.scatter(seed=4, pieces=list(pair))
    surfaces: List[pmtr.Surface] = []
    for piece, partners in zip(scattered.pieces, scattered.partners):
        points, normals = piece.sample(3000)
        middles = piece.vertices[piece.faces].mean(axis=1)
        nearest = [int(np.argmin(((middles - point) ** 2).sum(axis=1))) for point in points]
        broken_here = (partners[nearest] >= 0).astype(np.float64)
        surfaces.append(pmtr.Surface(points, normals, broken_here, area=piece.area, object_size=1.0))
    best = pmtr.search_poses(*surfaces)[0]
    truth = np.linalg.inv(scattered.world_from_piece[0]) @ scattered.world_from_piece[1]
    assert angle_between(best.a_from_b, truth) < 5
    assert np.linalg.norm(best.a_from_b[:3, 3] - truth[:3, 3]) < 0.05
    assert best.evidence["contact_area"] > 0


def test_a_wrong_edge_is_left_out() -> None:
    rng = np.random.default_rng(1)
    turns = [np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(6)]
    turns = [turn * np.sign(np.linalg.det(turn)) for turn in turns]
    pairs = np.array([(a, b) for a in range(6) for b in range(a + 1, 6)], dtype=np.int32)
    measured = np.stack([turns[a].T @ turns[b] for a, b in pairs])
    measured[4] = turns[0]
    found = pmtr.average_rotations(6, pairs, measured)
    assert found.optimal and not found.kept[4] and found.kept.sum() == len(pairs) - 1
    assert np.allclose(found.world_from_node[3], turns[0].T @ turns[3], atol=1e-6)
    bent = pmtr.average_rotations(6, pairs, measured, robust=False)
    assert not np.allclose(bent.world_from_node[3], turns[0].T @ turns[3], atol=1e-3)


def test_a_dataset_is_a_sequence(dataset_folder: Path) -> None:
    dataset = pmtr.Dataset(dataset_folder)
    assert len(dataset) == 1 and len(list(dataset)) == 1 and repr(dataset).endswith("1 fractures>")
    assert np.array_equal(dataset[-1].pieces[0].faces, dataset[0].pieces[0].faces)
    with pytest.raises(IndexError):
        dataset[1]
    again = pickle.loads(pickle.dumps(dataset))
    assert again.names == dataset.names
    with pytest.raises(TypeError, match="only what fracture"):
        dataset[0].save(dataset_folder / "x")


def test_what_is_broken_can_be_pickled(broken: pmtr.Broken, dataset_folder: Path) -> None:
    """Workers of a data loader send their samples back in this way."""
    for value in (broken, pmtr.Dataset(dataset_folder)[0]):
        again = pickle.loads(pickle.dumps(value))
        assert again.name == value.name
        for a, b in zip(again.pieces, value.pieces):
            assert np.array_equal(a.vertices, b.vertices) and np.array_equal(a.faces, b.faces)
        scattered = value.scatter(seed=2, pieces=[0, 1])
        poses = pickle.loads(pickle.dumps(scattered)).world_from_piece
        assert np.array_equal(poses, scattered.world_from_piece)


def test_a_training_pair_is_true(dataset_folder: Path) -> None:
    pair = pmtr.Dataset(dataset_folder).pair(0, seed=3)
    again = pmtr.Dataset(dataset_folder).pair(0, seed=3)
    assert np.array_equal(pair["source"]["points"], again["source"]["points"])
    moved = pair["target"]["points"] @ pair["source_from_target"][:3, :3].T + pair["source_from_target"][:3, 3]
    source = pair["source"]["points"][pair["source"]["mating"] == 1]
    target = moved[pair["target"]["mating"] == 1]
    distances = np.linalg.norm(source[:, None] - target[None], axis=2).min(axis=1)
    assert np.median(distances) < 0.02  # the mating surfaces lie on each other


def test_a_torch_data_loader_takes_it(dataset_folder: Path) -> None:
    data = pytest.importorskip("torch.utils.data", reason="PyTorch for Python is not installed")
    loader = data.DataLoader(pmtr.Dataset(dataset_folder), collate_fn=list, num_workers=1, timeout=120)
    assert [len(batch[0].pieces) for batch in loader] == [4]


def test_a_dataset_is_evaluated(dataset_folder: Path, encoder: pmtr.Encoder) -> None:
    found = pmtr.evaluate(dataset_folder, encoder=encoder)
    assert isinstance(found, pmtr.Evaluation)
    assert len(found.to_dict()["samples"]) == 1
    assert "|" in found.tables and "1 samples" in repr(found)
    stopped: List[Any] = []

    def stop(*at: Any) -> None:
        stopped.append(at)
        raise StopIteration

    with pytest.raises(StopIteration):
        pmtr.evaluate(dataset_folder, encoder=encoder, callback=stop)


def test_training_learns_and_goes_on(broken: pmtr.Broken, tmp_path: Path, tiny_config: Path) -> None:
    for i in range(2):
        broken.save(tmp_path / f"data/everyday/Bowl/{i}/fractured_0")
    seen: List[Any] = []

    def stop_after_two(stage: str, done: int, total: int) -> None:
        if "loss" in stage or total == 3:
            seen.append((stage, done, total))
        if total == 3 and done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pmtr.train(tmp_path / "data", tmp_path / "run", config=tiny_config, steps=3, callback=stop_after_two)
    run = pmtr.train(tmp_path / "data", tmp_path / "run", config=tiny_config, steps=3, resume=True)
    assert run.first_step == 2 and run.steps == 3 and run.losses["total"] > 0
    assert Path(run.weights).exists()
    assert pmtr.Encoder(run.weights).trained
