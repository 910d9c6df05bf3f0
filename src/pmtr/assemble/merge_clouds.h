// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "pmtr/core/rigid3.h"
#include "pmtr/core/threads.h"
#include "pmtr/match/fragment_features.h"
#include "pmtr/pose/mating_icp.h"
#include "pmtr/pose/oriented_cloud.h"

namespace pmtr {

/// Says which places of one of several joined fragments lie in their joints.
class JointCover {
 public:
  JointCover(std::span<const StandingCloud> parts, std::size_t own);
  /// Does the surface of another part lie against this place of the own one?
  bool operator()(const Eigen::Vector3f& position, const Eigen::Vector3f& normal) const;

 private:
  struct Neighbour {
    const OrientedCloud* cloud;
    Eigen::Matrix3f rotation;
    Eigen::Vector3f translation;
  };
  std::vector<Neighbour> others_;
};

/// Fragments that are joined, as one: all their points in the common frame, without those that lie in the
/// joints. What is left of the fractures is what others can still be joined to.
OrientedCloud merge_clouds(std::span<const StandingCloud> parts, const OrientedCloudOptions& options,
                           Threads& threads);

/// The same of what the network says of their breaks, as far as poses_from_nearest needs it: break points
/// and features. `features` has one entry per part.
FragmentFeatures merge_breaks(std::span<const StandingCloud> parts,
                              std::span<const FragmentFeatures* const> features);

}  // namespace pmtr
