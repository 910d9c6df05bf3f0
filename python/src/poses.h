// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <pybind11/pybind11.h>

#include "pmtr/pose/joint_evidence.h"
#include "pmtr/pose/oriented_cloud.h"
#include "pmtr/sample/fragment_clouds.h"

namespace pmtr::python {

/// A surface ready for the search of poses, with the way back to the caller's coordinates.
struct Surface {
  OrientedCloud cloud;
  FragmentClouds frame;  ///< only centre and unit
};

pybind11::dict evidence_dict(const JointEvidence& evidence);

/// Search of poses, averaging of rotations, measures.
void bind_poses(pybind11::module_& module);

}  // namespace pmtr::python
