// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "pmtr/core/listener.h"
#include "pmtr/pose/pose_search.h"

namespace pmtr {

struct PairSearchOptions {
  PoseSearchOptions look = PoseSearchOptions::brief();  ///< at every pair
  PoseSearchOptions search;                             ///< at promising ones
  /// Of each fragment so many pairs are promising: those that looked best.
  int partners = 4;
  /// And those whose first look is at least so sure, up to so many of a fragment.
  double promising = 0.2;
  int most_partners = 8;
  /// A first look that is at least so sure needs no search.
  double settled = 0.97;
  /// Searches every pair in full.
  bool exhaustive = false;
  int kept = 3;  ///< poses per pair, at most

  Status validate() const;
};

/// What a first look says about a pair.
struct PairLook {
  int a = 0;
  int b = 0;
  std::vector<PoseCandidate> poses;  ///< best first; may be empty
};

/// What is known of a pair from elsewhere (a_from_b); asked for pairs that are searched in full, from several
/// threads at once.
using HintSource = std::function<std::vector<Rigid3>(int a, int b)>;

/// Indices of the looks that are worth a search, ascending: promising, and not settled by the look itself.
std::vector<std::size_t> promising_pairs(std::span<const PairLook> looks, int fragments,
                                         const PairSearchOptions& options);

/// Poses of the given pairs of fragments: a first look at all of them, a search of the promising ones that
/// what is settled leaves open. Pairs that are not promising keep what the first look saw. Costs little for
/// each pair and much only for each fragment times its partners. Tells its progress as "looking" and
/// "matching". Stops early where the listener says so.
std::vector<PairLook> search_pairs(std::span<const OrientedCloud> clouds,
                                   std::span<const std::pair<int, int>> pairs, const HintSource& hints,
                                   const PairSearchOptions& options, Threads& threads,
                                   const Listener& listener);

/// All pairs of so many fragments.
std::vector<std::pair<int, int>> all_pairs(int fragments);

}  // namespace pmtr
