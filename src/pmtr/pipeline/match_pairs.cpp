// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/match_pairs.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

#include "pmtr/core/index.h"
#include "pmtr/core/threads.h"
#include "pmtr/pose/neighbour_score.h"

namespace pmtr {
namespace {

/// The matches with normals, which the network's points do not have: those of the dense points beside them.
std::vector<OrientedMatch> oriented_matches(const FragmentFeatures& source, const FragmentFeatures& target,
                                            const OrientedCloud& a, const OrientedCloud& b,
                                            std::span<const Correspondence> correspondences) {
  std::vector<OrientedMatch> result;
  for (const Correspondence& c : correspondences) {
    const Eigen::Vector3f& p = source.points[at(c.source)];
    const Eigen::Vector3f& q = target.points[at(c.target)];
    const std::int32_t near_p = a.surface_field.lookup(p);
    const std::int32_t near_q = b.surface_field.lookup(q);
    if (near_p < 0 || near_q < 0) continue;
    result.push_back({p, a.points[at(near_p)].normal, q, b.points[at(near_q)].normal, c.score});
  }
  return result;
}

/// What is left of the confidence of a joint at which no match agrees.
constexpr double unmatched_trust = 0.4;

int agreeing(const MatchedPair& pair, const Rigid3& a_from_b, std::span<const FragmentFeatures> features,
             double radius) {
  const auto agrees = [&](std::int32_t source, std::int32_t target) {
    const Eigen::Vector3d moved = a_from_b * features[at(pair.b)].points[at(target)].cast<double>();
    return (moved - features[at(pair.a)].points[at(source)].cast<double>()).norm() < radius;
  };
  int count = 0;
  if (!pair.mutual.empty()) {
    for (const RowMatch& match : pair.mutual) count += agrees(match.a, match.b) ? 1 : 0;
    return count;
  }
  for (const Correspondence& c : pair.matches.correspondences) {
    count += agrees(c.source, c.target) ? 1 : 0;
  }
  return count;
}

}  // namespace

Status PairMatchOptions::validate() const {
  PMTR_TRY_STATUS(match.validate());
  PMTR_TRY_STATUS(registration.validate());
  PMTR_TRY_STATUS(frames.validate());
  if (partners < 1) return invalid_option("each fragment needs at least one partner to be looked at");
  return poses.validate();
}

std::vector<MatchedPair> match_pairs(std::span<const FragmentFeatures> features,
                                     std::span<const OrientedCloud> clouds,
                                     std::span<const std::pair<int, int>> pairs, float dustbin_score,
                                     const PairMatchOptions& options, Threads& threads,
                                     const Listener& listener, const FeaturesOfPair& of_pair) {
  std::vector<MatchedPair> matched(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) std::tie(matched[i].a, matched[i].b) = pairs[i];
  const auto total = static_cast<std::int64_t>(pairs.size());
  run_with_progress(threads, total, "matching", listener, [&](std::int64_t task) {
    MatchedPair& pair = matched[static_cast<std::size_t>(task)];
    if (features[at(pair.a)].points.empty() || features[at(pair.b)].points.empty())
      return;  // nothing is broken there
    std::array<FragmentFeatures, 2> own;
    if (of_pair) {
      own = {features[at(pair.a)], features[at(pair.b)]};
      std::tie(own[0].as_source, own[1].as_target) = of_pair(pair.a, pair.b);
    }
    const FragmentFeatures& source = of_pair ? own[0] : features[at(pair.a)];
    const FragmentFeatures& target = of_pair ? own[1] : features[at(pair.b)];
    const auto& correspondences = pair.matches.correspondences;
    if (options.patches) {
      pair.matches = match_pair(source, target, dustbin_score, options.match, threads);
      pair.registration =
          register_local_to_global(source.points, target.points, correspondences, options.registration);
      if (pair.registration) pair.poses.push_back(pair.registration->a_from_b);
    }
    if (!source.breaks.points.empty() && !target.breaks.points.empty()) {
      const NearestRows nearest = find_nearest_rows(
          source.as_source.fine.values, target.as_target.fine.values, source.as_source.fine.columns, threads);
      pair.mutual = nearest.mutual();
      pair.frame_poses = poses_from_nearest(source.breaks, target.breaks, nearest, options.frames);
      for (const FramePose& pose : pair.frame_poses) pair.poses.push_back(pose.a_from_b);
    } else if (!clouds.empty()) {
      const auto oriented =
          oriented_matches(source, target, clouds[at(pair.a)], clouds[at(pair.b)], correspondences);
      for (const MatchPose& pose : poses_from_matches(oriented, options.poses))
        pair.poses.push_back(pose.a_from_b);
    }
  });
  return matched;
}

PairMatchOptions PairMatchOptions::for_breaks(bool reads_breaks) const {
  PairMatchOptions changed = *this;
  changed.patches = !reads_breaks;
  return changed;
}

std::vector<PairScore> scores_of(std::span<const MatchedPair> matched, const NeighbourScore& neighbours,
                                 Threads& threads) {
  std::vector<PairScore> scores(matched.size());
  run_tasks(threads, static_cast<std::int64_t>(matched.size()), [&](std::int64_t task) {
    const auto i = static_cast<std::size_t>(task);
    const MatchedPair& pair = matched[i];
    scores[i] = {pair.a, pair.b, neighbours(pair.a, pair.b, pair.frame_poses), !pair.mutual.empty()};
  });
  return scores;
}

std::vector<std::vector<Rigid3>> hints_for(std::span<const std::pair<int, int>> pairs,
                                           std::span<const MatchedPair> matched) {
  std::map<std::pair<int, int>, const MatchedPair*> by_parts;
  for (const MatchedPair& pair : matched) by_parts[{pair.a, pair.b}] = &pair;
  std::vector<std::vector<Rigid3>> hints(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (const auto found = by_parts.find(pairs[i]); found != by_parts.end()) hints[i] = found->second->poses;
  }
  return hints;
}

std::function<MatchCount(int a, int b, const Rigid3& a_from_b)> match_counter(
    std::span<const MatchedPair> matched, std::span<const FragmentFeatures> features, double radius) {
  std::map<std::pair<int, int>, const MatchedPair*> by_parts;
  for (const MatchedPair& pair : matched) by_parts[{pair.a, pair.b}] = &pair;
  return [by_parts, features, radius](int a, int b, const Rigid3& a_from_b) -> MatchCount {
    const bool swapped = a > b;
    const auto found = by_parts.find(std::minmax(a, b));
    if (found == by_parts.end()) return {};
    const MatchedPair& pair = *found->second;
    const std::size_t all = pair.mutual.empty() ? pair.matches.correspondences.size() : pair.mutual.size();
    return {agreeing(pair, swapped ? a_from_b.inverse() : a_from_b, features, radius), static_cast<int>(all)};
  };
}

BreakMatches matches_of_breaks(std::span<const MatchedPair> matched,
                               std::span<const FragmentFeatures> features, const PairMatchOptions& options) {
  if (matched.empty() || options.patches) return {};
  return {features, match_counter(matched, features, options.agreement())};
}

std::vector<Joint> with_matches(std::vector<Joint> joints, std::span<const MatchedPair> matched,
                                std::span<const FragmentFeatures> features, double radius) {
  const auto count = match_counter(matched, features, radius);
  for (Joint& joint : joints) {
    const MatchCount matches = count(joint.a, joint.b, joint.a_from_b);
    joint.matches = matches.agreeing;
    // Points of two breaks were compared, and none that found each other lie together here: the contact is
    // one of the many that fit by chance.
    const bool compared = !features[at(joint.a)].breaks.points.empty();
    if (compared && matches.all > 0 && matches.agreeing == 0) joint.confidence *= unmatched_trust;
  }
  return joints;
}

std::vector<Joint> joints_by_registration(std::span<const MatchedPair> matched) {
  std::vector<Joint> joints;
  for (const MatchedPair& pair : matched) {
    if (!pair.registration) continue;
    Joint joint;
    joint.a = pair.a;
    joint.b = pair.b;
    joint.a_from_b = pair.registration->a_from_b;
    joint.confidence = pair.registration->inlier_share;
    joint.matches = pair.registration->inliers;
    joints.push_back(joint);
  }
  return joints;
}

std::vector<Joint> joints_by_frames(std::span<const MatchedPair> matched) {
  std::vector<Joint> joints;
  for (const MatchedPair& pair : matched) {
    if (pair.frame_poses.empty()) continue;
    const FramePose& best = pair.frame_poses.front();
    Joint joint;
    joint.a = pair.a;
    joint.b = pair.b;
    joint.a_from_b = best.a_from_b;
    joint.matches = static_cast<int>(best.agreeing.size());
    joint.confidence = static_cast<double>(best.agreeing.size()) / static_cast<double>(pair.mutual.size());
    joints.push_back(joint);
  }
  return joints;
}

}  // namespace pmtr
