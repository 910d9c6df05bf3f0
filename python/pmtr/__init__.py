# SPDX-License-Identifier: Apache-2.0
# Copyright The pmtr authors
"""pmtr puts broken 3D objects back together.

    >>> import pmtr
    >>> assembly = pmtr.assemble(pmtr.example("bowl"))
    >>> assembly
    <pmtr.Assembly: 5 of 5 fragments placed, ... joints>

docs/python.md has the rest.
"""

from ._assembly import Assembly, Joint, Part
from ._broken import Broken, Dataset, Scattered, fracture
from ._build import VERSION as __version__
from ._errors import InputError, InputWarning, InternalError
from ._mesh import Mesh, as_mesh, make_shape, read_mesh, render, shapes
from ._network_work import (
    Encoder,
    Evaluation,
    Features,
    Matches,
    Scores,
    Training,
    assemble,
    evaluate,
    match,
    train,
)
from ._paths import example
from ._poses import PoseCandidate, RotationAverage, Surface, average_rotations, chamfer_distance, search_poses
from ._progress import TextProgress

__all__ = [
    "Assembly",
    "Broken",
    "Dataset",
    "Encoder",
    "Evaluation",
    "Features",
    "InputError",
    "InputWarning",
    "InternalError",
    "Joint",
    "Matches",
    "Mesh",
    "Part",
    "PoseCandidate",
    "RotationAverage",
    "Scattered",
    "Scores",
    "Surface",
    "TextProgress",
    "Training",
    "__version__",
    "as_mesh",
    "assemble",
    "average_rotations",
    "chamfer_distance",
    "evaluate",
    "example",
    "fracture",
    "make_shape",
    "match",
    "read_mesh",
    "render",
    "search_poses",
    "shapes",
    "train",
]

# People see where to import them from, not which file they are written in.
for _name in __all__:
    if hasattr(globals()[_name], "__module__"):
        globals()[_name].__module__ = "pmtr"
del _name
