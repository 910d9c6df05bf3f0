// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>

#include "pmtr/core/random.h"

namespace pmtr {

/// How rough a fracture surface is.
struct RoughnessOptions {
  /// Height of the largest bumps over the size of the part that breaks. 0: flat.
  double amplitude = 0.05;
  /// Length of the largest bumps over the size of the part that breaks.
  double wavelength = 0.6;
  int scales = 4;            ///< each half as long as the one before; at least 1
  double persistence = 0.5;  ///< height of each scale over that of the one before
  /// 0: smooth, rounded bumps; 1: ridges and grooves along one direction, as splintered wood has them.
  double splinter = 0.0;
};

/// A height over a plane: gradient noise at several scales, drawn from the random numbers.
class HeightNoise {
 public:
  HeightNoise(const RoughnessOptions& options, double size, double finest, Random& random);

  double height(double u, double v) const;
  double bound() const { return bound_; }  ///< no height is above this or below its negative

 private:
  double octaves(double u, double v, bool ridged) const;

  std::uint64_t seed_;
  double amplitude_;
  double frequency_;
  int scales_;
  double persistence_;
  double splinter_;
  double cos_ = 1;
  double sin_ = 0;
  double bound_ = 0;
};

}  // namespace pmtr
