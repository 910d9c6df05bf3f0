// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include "pmtr/core/index.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/pose/oriented_cloud.h"

namespace pmtr {

/// Which of some fragments can touch at all, by the balls around them: asked before anything that costs more.
class Reach {
 public:
  /// The balls are larger than the fragments by this many of their point spacings.
  explicit Reach(std::span<const OrientedCloud> clouds, double spacings = 0.0) {
    for (const OrientedCloud& cloud : clouds) {
      centre_.push_back(cloud.centre);
      radius_.push_back(cloud.reach() + spacings * static_cast<double>(cloud.spacing));
    }
  }

  bool meet(int a, int b, const Rigid3& a_from_b) const {
    return (a_from_b * centre_[at(b)] - centre_[at(a)]).norm() <= radius_[at(a)] + radius_[at(b)];
  }

 private:
  std::vector<Eigen::Vector3d> centre_;
  std::vector<double> radius_;
};

}  // namespace pmtr
