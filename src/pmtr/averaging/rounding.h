// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <vector>

#include <Eigen/Core>

#include "pmtr/averaging/stiefel.h"

namespace pmtr {

struct Rounded {
  std::vector<Eigen::Matrix3d> rotations;
  int rank = 0;  ///< of the lifted point; 3 means that nothing was lost
};

/// The rotations nearest to a lifted point: its best three dimensions, then the nearest rotation block by
/// block.
Rounded round_to_rotations(const Lifted& y);

Eigen::Matrix3d nearest_rotation(const Eigen::Matrix3d& matrix);

}  // namespace pmtr
