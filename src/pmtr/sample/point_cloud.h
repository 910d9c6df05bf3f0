// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <vector>

#include <Eigen/Core>

namespace pmtr {

struct PointCloud {
  std::vector<Eigen::Vector3f> points;
  std::vector<Eigen::Vector3f> normals;  ///< unit, outward, one per point; or empty if unknown
};

}  // namespace pmtr
