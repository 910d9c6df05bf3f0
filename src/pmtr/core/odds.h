// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <algorithm>
#include <cmath>

namespace pmtr {

/// The logistic function: the probability that has these log odds.
inline double probability_of(double log_odds) { return 1.0 / (1.0 + std::exp(-log_odds)); }

/// The logarithm of the odds of a probability, which counts as no nearer to 0 and 1 than `doubt`.
inline double log_odds(double probability, double doubt) {
  const double p = std::clamp(probability, doubt, 1.0 - doubt);
  return std::log(p / (1.0 - p));
}

}  // namespace pmtr
