// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/match_inliers.h"

#include <vector>

namespace pmtr {

MatchInliers& MatchInliers::operator+=(const MatchInliers& other) {
  superpoints += other.superpoints;
  right_superpoints += other.right_superpoints;
  points += other.points;
  right_points += other.right_points;
  return *this;
}

MatchInliers count_inliers(const FragmentFeatures& source, const FragmentFeatures& target,
                           const PairMatches& matches, const Rigid3& true_source_from_target, double radius) {
  std::vector<Eigen::Vector3f> moved;
  moved.reserve(target.points.size());
  for (const Eigen::Vector3f& p : target.points)
    moved.emplace_back((true_source_from_target * p.cast<double>()).cast<float>());
  const auto limit = static_cast<float>(radius * radius);
  const auto touch = [&](std::int32_t a, std::int32_t b) {
    return (source.points[static_cast<std::size_t>(a)] - moved[static_cast<std::size_t>(b)]).squaredNorm() <
           limit;
  };
  MatchInliers inliers;
  for (const SuperpointMatch& match : matches.superpoints) {
    ++inliers.superpoints;
    const auto patches_touch = [&] {
      for (const std::int32_t a : source.patches.of(match.source))
        for (const std::int32_t b : target.patches.of(match.target))
          if (touch(a, b)) return true;
      return false;
    };
    inliers.right_superpoints += patches_touch() ? 1 : 0;
  }
  for (const Correspondence& match : matches.correspondences) {
    ++inliers.points;
    inliers.right_points += touch(match.source, match.target) ? 1 : 0;
  }
  return inliers;
}

}  // namespace pmtr
