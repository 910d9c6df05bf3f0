// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

namespace pmtr::command {

/// The points of one fragment, centred and turned at random, and the same points in the whole object.
struct BenchFragment {
  std::vector<Eigen::Vector3f> points;
  std::vector<Eigen::Vector3f> assembled;
};

/// A ball of diameter 1 broken into `parts` along rough walls, sampled with about `points` points in total.
/// Work to measure on, at any size and number of parts, without any file.
std::vector<BenchFragment> broken_ball(int parts, int points, std::uint64_t seed);

}  // namespace pmtr::command
