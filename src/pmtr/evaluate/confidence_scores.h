// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pmtr/assemble/assembly.h"

namespace pmtr {

/// What became of one joint that holds an assembly together.
struct JointRecord {
  int a = 0;
  int b = 0;
  double confidence = 0.0;
  Band band = Band::rejected;
  bool right = false;  ///< the two pieces stand to each other as they should: 10 degrees, 0.05
};

/// Something that was said to be right with some probability.
struct Claim {
  double confidence = 0.0;
  bool right = false;
};

struct ConfidenceClass {
  double low = 0.0;  ///< from
  double high = 0.0;
  std::int64_t claims = 0;
  double mean_confidence = 0.0;
  std::int64_t right = 0;
};

/// How far a confidence can be believed.
struct Reliability {
  std::int64_t claims = 0;
  /// Expected calibration error: how far confidence and share of right ones are apart, mean over the claims.
  double error = 0.0;
  std::vector<ConfidenceClass> classes;  ///< those with claims
};
Reliability reliability_of(std::span<const Claim> claims);

struct BandCount {
  std::int64_t joints = 0;
  std::int64_t right = 0;
};

/// Joints and placed pieces of many samples, judged by how sure they were said to be.
struct ConfidenceScores {
  std::vector<Claim> joints;
  std::vector<Claim> pieces;         ///< without anchors
  std::array<BandCount, 3> by_band;  ///< of joints, by Band

  void add(const JointRecord& joint);
  std::int64_t right_joints() const;
};

/// Markdown: bands, and confidence beside the share of right ones.
std::string confidence_tables(const ConfidenceScores& scores);

}  // namespace pmtr
