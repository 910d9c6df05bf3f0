// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include "pmtr/render/render.h"
#include "pmtr/report/record/assembly_json.h"

namespace pmtr {

/// Where everything stands in pictures and in the viewer. Components have frames of their own, so they are
/// put side by side, each stood up by its shape (z is up); fragments without a place come after them. For
/// looking only: nothing of this goes into the matrices that are written.
struct DisplayLayout {
  std::vector<Rigid3> view_from_part;
  std::vector<Eigen::Vector3d> explode;  ///< where each part goes at explode factor 1
};

DisplayLayout lay_out(const AssemblyRecord& record, std::span<const TriangleMesh* const> meshes);

/// The placed parts, coloured by number and pulled apart by `factor`.
std::vector<RenderPart> placed_parts(const AssemblyRecord& record,
                                     std::span<const TriangleMesh* const> meshes, const DisplayLayout& layout,
                                     double factor);

}  // namespace pmtr
