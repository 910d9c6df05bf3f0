// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <concepts>
#include <span>
#include <type_traits>
#include <vector>

#include "pmtr/assemble/assembly.h"
#include "pmtr/assemble/part_shape.h"
#include "pmtr/averaging/choose_joints.h"
#include "pmtr/averaging/robust_averaging.h"
#include "pmtr/core/listener.h"

namespace pmtr {

struct SolveOptions {
  ChooseOptions choose;
  RobustAveragingOptions averaging;
  /// Choosing and averaging take turns, since averaged poses tell right from wrong better than chained ones.
  int max_rounds = 4;

  /// The same, but every joint may help, however unlikely: to place what no likely joint holds.
  SolveOptions placing_all() const;
  Status validate() const;
};

/// Calls visit(name, member) for every option that a file of results keeps, so that solving again is the same
/// solver.
template <class Options, class Visit>
void for_each_field(Options& options,
                    const Visit& visit) requires std::same_as<std::remove_const_t<Options>, SolveOptions> {
  visit("rotation_tolerance_deg", options.choose.rotation_tolerance_deg);
  visit("shift_tolerance", options.choose.shift_tolerance);
  visit("agreement_bonus", options.choose.agreement_bonus);
  visit("least_evidence", options.choose.least_evidence);
  visit("patience", options.choose.patience);
  visit("seed", options.choose.seed);
  visit("inlier_angle_deg", options.averaging.inlier_angle_deg);
  visit("sharpening", options.averaging.sharpening);
  visit("averaging_rounds", options.averaging.max_rounds);
  visit("rounds", options.max_rounds);
}

/// From joints to poses: a consistent set of them is chosen among several per pair, rotations and then
/// translations are averaged over it. Parts that nothing ties to others are not placed; several components
/// where the evidence does not connect them, each in the frame of its largest part. `object_size` is the
/// longest side of the whole object, in the coordinates of the joints. `check` refuses poses in which parts
/// cannot stand.
Result<Assembly> solve_joints(std::span<const PartShape> parts, std::span<const Joint> joints,
                              double object_size, const SolveOptions& options, const Listener& listener = {},
                              const PairCheck& check = {});

}  // namespace pmtr
