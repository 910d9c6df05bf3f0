// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "pmtr/core/listener.h"
#include "pmtr/pose/known_searches.h"
#include "pmtr/pose/pose_search.h"

namespace pmtr {

struct PairSearchOptions {
  PoseSearchOptions coarse = PoseSearchOptions::brief();  ///< every pair
  PoseSearchOptions full;                                 ///< pairs on the shortlist
  /// The shortlist has this many pairs of each fragment: those that look best after the coarse search,
  int partners = 4;
  /// and those with at least this confidence, up to `most_partners` of a fragment.
  double promising = 0.2;
  int most_partners = 8;
  /// Where there are more fragments than `few`, those that belong together are joined first, and what is left
  /// is searched against all of them at once: until then a fragment has this many partners, and at most twice
  /// as many.
  int few = 12;
  int partners_of_many = 2;
  /// A coarse result with at least this confidence is accepted without a full search.
  double accepted = 0.97;
  /// Searches every pair in full.
  bool exhaustive = false;
  /// Looks where nothing points to a pose, too. Without it pairs cost a tenth.
  bool blind = true;
  int kept = 3;  ///< poses per pair, at most
  /// Asked before every search of a pair; changes nothing but the time. Not owned; null: nothing is known.
  KnownSearches* known = nullptr;

  PairSearchOptions with_seed(std::uint64_t seed) const;  ///< both searches draw from it
  PairSearchOptions only_hints() const;                   ///< not blind, unless exhaustive
  Status validate() const;
};

/// Poses of one pair of fragments.
struct PairCandidates {
  int a = 0;
  int b = 0;
  std::vector<PoseCandidate> poses;  ///< best first; may be empty

  double confidence() const { return poses.empty() ? -1.0 : poses[0].confidence; }  ///< of the best
};

/// How far the search of an object's pairs has come.
struct PairSearch {
  std::vector<PairCandidates> pairs;
  std::vector<std::size_t> shortlist;  ///< pairs that are worth a full search, ascending
};

/// All pairs of this many fragments.
std::vector<std::pair<int, int>> all_pairs(int fragments);

/// Indices of the pairs that are worth a full search, ascending: promising, and not accepted already. A
/// fragment that an accepted pair holds (`held`, one per fragment) needs no partner more.
std::vector<std::size_t> shortlist(std::span<const PairCandidates> coarse, const std::vector<bool>& held,
                                   const PairSearchOptions& options);

/// A few percent of the time of a full search for every pair, enough to tell most partners from strangers,
/// and the shortlist of pairs that it leaves open. Two fragments of a group that accepted pairs hold together
/// are not open: how they stand is known. Costs little for each pair, so that the full search costs much only
/// for each fragment times its partners. `hints` are poses that something else proposes, one list per pair,
/// or empty. Reports progress as "coarse search" and stops early where the listener says so. `seen` is what
/// look_at_hints found of the same pairs before, in the same order; empty: it is done here.
PairSearch coarse_search(std::span<const OrientedCloud> clouds, std::span<const std::pair<int, int>> pairs,
                         std::span<const std::vector<Rigid3>> hints, const PairSearchOptions& options,
                         Threads& threads, const Listener& listener,
                         std::span<const PairCandidates> seen = {});

/// The first step of a coarse search, which asks each pair alone: only where hints point. Nothing is found
/// where they do not point anywhere, or where every pair is searched in full anyway. Reports progress as
/// "matches".
std::vector<PairCandidates> look_at_hints(std::span<const OrientedCloud> clouds,
                                          std::span<const std::pair<int, int>> pairs,
                                          std::span<const std::vector<Rigid3>> hints,
                                          const PairSearchOptions& options, Threads& threads,
                                          const Listener& listener);

/// Searches the shortlist in full, beginning with what the coarse search found and with the hints. Reports
/// progress as "full search".
PairSearch full_search(std::span<const OrientedCloud> clouds, PairSearch search,
                       std::span<const std::vector<Rigid3>> hints, const PairSearchOptions& options,
                       Threads& threads, const Listener& listener);

}  // namespace pmtr
