// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstddef>

#include "pmtr/pose/joint_evidence.h"

namespace pmtr {

/// The numbers a confidence is made of; all without unit, so that they mean the same for any object.
struct JointFeatures {
  static constexpr std::size_t count = 12;
  static const std::array<const char*, count> names;
  std::array<double, count> value{};
};

JointFeatures joint_features(const OrientedCloud& a, const OrientedCloud& b, const JointEvidence& evidence);

/// Logistic model; the table is fitted on pairs that touch, pairs of one object that do not, and foreign
/// ones.
struct ConfidenceModel {
  double bias = 0.0;
  std::array<double, JointFeatures::count> weight{};

  static const ConfidenceModel& fitted();
  /// log(p / (1 - p))
  double logit(const JointFeatures& figures) const;
  double confidence(const JointFeatures& figures) const;
};

}  // namespace pmtr
