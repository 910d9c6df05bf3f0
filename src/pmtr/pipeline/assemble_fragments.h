// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pmtr/assemble/contact_refinement.h"
#include "pmtr/assemble/penetration.h"
#include "pmtr/assemble/rematch_groups.h"
#include "pmtr/assemble/reread_breaks.h"
#include "pmtr/assemble/whole_object.h"
#include "pmtr/pipeline/densify_breaks.h"
#include "pmtr/pipeline/encode_fragments.h"
#include "pmtr/pipeline/match_pairs.h"
#include "pmtr/pipeline/stage_clock.h"
#include "pmtr/project/kept_work.h"
#include "pmtr/sample/object_scale.h"
#include "pmtr/scan/estimate_normals.h"

namespace pmtr {

/// Where poses come from.
enum class PoseMethod {
  lgr,       ///< the network's matches alone, by local-to-global registration, as in the paper
  matches,   ///< the network's matches alone, by the frames of the breaks; without these, as lgr
  surfaces,  ///< the geometry of the fracture surfaces alone; the network only says where they are
  both,
};

struct AssembleOptions {
  PoseMethod method = PoseMethod::both;
  /// Longest side of the whole object in the input's units; 0: estimated from the fragments.
  double object_size = 0.0;
  /// Fragments are looked at in a unit of at most this many times the diameter of a typical one, so that
  /// those of a hundred are seen as those of eight; 0: of the object's size. See unit_for_fragments.
  double unit_fragments = fragments_in_unit;
  /// How many objects the fragments are of, about: each gets the points of one, and has its size.
  int objects = 1;
  /// What the fragments are called in warnings; may be empty.
  std::vector<std::string> names;
  NormalOptions normals;  ///< of clouds that have none
  SampleOptions sample;
  /// To study robustness: points are moved at random by this share of the object's size.
  double point_noise = 0.0;
  /// Where the fragments are broken, for those who know: [fragment][face] 1 where broken; [vertex] of those
  /// without faces. Empty: the network says it.
  std::vector<std::vector<std::uint8_t>> known_breaks;
  /// Which fragments touch, for those who know: only these pairs are looked at. Empty: all pairs.
  std::vector<std::pair<int, int>> known_neighbours;
  DensifyOptions densify;
  OrientedCloudOptions oriented;
  PairSearchOptions pairs;
  PairMatchOptions match;
  SolveOptions solve;
  PenetrationOptions penetration;
  bool check_penetration = true;  ///< parts that run through each other are not joined
  RematchOptions rematch;
  RereadOptions reread;
  WholeOptions whole;
  ContactRefinementOptions refinement;
  bool only_confirmed = false;  ///< joints that are only probable do not hold; see WitnessModel
  std::uint64_t seed = 0;       ///< of the samples and the searches
  /// Keeps what the network says of fragments, and knows it again; `pairs.known` is the same for searches.
  /// Changes nothing but the time. Not owned; null: nothing is kept.
  KeptWork* kept = nullptr;

  /// Of this many fragments: those of `known_neighbours`, or all.
  std::vector<std::pair<int, int>> pairs_to_look_at(int fragments) const;
  /// The points of all objects together.
  SampleOptions sample_of_all() const;
  /// How the pairs of this many fragments are searched, where matches were made or not.
  PairSearchOptions pair_search(int fragments, bool matched) const;
  /// How groups are matched again, with what is known of the fragments.
  RematchOptions rematch_of_all() const;
  /// What solves the joints of a finished assembly again in the same way.
  SolveOptions solve_again() const;
  Status validate() const;
};

/// An assembly in the input's coordinates, with everything on the way to it.
struct AssembleResult {
  Assembly assembly;
  double object_size = 0.0;               ///< as given or estimated
  SolveOptions solve;                     ///< AssembleOptions::solve_again
  std::vector<FragmentClouds> fragments;  ///< in the unit they have
  std::vector<FragmentFeatures> features;
  std::vector<OrientedCloud> surfaces;  ///< as they were read in the end; empty if no poses were searched
  std::vector<MatchedPair> matched;     ///< pairs whose features were matched
  /// Every pose of a pair that the choice of joints began with, in object units.
  std::vector<Joint> candidates;
  std::map<std::string, double> timing_ms;  ///< wall time of each stage
};

/// The whole way from meshes to an assembly. Fragments for which no pose is found are not placed; that is not
/// an error. One fragment alone stays where it is. Weights that see no breaks, PoseMethod::lgr and ::matches
/// go the way of the paper (assemble_by_matches.h).
Result<AssembleResult> assemble_fragments(std::span<const TriangleMesh* const> given,
                                          const FragmentEncoder& encoder, const AssembleOptions& options,
                                          Threads& threads, const Listener& listener);

/// The second half of it, from what is known of each fragment and each pair: `begun` has the fragments, their
/// features and surfaces, and the pairs that were matched. `seen` is what look_at_hints found of the likely
/// pairs before; empty: it is done here.
Result<AssembleResult> assemble_matched(AssembleResult begun, std::span<const PairCandidates> seen,
                                        const PairMatchOptions& match, const AssembleOptions& options,
                                        StageClock& clock, Threads& threads, const Listener& listener);

/// The last third of it: from the joints that a search of poses found to an assembly, all in object units.
/// The surfaces come back as they are read in the end.
Result<Reread> assemble_joints(std::vector<OrientedCloud> surfaces, std::span<const Joint> joints,
                               const BreakMatches& matches, const AssembleOptions& options, StageClock& clock,
                               Threads& threads, const Listener& listener);

/// The last two thirds, for those who know where the breaks are without the network.
Result<Assembly> assemble_surfaces(std::span<const OrientedCloud> surfaces, const AssembleOptions& options,
                                   Threads& threads, const Listener& listener);

}  // namespace pmtr
