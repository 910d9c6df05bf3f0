// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "pmtr/assemble/assembly.h"
#include "pmtr/assemble/part_shape.h"
#include "pmtr/assemble/solve_joints.h"
#include "pmtr/match/fragment_features.h"
#include "pmtr/pose/frame_poses.h"
#include "pmtr/pose/search_pairs.h"

namespace pmtr {

struct RematchOptions {
  int rounds = 4;  ///< of blind searches, at most; 0: nothing is matched again
  /// Joints with at least this confidence make one fragment of two.
  double sure = 0.9;
  int partners = 8;  ///< of a group that are looked at where only matches propose poses
  /// Groups of at least this many parts are searched blindly against each other whether they match or not:
  /// among the points of so many breaks the right matches are lost, and such groups are soon found to fit.
  int large = 4;
  int large_pairs = 100;  ///< that many pairs of them in a round, at most
  int bridges = 8;        ///< sides that a single joint holds and that are searched again, at most
  /// In the end, parts that no likely joint ties to the rest are placed at their most likely pose all the
  /// same. Compared systems place every part; a person would rather see what is not known left out.
  bool place_all = false;
  /// Pairs of parts that touch, for those who know: groups without such a pair are not matched. Empty: all
  /// may touch.
  std::vector<std::pair<int, int>> known_neighbours;
  FramePoseOptions frames;  ///< of matches between what is left open of two groups

  Status validate() const;
};

/// Matches between the breaks of two fragments, and how many of them a pose brings together.
struct MatchCount {
  int agreeing = 0;
  int all = 0;
};

/// What the network says of the breaks; nothing where it does not read them.
struct BreakMatches {
  std::span<const FragmentFeatures> features;
  std::function<MatchCount(int a, int b, const Rigid3& a_from_b)> count;
};

/// What there is to be put together, in object units.
struct PartsAtHand {
  std::span<const OrientedCloud> clouds;
  std::span<const PartShape> shapes;
  PairCheck check;
  BreakMatches matches;
};

/// The joints that a search found, in its order.
std::vector<Joint> joints_of(const PairSearch& search);

/// What is surely joined is matched again as one fragment: a small piece touches several others, and only all
/// of them together say where it belongs. Takes an assembly of solve_joints and gives one with the joints
/// that were found on the way added behind the others.
Result<Assembly> rematch_groups(Assembly assembly, const PartsAtHand& parts, const PairSearchOptions& pairs,
                                const SolveOptions& solve, const OrientedCloudOptions& oriented,
                                const RematchOptions& options, Threads& threads, const Listener& listener);

/// What a single joint holds is searched again, as one fragment, against the rest of its component. What is
/// found, likely or not, is added to the joints; it is for improve_whole to say which place is best. Of few
/// parts nothing is searched: all their pairs have been.
Assembly search_bridges(Assembly assembly, const PartsAtHand& parts, const PairSearchOptions& pairs,
                        const ChooseOptions& choose, const OrientedCloudOptions& oriented,
                        const RematchOptions& options, Threads& threads, const Listener& listener);

}  // namespace pmtr
