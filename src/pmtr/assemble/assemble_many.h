// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include "pmtr/assemble/assembly.h"
#include "pmtr/assemble/part_shape.h"
#include "pmtr/averaging/choose_joints.h"
#include "pmtr/averaging/robust_averaging.h"
#include "pmtr/core/listener.h"

namespace pmtr {

struct AssembleManyOptions {
  ChooseOptions choose;
  RobustAveragingOptions averaging;
  /// Choosing and averaging take turns, since averaged poses tell right from wrong better than chained ones.
  int max_rounds = 4;

  Status validate() const;
};

/// From joints to poses: a consistent set of them is chosen among several per pair, rotations and then
/// translations are averaged over it. Parts that nothing ties to others are not placed; several components
/// where the evidence does not connect them, each in the frame of its largest part. `object_size` is the
/// longest side of the whole object, in the coordinates of the joints. Refinement on the surfaces, and
/// matching again with what was joined as one fragment, take this result and give one of the same kind.
Result<Assembly> assemble_many(std::span<const PartShape> parts, std::span<const Joint> joints,
                               double object_size, const AssembleManyOptions& options,
                               const Listener& listener = {}, const PairCheck& check = {});

}  // namespace pmtr
