// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/core/rigid3.h"
#include "pmtr/match/match_pair.h"

namespace pmtr {

/// Of all matches between two fragments, how many are right.
struct MatchInliers {
  int superpoints = 0;
  int right_superpoints = 0;  ///< some point of one patch touches one of the other
  int points = 0;
  int right_points = 0;  ///< the two points touch

  MatchInliers& operator+=(const MatchInliers& other);
};

/// Points touch if the true pose brings them within the radius; all in the units of the features' points.
MatchInliers count_inliers(const FragmentFeatures& source, const FragmentFeatures& target,
                           const PairMatches& matches, const Rigid3& true_source_from_target, double radius);

}  // namespace pmtr
