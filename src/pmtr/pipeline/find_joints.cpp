// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/find_joints.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "pmtr/core/check.h"
#include "pmtr/core/tasks.h"

namespace pmtr {
namespace {

Contact contact_of(const JointEvidence& evidence, double object_size) {
  Contact contact;
  contact.points = evidence.contact_points;
  contact.area = evidence.contact_area * object_size * object_size;
  contact.gap_mean = evidence.gap_mean * object_size;
  contact.gap_p95 = evidence.gap_p95 * object_size;
  contact.penetration = evidence.penetration_depth * object_size;
  return contact;
}

/// The way of the paper: nothing looks at the surfaces.
std::vector<Joint> joint_by_matches_alone(int a, int b, const KnownFragment& source,
                                          const KnownFragment& target,
                                          const std::optional<Registration>& registration) {
  if (!registration) return {};
  Joint joint;
  joint.a = a;
  joint.b = b;
  joint.a_from_b = to_input_units(registration->source_from_target, *source.frame, *target.frame);
  joint.confidence = registration->inlier_share;
  joint.matches = registration->inliers;
  return {joint};
}

std::vector<Joint> joints_of_pair(int a, int b, std::span<const KnownFragment> fragments,
                                  std::span<const OrientedCloud> clouds, float dustbin_score,
                                  const JointOptions& options, Threads& threads) {
  const KnownFragment& source = fragments[static_cast<std::size_t>(a)];
  const KnownFragment& target = fragments[static_cast<std::size_t>(b)];
  std::optional<Registration> registration;
  if (options.source != PoseSource::surfaces) {
    const PairMatches matches =
        match_pair(*source.features, *target.features, dustbin_score, options.match, threads);
    if (options.matched) options.matched(a, b, source, target, matches);
    registration = register_local_to_global(source.features->points, target.features->points,
                                            matches.correspondences, options.registration);
  }
  std::vector<Rigid3> guesses;
  if (registration) guesses.push_back(registration->source_from_target);
  if (options.source == PoseSource::matches)
    return joint_by_matches_alone(a, b, source, target, registration);
  PoseSearchOptions search = options.search;
  search.kept = std::min(search.kept, options.kept);
  const auto found = search_poses(clouds[static_cast<std::size_t>(a)], clouds[static_cast<std::size_t>(b)],
                                  {guesses, {}}, search, threads);
  std::vector<Joint> joints;
  for (const PoseCandidate& candidate : found) {
    Joint joint;
    joint.a = a;
    joint.b = b;
    joint.a_from_b = to_input_units(candidate.a_from_b, *source.frame, *target.frame);
    joint.confidence = candidate.confidence;
    joint.contact = contact_of(candidate.evidence, source.frame->object_size);
    if (registration) joint.matches = registration->inliers;
    joints.push_back(joint);
  }
  return joints;
}

}  // namespace

Status JointOptions::validate() const {
  PMTR_TRY_STATUS(match.validate());
  PMTR_TRY_STATUS(registration.validate());
  PMTR_TRY_STATUS(search.validate());
  PMTR_TRY_STATUS(oriented.validate());
  if (kept < 1) return Error{Cause::invalid_option, "at least one joint per pair must be kept", {}};
  return {};
}

std::vector<Joint> find_joints(std::span<const KnownFragment> fragments, float dustbin_score,
                               const JointOptions& options, Threads& threads, const Listener& listener) {
  std::vector<OrientedCloud> clouds(fragments.size());
  run_tasks(threads, static_cast<std::int64_t>(fragments.size()), [&](std::int64_t i) {
    const KnownFragment& fragment = fragments[static_cast<std::size_t>(i)];
    PMTR_CHECK(fragment.features->fracture.size() == fragment.frame->dense.points.size(),
               "one fracture score per dense point");
    clouds[static_cast<std::size_t>(i)] = orient_cloud(fragment.frame->dense, fragment.features->fracture,
                                                       fragment.frame->area, options.oriented, threads);
  });
  std::vector<std::pair<int, int>> pairs;
  for (int a = 0; a < static_cast<int>(fragments.size()); ++a)
    for (int b = a + 1; b < static_cast<int>(fragments.size()); ++b) pairs.emplace_back(a, b);
  std::vector<std::vector<Joint>> found(pairs.size());
  std::mutex mutex;
  std::int64_t done = 0;
  run_tasks(threads, static_cast<std::int64_t>(pairs.size()), [&](std::int64_t i) {
    if (listener.stop()) return;
    const auto at = static_cast<std::size_t>(i);
    found[at] =
        joints_of_pair(pairs[at].first, pairs[at].second, fragments, clouds, dustbin_score, options, threads);
    const std::lock_guard lock(mutex);
    listener.advance("pairs", ++done, static_cast<std::int64_t>(pairs.size()));
  });
  std::vector<Joint> joints;
  for (auto& of_pair : found) joints.insert(joints.end(), of_pair.begin(), of_pair.end());
  return joints;
}

}  // namespace pmtr
