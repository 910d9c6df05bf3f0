// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/pose_clusters.h"

#include <cmath>

namespace pmtr {

double pose_distance(const OrientedCloud& b, const Rigid3& first, const Rigid3& second) {
  const Eigen::Matrix3d turn = first.rotation - second.rotation;
  const Eigen::Vector3d shift = turn * b.centre + first.translation - second.translation;
  return std::sqrt(shift.squaredNorm() + (turn * b.covariance * turn.transpose()).trace());
}

std::vector<std::size_t> distinct_poses(const OrientedCloud& b, std::span<const Rigid3> poses,
                                        double distance, std::size_t limit) {
  std::vector<std::size_t> kept;
  std::vector<Eigen::Vector3d> centres;
  for (std::size_t i = 0; i < poses.size() && kept.size() < limit; ++i) {
    const Eigen::Vector3d centre = poses[i] * b.centre;
    bool isolated = true;
    for (std::size_t k = 0; k < kept.size() && isolated; ++k) {
      // The centres alone are a lower bound.
      if ((centres[k] - centre).squaredNorm() > distance * distance) continue;
      isolated = pose_distance(b, poses[i], poses[kept[k]]) > distance;
    }
    if (!isolated) continue;
    kept.push_back(i);
    centres.push_back(centre);
  }
  return kept;
}

}  // namespace pmtr
