// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "pmtr/assemble/assembly.h"
#include "pmtr/assemble/part_shape.h"
#include "pmtr/assemble/solve_joints.h"
#include "pmtr/pose/search_pairs.h"

namespace pmtr {

struct RematchOptions {
  int rounds = 4;  ///< at most; 0: nothing is matched again
  /// Joints with at least this confidence make one fragment of two.
  double sure = 0.9;
  /// In the end, parts that no likely joint ties to the rest are placed at their most likely pose all the
  /// same. Compared systems place every part; a person would rather see what is not known left out.
  bool place_all = false;
  /// Pairs of parts that touch, for those who know: groups without such a pair are not matched. Empty: all
  /// may touch.
  std::vector<std::pair<int, int>> known_neighbours;

  Status validate() const;
};

/// The joints that a search found, in its order.
std::vector<Joint> joints_of(const PairSearch& search);

/// What is surely joined is matched again as one fragment: a small piece touches several others, and only all
/// of them together say where it belongs. Takes an assembly of solve_joints and gives one with the joints
/// that were found on the way added behind the others. Clouds are in object units.
Result<Assembly> rematch_groups(Assembly assembly, std::span<const OrientedCloud> clouds,
                                std::span<const PartShape> shapes, const PairCheck& check,
                                const PairSearchOptions& pairs, const SolveOptions& solve,
                                const OrientedCloudOptions& oriented, const RematchOptions& options,
                                Threads& threads, const Listener& listener);

}  // namespace pmtr
