// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "pmtr/train/batch_gradient.h"

namespace pmtr::test {

/// Two bumpy half spheres that touch along a disc.
inline PairSample random_pair(std::uint64_t seed, int points) {
  Random random(seed);
  std::vector<Eigen::Vector3f> assembled[2];
  for (int side = 0; side < 2; ++side) {
    for (int i = 0; i < points; ++i) {
      const Eigen::Vector3d v = random.rotation().col(0);
      const double z = side == 0 ? std::abs(v.z()) : -std::abs(v.z());
      const bool wall = i % 3 == 0;
      const Eigen::Vector3d p(v.x(), v.y(), wall ? 0.1 * std::sin(9.0 * v.x()) : z);
      assembled[side].push_back((0.3 * p).cast<float>());
    }
  }
  PairSample sample;
  const auto build = [](const std::vector<Eigen::Vector3f>& cloud) {
    return *build_pyramid(cloud, PyramidOptions{}, Threads::none());
  };
  sample.source.input.pyramid = build(assembled[0]);
  sample.target.input.pyramid = build(assembled[1]);
  sample.truth = find_pair_truth(sample.source.input.pyramid, sample.target.input.pyramid, assembled[0],
                                 assembled[1], PairTruthOptions{}, random, Threads::none());
  EXPECT_FALSE(sample.truth.superpoint_pairs.empty());
  return sample;
}

}  // namespace pmtr::test
