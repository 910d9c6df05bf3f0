// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>

#include <Eigen/Core>

namespace pmtr {

/// A stream of random numbers (xoshiro256**, seeded by splitmix64). It is passed in, never global, and its
/// distributions are our own because the standard library's differ between implementations: the same seed
/// gives the same numbers everywhere.
class Random {
 public:
  /// Streams of one seed are independent: use one per fragment, sample or worker.
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t bits();
  double uniform();                         ///< in [0, 1)
  double uniform(double low, double high);  ///< in [low, high)
  std::uint64_t below(std::uint64_t n);     ///< in {0, ..., n-1}; n > 0
  double normal();                          ///< mean 0, variance 1
  Eigen::Matrix3d rotation();               ///< uniform over SO(3)

  /// Everything there is to save and restore.
  std::array<std::uint64_t, 4> state() const { return state_; }
  void restore(const std::array<std::uint64_t, 4>& state) { state_ = state; }

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace pmtr
