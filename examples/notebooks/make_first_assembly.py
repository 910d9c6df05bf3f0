# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""Writes first_assembly.ipynb, or checks that it runs:

    python3 make_first_assembly.py write     executes the cells below and writes the notebook with its output
    python3 make_first_assembly.py check     executes the notebook that is there
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).with_name("first_assembly.ipynb")

CELLS = [
    ("text", """# A first assembly

Break a shape, look, put it together, look, measure, change an option, train for ten updates."""),
    ("code", """import pmtr

encoder = pmtr.Encoder()
encoder"""),
    ("text", """## Break a shape"""),
    ("code", """bowl = pmtr.make_shape("bowl", seed=1)
broken = pmtr.fracture(bowl, pieces=4, seed=3, callback=False)
broken"""),
    ("text", """The pieces as a finder has them: each turned and moved at random."""),
    ("code", """scattered = broken.scatter(seed=1)
scattered.pieces[0]"""),
    ("text", """## Put it together"""),
    ("code", """assembly = pmtr.assemble(scattered.pieces, encoder=encoder, callback=False)
assembly"""),
    ("text", """Where each piece goes, and how sure that is:"""),
    ("code", """for part in assembly.parts:
    print(part)
for joint in assembly.joints:
    if joint.used:
        print(joint)"""),
    ("text", """`assembly.show()` opens the report, where the object can be turned and pulled apart."""),
    ("text", """## Measure

The truth is known here."""),
    ("code", """pmtr.evaluate(assembly, scattered)"""),
    ("text", """## Change an option

Tell the size of the whole object, and join only what is confirmed."""),
    ("code", """strict = pmtr.assemble(
    scattered.pieces, encoder=encoder, object_size=scattered.object_size, only_confirmed=True, callback=False
)
print(strict)
pmtr.evaluate(strict, scattered)"""),
    ("text", """## Train for ten updates

A small network on a small dataset: enough to see that the loss is a number. configs/ has the runs that made the weights."""),
    ("code", '''import tempfile
from pathlib import Path

folder = Path(tempfile.mkdtemp())
for i in range(2):
    broken.save(folder / f"data/everyday/Bowl/{i}/fractured_0")
(folder / "small.toml").write_text("""
[network]
surface_input = false
fracture_head = false
fracture_context = false
[train]
batch = 1
validate_every = 0
[data]
points_per_object = 500
dense_points_per_object = 0
min_points = 20
validation_one_in = 0
[losses]
matching_from = 0
contrast = false
coarse = 1.0
fine = 1.0
""")
losses = []


def heard(stage, done, total):
    if total == 10:
        losses.append(stage)


run = pmtr.train(folder / "data", folder / "run", config=folder / "small.toml", steps=10, callback=heard)
print(run.steps, "updates,", len(losses), "heard of")
assert run.losses["total"] > 0'''),
]


def fresh() -> nbformat.NotebookNode:
    notebook = nbformat.v4.new_notebook()
    for i, (kind, cell) in enumerate(CELLS):
        make = nbformat.v4.new_markdown_cell if kind == "text" else nbformat.v4.new_code_cell
        notebook.cells.append(make(cell, id=f"cell-{i}"))
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return notebook


def main() -> int:
    if len(sys.argv) != 2 or sys.argv[1] not in ("write", "check"):
        print(__doc__, file=sys.stderr)
        return 2
    writing = sys.argv[1] == "write"
    notebook = fresh() if writing else nbformat.read(NOTEBOOK, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": folder}}).execute()
    if writing:
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)  # when a cell ran is nobody's business
        notebook.metadata["language_info"] = {"name": "python"}
        nbformat.write(notebook, NOTEBOOK)
    return 0


if __name__ == "__main__":
    sys.exit(main())
