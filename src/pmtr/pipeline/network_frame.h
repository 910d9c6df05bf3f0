// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/core/threads.h"
#include "pmtr/mesh/triangle_mesh.h"
#include "pmtr/sample/point_cloud.h"

namespace pmtr {

/// A fragment in the network's units: centred on the mean of its points, the object's longest side 1.
struct NetworkFrame {
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< in the input's coordinates
  double object_size = 1.0;                          ///< what is divided by
  double area = 0.0;                                 ///< of the surface, in network units
  PointCloud cloud;                                  ///< what the network sees
  PointCloud dense;                                  ///< begins with the points of `cloud`
};

/// Samples all fragments of an object, densely and, as the beginning of that, for the network.
Result<std::vector<NetworkFrame>> sample_for_network(std::span<const TriangleMesh> fragments, int points,
                                                     int dense_points, double object_size, std::uint64_t seed,
                                                     Threads& threads);

/// Moves every point at random, by `sigma` of the object's size in each direction; normals stay.
void add_noise(std::span<NetworkFrame> frames, double sigma, std::uint64_t seed);

/// A pose between two frames in the input's coordinates.
Rigid3 to_input_units(const Rigid3& a_from_b, const NetworkFrame& a, const NetworkFrame& b);
/// And back.
Rigid3 to_network_units(const Rigid3& a_from_b, const NetworkFrame& a, const NetworkFrame& b);

}  // namespace pmtr
