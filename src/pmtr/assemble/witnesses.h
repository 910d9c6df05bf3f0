// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstddef>
#include <string>

#include "pmtr/assemble/assembly.h"
#include "pmtr/assemble/rematch_groups.h"

namespace pmtr {

/// The answers of the witnesses of a joint as numbers: 1 for yes, and what the surfaces say.
struct WitnessFigures {
  static constexpr std::size_t count = 7;
  static const std::array<const char*, count> names;
  std::array<double, count> value{};
};
WitnessFigures witness_figures(const JointWitnesses& witnesses);

/// Logistic model over the answers, for the network's own labels; tools/fit_witnesses fits it. `confirmed` is
/// the probability from which on hardly a joint is wrong.
struct WitnessModel {
  double bias = 0.0;
  std::array<double, WitnessFigures::count> weight{};
  double confirmed = 0.95;

  static const WitnessModel& fitted();
  double probability(const JointWitnesses& witnesses) const;
};

/// How far a joint may be believed, by its confidence and its witnesses.
Band band_of(const Joint& joint);
/// The same of a fragment, by the surest chain of joints that ties it to the others.
Band band_of(const PlacedPart& part);
/// Why, in words: what speaks for the joint, and what is missing.
std::string band_reason(const Joint& joint);

/// Asks the witnesses of every joint where the parts stand, and says anew how likely joints and parts are
/// right, and how much of the breaks is open.
Assembly call_witnesses(Assembly assembly, const PartsAtHand& parts, Threads& threads);

/// Only joints of at least this probability hold, and between two large groups (four fragments and more) that
/// nothing else holds together only those of at least `least_of_bridge`. What falls apart without the others
/// becomes groups, and parts that nothing holds are not placed.
Assembly keep_joints(Assembly assembly, std::span<const PartShape> shapes, double least,
                     double least_of_bridge = WitnessModel::fitted().confirmed);

}  // namespace pmtr
