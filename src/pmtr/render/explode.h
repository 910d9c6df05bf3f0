// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include <Eigen/Geometry>

#include "pmtr/mesh/measures.h"
#include "pmtr/render/render.h"

namespace pmtr {

/// The parts pulled apart: each box centre moves away from the centre of all by `factor` times its distance
/// from it. 0 leaves everything in place; 0.5 shows most fractures.
inline std::vector<RenderPart> exploded(std::span<const RenderPart> parts, double factor) {
  std::vector<RenderPart> moved(parts.begin(), parts.end());
  std::vector<Eigen::AlignedBox3d> boxes(parts.size());
  Eigen::AlignedBox3d all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    boxes[i] = bounding_box(*parts[i].mesh, parts[i].world_from_part);
    if (!boxes[i].isEmpty()) all.extend(boxes[i]);
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (boxes[i].isEmpty()) continue;
    moved[i].world_from_part.translation += factor * (boxes[i].center() - all.center());
  }
  return moved;
}

}  // namespace pmtr
