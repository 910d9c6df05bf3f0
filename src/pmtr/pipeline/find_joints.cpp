// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/find_joints.h"

#include <mutex>
#include <utility>

#include "pmtr/core/check.h"
#include "pmtr/core/threads.h"
#include "pmtr/pose/search_pairs.h"

namespace pmtr {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

/// The matches with normals, which the network's points do not have: those of the dense points beside them.
std::vector<OrientedMatch> oriented_matches(const KnownFragment& source, const KnownFragment& target,
                                            const OrientedCloud& a, const OrientedCloud& b,
                                            std::span<const Correspondence> correspondences) {
  std::vector<OrientedMatch> result;
  for (const Correspondence& c : correspondences) {
    const Eigen::Vector3f& p = source.features->points[at(c.source)];
    const Eigen::Vector3f& q = target.features->points[at(c.target)];
    const std::int32_t near_p = a.surface_field.lookup(p);
    const std::int32_t near_q = b.surface_field.lookup(q);
    if (near_p < 0 || near_q < 0) continue;
    result.push_back({p, a.points[at(near_p)].normal, q, b.points[at(near_q)].normal, c.score});
  }
  return result;
}

}  // namespace

Status JointOptions::validate() const {
  PMTR_TRY_STATUS(match.validate());
  PMTR_TRY_STATUS(registration.validate());
  PMTR_TRY_STATUS(match_poses.validate());
  PMTR_TRY_STATUS(oriented.validate());
  return {};
}

std::vector<OrientedCloud> orient_fragments(std::span<const KnownFragment> fragments,
                                            const OrientedCloudOptions& options, Threads& threads) {
  std::vector<OrientedCloud> clouds(fragments.size());
  run_tasks(threads, static_cast<std::int64_t>(fragments.size()), [&](std::int64_t i) {
    const KnownFragment& fragment = fragments[static_cast<std::size_t>(i)];
    PMTR_CHECK(fragment.features->fracture.size() == fragment.frame->dense.points.size(),
               "one fracture score per dense point");
    clouds[static_cast<std::size_t>(i)] = orient_cloud(fragment.frame->dense, fragment.features->fracture,
                                                       fragment.frame->area, options, threads);
  });
  return clouds;
}

MatchedPair match_fragments(int a, int b, std::span<const KnownFragment> fragments,
                            std::span<const OrientedCloud> clouds, float dustbin_score,
                            const JointOptions& options, Threads& threads) {
  const KnownFragment& source = fragments[at(a)];
  const KnownFragment& target = fragments[at(b)];
  const PairMatches matches =
      match_pair(*source.features, *target.features, dustbin_score, options.match, threads);
  if (options.matched) options.matched(a, b, source, target, matches);
  MatchedPair pair;
  pair.registration = register_local_to_global(source.features->points, target.features->points,
                                               matches.correspondences, options.registration);
  if (pair.registration) pair.poses.push_back(pair.registration->source_from_target);
  if (clouds.empty()) return pair;
  const auto oriented =
      oriented_matches(source, target, clouds[at(a)], clouds[at(b)], matches.correspondences);
  for (const MatchPose& pose : poses_from_matches(oriented, options.match_poses))
    pair.poses.push_back(pose.a_from_b);
  return pair;
}

std::vector<Joint> joints_by_matches(std::span<const KnownFragment> fragments, float dustbin_score,
                                     const JointOptions& options, Threads& threads,
                                     const Listener& listener) {
  const auto pairs = all_pairs(static_cast<int>(fragments.size()));
  std::vector<std::optional<Registration>> found(pairs.size());
  std::mutex mutex;
  std::int64_t done = 0;
  const auto total = static_cast<std::int64_t>(pairs.size());
  run_tasks(threads, total, [&](std::int64_t i) {
    if (listener.stop()) return;
    const auto [a, b] = pairs[static_cast<std::size_t>(i)];
    found[static_cast<std::size_t>(i)] =
        match_fragments(a, b, fragments, {}, dustbin_score, options, threads).registration;
    const std::lock_guard lock(mutex);
    listener.advance("matching", ++done, total);
  });
  std::vector<Joint> joints;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!found[i]) continue;
    Joint joint;
    joint.a = pairs[i].first;
    joint.b = pairs[i].second;
    joint.a_from_b = found[i]->source_from_target;
    joint.confidence = found[i]->inlier_share;
    joint.matches = found[i]->inliers;
    joints.push_back(joint);
  }
  return joints;
}

void to_input_units(std::span<const KnownFragment> fragments, Assembly& assembly) {
  if (fragments.empty()) return;
  const double size = fragments[0].frame->object_size;
  const auto frame = [&](int i) -> const NetworkFrame& { return *fragments[at(i)].frame; };
  for (Joint& joint : assembly.joints) {
    joint.a_from_b = to_input_units(joint.a_from_b, frame(joint.a), frame(joint.b));
    if (!joint.contact) continue;
    joint.contact->area *= size * size;
    joint.contact->gap_mean *= size;
    joint.contact->gap_p95 *= size;
    joint.contact->penetration *= size;
  }
  for (JointVerdict& verdict : assembly.verdicts) {
    if (verdict.residual_shift) *verdict.residual_shift *= size;
  }
  for (int i = 0; i < static_cast<int>(assembly.parts.size()); ++i) {
    PlacedPart& part = assembly.parts[at(i)];
    if (!part.placed || part.anchor) continue;
    // The world of a component is its anchor's frame.
    for (int k = 0; k < static_cast<int>(assembly.parts.size()); ++k) {
      const PlacedPart& anchor = assembly.parts[at(k)];
      if (anchor.anchor && anchor.component == part.component)
        part.world_from_part = to_input_units(part.world_from_part, frame(k), frame(i));
    }
  }
}

}  // namespace pmtr
