// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "pmtr/breaks/break_cloud.h"
#include "pmtr/match/superpoint_patches.h"

namespace pmtr {

/// Rows of features, row-major, without torch.
struct FeatureMatrix {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::vector<float> values;

  std::span<const float> row(std::int64_t i) const {
    return {values.data() + i * columns, static_cast<std::size_t>(columns)};
  }
};

/// A fragment's features in one role.
struct RoleFeatures {
  FeatureMatrix coarse;  ///< [superpoints, 512], unit rows
  FeatureMatrix fine;    ///< [points, 128]
};

/// What a network keeps of a fragment until a partner is known; only the network knows what is inside.
struct UnmatchedFragment {
  virtual ~UnmatchedFragment() = default;
};

/// All that matching needs to know of a fragment, made once per fragment.
struct FragmentFeatures {
  std::vector<Eigen::Vector3f> points;       ///< level 0 of its pyramid
  std::vector<Eigen::Vector3f> superpoints;  ///< level 2
  SuperpointPatches patches;
  std::vector<float>
      fracture;       ///< per dense point of the input, the probability of being broken there; or none
  BreakCloud breaks;  ///< where the network reads breaks: its points, with their frames; else empty
  RoleFeatures as_source;
  RoleFeatures as_target;
  /// In place of both roles where the network's matchers look at the partner (FragmentEncoder::match).
  std::shared_ptr<const UnmatchedFragment> unmatched;
};

}  // namespace pmtr
