// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/threads.h"
#include "pmtr/pyramid/pyramid.h"

namespace pmtr {

/// Planes through the neighbours of every point, without a side. Private to this stage.
struct PlaneNormals {
  std::vector<Eigen::Vector3f> normals;
  std::vector<float> spacing;  ///< mean distance between points around here
  int neighbours = 0;          ///< that the planes were fitted to
};

/// Takes more neighbours, up to eight times as many, until most planes are thin. At an edge, where a plane
/// would lie across both sides, a point takes the thin plane of a neighbour that it lies on. Then all planes
/// are fitted again, to twice as many points, those that lie near them and look their way.
PlaneNormals fit_planes(std::span<const Eigen::Vector3f> points, int neighbours, Threads& threads);

/// The nearest points of every point, itself among them.
NeighbourTable nearest_points(std::span<const Eigen::Vector3f> queries,
                              std::span<const Eigen::Vector3f> points, int count, Threads& threads);

}  // namespace pmtr
