// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <algorithm>
#include <cmath>

#include "pmtr/core/odds.h"
#include "pmtr/pose/joint.h"

namespace pmtr {

/// How much a joint's confidence says for it: the logarithm of its odds. 0.5 says nothing; no single joint is
/// ever beyond doubt, so it ends at 99 %.
inline double log_odds(double confidence) { return log_odds(confidence, 0.01); }

/// The weight of a joint among others that agree with it. It grows with the evidence: with the confidence,
/// and with the root of the number of points in contact (or of matches, where contact was not measured),
/// because their errors are not independent.
inline double joint_weight(const Joint& joint) {
  const double points = joint.evidence ? static_cast<double>(joint.evidence->contact_points)
                                       : static_cast<double>(joint.matches);
  return std::max(0.01, joint.confidence) * std::sqrt(std::max(1.0, points));
}

}  // namespace pmtr
