// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "pmtr/assemble/rematch_groups.h"
#include "pmtr/core/listener.h"
#include "pmtr/match/match_pair.h"
#include "pmtr/pose/frame_poses.h"
#include "pmtr/pose/joint.h"
#include "pmtr/pose/likely_pairs.h"
#include "pmtr/pose/local_to_global.h"
#include "pmtr/pose/match_poses.h"
#include "pmtr/pose/oriented_cloud.h"
#include "pmtr/pose/search_pairs.h"

namespace pmtr {

class NeighbourScore;

struct PairMatchOptions {
  MatchOptions match;
  RegistrationOptions registration;
  MatchPoseOptions poses;
  FramePoseOptions frames;
  /// Matches superpoints, then the points of their patches, and registers these, as in the paper. Where the
  /// network reads breaks their frames do without.
  bool patches = true;
  /// Where breaks are matched, each fragment is looked at beside this many partners, and no others.
  int partners = 12;

  /// The same for a network that reads breaks, or not.
  PairMatchOptions for_breaks(bool reads_breaks) const;
  /// How near a pose brings two matched points that agree with it.
  double agreement() const { return patches ? registration.acceptance_radius : frames.agreement; }
  Status validate() const;
};

/// What the network's matches say about a pair.
struct MatchedPair {
  int a = 0;
  int b = 0;
  PairMatches matches;
  std::optional<Registration> registration;  ///< by local-to-global registration, as in the paper
  /// Where the network reads breaks: points that are each other's nearest by their features, and the poses
  /// that they agree on, best first.
  std::vector<RowMatch> mutual;
  std::vector<FramePose> frame_poses;
  std::vector<Rigid3> poses;  ///< that of the registration, then those that groups of matches agree on
};

/// Features of the a-th fragment as the source and of the b-th as the target of their pair.
using FeaturesOfPair = std::function<std::pair<RoleFeatures, RoleFeatures>(int a, int b)>;

/// Matches pairs of fragments, by `of_pair` where features depend on both. Poses of groups of matches need
/// normals: those of `clouds`, which may be empty. Reports progress as "matching"; what it does not come to
/// before the listener stops it is left without matches.
std::vector<MatchedPair> match_pairs(std::span<const FragmentFeatures> features,
                                     std::span<const OrientedCloud> clouds,
                                     std::span<const std::pair<int, int>> pairs, float dustbin_score,
                                     const PairMatchOptions& options, Threads& threads,
                                     const Listener& listener, const FeaturesOfPair& of_pair = {});

/// What chooses who is worth a look.
std::vector<PairScore> scores_of(std::span<const MatchedPair> matched, const NeighbourScore& neighbours,
                                 Threads& threads);

/// The poses of every pair, as hints for a search; none for pairs that were not matched.
std::vector<std::vector<Rigid3>> hints_for(std::span<const std::pair<int, int>> pairs,
                                           std::span<const MatchedPair> matched);

/// Counts those matches of two fragments that a pose brings nearer than the radius. What it is made of must
/// outlive it.
std::function<MatchCount(int a, int b, const Rigid3& a_from_b)> match_counter(
    std::span<const MatchedPair> matched, std::span<const FragmentFeatures> features, double radius);

/// What a rematch of groups may ask of the matches; nothing where the network reads no breaks. What it is
/// made of must outlive it.
BreakMatches matches_of_breaks(std::span<const MatchedPair> matched,
                               std::span<const FragmentFeatures> features, const PairMatchOptions& options);

/// Tells every joint how many matches of its pair agree with it, to the radius. Where breaks were compared
/// and none does, its confidence falls.
std::vector<Joint> with_matches(std::vector<Joint> joints, std::span<const MatchedPair> matched,
                                std::span<const FragmentFeatures> features, double radius);

/// The way of the paper: a joint for every pair that registration found a pose for. Nothing looks at the
/// surfaces.
std::vector<Joint> joints_by_registration(std::span<const MatchedPair> matched);

/// The same with the pose that most mutual matches agree on.
std::vector<Joint> joints_by_frames(std::span<const MatchedPair> matched);

}  // namespace pmtr
