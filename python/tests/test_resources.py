# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""What it costs: time to import, memory, and how it lives beside other threads."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, List

import numpy as np
import pytest

import pmtr


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def run(code: str, **options: Any) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, **options)


def test_import_is_quick_and_loads_no_torch() -> None:
    code = (
        "import time, sys; began = time.process_time(); import pmtr; took = time.process_time() - began\n"
        "maps = open('/proc/self/maps').read()\n"
        "assert not [name for name in sys.modules if name.split('.')[0] == 'torch'], 'torch is imported'\n"
        "assert 'pmtr._network' not in sys.modules\n"
        "assert 'libtorch' not in maps and 'libc10' not in maps, 'torch is loaded'\n"
        "assert '_geometry' in maps\n"
        "print(took)"
    )
    # Processor time, for other programs run beside the tests; the best of five, for caches are cold at first.
    times = [float(run(code).stdout) for _ in range(5)]
    assert min(times) < 0.15, times


def test_the_network_is_loaded_when_it_is_needed() -> None:
    code = (
        "import pmtr\n"
        "pmtr.Encoder()\n"
        "import sys; assert 'pmtr._network' in sys.modules\n"
        "assert 'libtorch' in open('/proc/self/maps').read()\n"
    )
    run(code)


def test_a_large_array_is_not_copied() -> None:
    vertices = np.random.default_rng(0).random((1_000_000, 3))
    faces = np.zeros((1_000_000, 3), dtype=np.int32)
    faces[:, 1], faces[:, 2] = 1, 2
    small = pmtr.Mesh(vertices[:10].copy())  # what is loaded once is loaded now
    assert small.vertices.shape == (10, 3)
    gc.collect()
    before = resident_bytes()
    meshes = [pmtr.Mesh(vertices, faces) for _ in range(10)]
    grown = resident_bytes() - before
    assert grown < 1_000_000, f"ten meshes of 36 MB took {grown} bytes"
    assert all(mesh.vertices is vertices and mesh.faces is faces for mesh in meshes)
    assert np.shares_memory(meshes[0].vertices, vertices)


def test_what_was_read_is_not_copied_on_the_way_out() -> None:
    mesh = pmtr.read_mesh(pmtr.example()[0])
    assert np.shares_memory(mesh.vertices, mesh.vertices)


def check_memory(call: Any, calls: int, allowed: int) -> None:
    """A leak grows with the calls: the second half must not add to the first."""
    for _ in range(max(2, calls // 10)):
        call()
    gc.collect()
    before = resident_bytes()
    for _ in range(calls):
        call()
    gc.collect()
    grown = resident_bytes() - before
    assert grown < allowed, f"{calls} calls took {grown} bytes"


def test_memory_does_not_grow_over_200_calls(shape: pmtr.Mesh) -> None:
    vertices, faces = np.array(shape.vertices), np.array(shape.faces)

    def call() -> None:
        mesh = pmtr.Mesh(vertices, faces)
        points, normals = mesh.sample(500)
        pmtr.Surface(points, normals, np.ones(len(points)), area=mesh.area, object_size=1.0)
        mesh.moved(np.eye(4)).vertices.sum()
        with pytest.raises(pmtr.InputError):
            pmtr.Mesh(vertices, faces + np.int32(10**6))

    check_memory(call, 200, 4_000_000)


def test_memory_does_not_grow_over_200_assemblies(encoder: pmtr.Encoder) -> None:
    """Of one fragment each, which goes the whole way but for the search: two fragments take fifty times as long."""
    ball = pmtr.make_shape("blob", seed=1, around=16)
    piece = pmtr.fracture(ball, pieces=2, seed=1, detail=0.2).scatter(seed=1).pieces[0]
    heard: List[str] = []

    def call() -> None:
        found = pmtr.assemble(
            [piece], encoder=encoder, points=64, threads=1, callback=lambda stage, done, total: heard.append(stage)
        )
        found.to_dict()
        heard.clear()

    check_memory(call, 200, 16_000_000)


def test_memory_does_not_grow_over_assemblies_of_two(scattered: pmtr.Scattered, encoder: pmtr.Encoder) -> None:
    pieces = scattered.pieces[:2]
    check_memory(lambda: pmtr.assemble(pieces, encoder=encoder, points=64, threads=1), 8, 32_000_000)


def test_two_threads_assemble_at_once(encoder: pmtr.Encoder, assembly: pmtr.Assembly) -> None:
    bowl = pmtr.example("bowl")
    found: List[Any] = [None, None]

    def work(i: int) -> None:
        found[i] = pmtr.assemble(bowl, encoder=encoder, threads=1)

    team = [threading.Thread(target=work, args=(i,)) for i in range(2)]
    for thread in team:
        thread.start()
    for thread in team:
        thread.join()
    for each in found:
        assert each is not None, "a thread died"
        for a, b in zip(each.parts, assembly.parts):
            assert np.array_equal(a.world_from_part, b.world_from_part)


def test_other_threads_run_meanwhile(encoder: pmtr.Encoder) -> None:
    ticks: List[float] = []
    done = threading.Event()

    def tick() -> None:
        while not done.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.01)

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.monotonic()
    pmtr.assemble(pmtr.example("bowl"), encoder=encoder, threads=1)
    took = time.monotonic() - began
    done.set()
    thread.join()
    during = [at for at in ticks if began < at < began + took]
    assert len(during) > 10 * min(took, 3), f"{len(during)} ticks in {took:.1f} s: the lock was held"


def test_progress_is_heard(encoder: pmtr.Encoder) -> None:
    heard: List[Any] = []
    pmtr.assemble(pmtr.example("bowl"), encoder=encoder, callback=lambda *at: heard.append(at))
    assert len({stage for stage, _, _ in heard}) >= 2
    assert all(isinstance(stage, str) and 0 <= done <= total for stage, done, total in heard)


def test_an_exception_out_of_the_callback_stops_the_work(encoder: pmtr.Encoder) -> None:
    calls = 0

    def stop(stage: str, done: int, total: int) -> None:
        nonlocal calls
        calls += 1
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        pmtr.assemble(pmtr.example("bowl"), encoder=encoder, callback=stop)
    assert calls == 1, "it was called again after it had raised"


INTERRUPTED = """
import os, signal, sys, time, pmtr
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
encoder = pmtr.Encoder()
began = []
def heard(stage, done, total):
    if not began:
        began.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)
try:
    pmtr.assemble(pmtr.example("bowl"), encoder=encoder, threads=2, callback=%s)
except KeyboardInterrupt:
    print("KeyboardInterrupt", time.monotonic() - (began or [time.monotonic()])[0])
else:
    print("it went on to the end")
"""


def test_ctrl_c_stops_the_work() -> None:
    out = run(INTERRUPTED % "heard", timeout=120).stdout
    assert out.startswith("KeyboardInterrupt"), out


def test_ctrl_c_from_outside_without_a_callback_stops_the_work() -> None:
    code = (
        "import pmtr, signal\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "encoder = pmtr.Encoder()\n"
        "print('ready', flush=True)\n"
        "try:\n"
        "    for _ in range(10): pmtr.assemble(pmtr.example('bowl'), encoder=encoder, exhaustive=True)\n"
        "except KeyboardInterrupt: print('KeyboardInterrupt', flush=True)\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        assert child.stdout.readline() == "KeyboardInterrupt\n"
        assert child.wait(timeout=60) == 0


def test_a_warning_can_be_an_error() -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error", pmtr.InputWarning)
        with pytest.raises(pmtr.InputWarning, match="untrained"):
            pmtr.Encoder("none")
