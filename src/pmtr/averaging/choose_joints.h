// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/core/rigid3.h"

namespace pmtr {

/// A joint as the choice sees it: coordinates of each part begin at its centre.
struct Hypothesis {
  int a = 0;
  int b = 0;
  Rigid3 a_from_b;
  double evidence = 0.0;  ///< log odds of being right, by itself
};

struct ChooseOptions {
  /// Two joints agree if their poses differ by less than this angle ...
  double rotation_tolerance_deg = 10.0;
  /// ... and by less than this at the place between the two parts, as a share of the object's size.
  double shift_tolerance = 0.05;
  /// What it adds to a joint's log odds that others agree with it: wrong ones hardly ever do by chance.
  double agreement_bonus = 4.0;
  /// Log odds from which on two groups of parts are joined. 0: more likely right than wrong.
  double least_evidence = 0.0;
  /// Where contradictions are left, all is tried again in a shaken order, until this many attempts in a row
  /// bring nothing better.
  int patience = 5;
  std::uint64_t seed = 0;

  Status validate() const;
};

/// Can these two parts stand like this? The place for a test of penetration. Empty: all can.
using PairCheck = std::function<bool(int a, int b, const Rigid3& a_from_b)>;

struct Choice {
  std::vector<int> forest;              ///< hypotheses that set the poses
  std::vector<bool> agrees;             ///< per hypothesis: with the poses
  std::vector<int> group;               ///< per part: a number for all that are joined
  std::vector<Rigid3> world_from_part;  ///< each group in a frame of its own
  double score = 0.0;
};

/// The poses that most evidence agrees with, among several hypotheses for each pair, most of them wrong.
/// Groups grow by the join for which most speaks, counting all joints between two groups that agree on one
/// pose; then every join is cut and made again where there is a better one; then all is tried again in a
/// shaken order.
Choice choose_joints(int parts, std::span<const Hypothesis> hypotheses, double object_size,
                     const ChooseOptions& options, const PairCheck& check = {});

/// How far two relative poses of the same two parts are apart.
struct PoseDifference {
  double angle_deg = 0.0;
  double shift = 0.0;  ///< at the middle between the parts
};
PoseDifference difference(const Rigid3& a_from_b, const Rigid3& other_a_from_b);

}  // namespace pmtr
