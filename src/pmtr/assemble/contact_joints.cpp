// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/contact_joints.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "pmtr/core/index.h"
#include "pmtr/pose/pose_search.h"
#include "pmtr/pose/reach.h"

namespace pmtr {
namespace {

constexpr int least_points = 12;

/// Placed parts of one component that are near each other and have no used joint.
std::vector<std::pair<int, int>> unjoined_neighbours(const Assembly& assembly,
                                                     std::span<const OrientedCloud> clouds) {
  std::set<std::pair<int, int>> joined;
  for (const Joint& joint : assembly.joints) {
    if (joint.used) joined.insert(std::minmax(joint.a, joint.b));
  }
  const Reach reach(clouds);
  std::vector<std::pair<int, int>> result;
  for (const auto& [a, b] : all_pairs(static_cast<int>(clouds.size()))) {
    const PlacedPart& x = assembly.parts[at(a)];
    const PlacedPart& y = assembly.parts[at(b)];
    if (!x.placed || !y.placed || x.component != y.component || joined.contains({a, b})) continue;
    if (reach.meet(a, b, x.world_from_part.inverse() * y.world_from_part)) result.emplace_back(a, b);
  }
  return result;
}

}  // namespace

Assembly join_contacts(Assembly assembly, const PartsAtHand& parts, Threads& threads) {
  const std::vector<std::pair<int, int>> pairs = unjoined_neighbours(assembly, parts.clouds);
  std::vector<Joint> found(pairs.size());
  run_tasks(threads, static_cast<std::int64_t>(pairs.size()), [&](std::int64_t task) {
    const auto [a, b] = pairs[static_cast<std::size_t>(task)];
    Joint& joint = found[static_cast<std::size_t>(task)];
    joint.a = a;
    joint.b = b;
    joint.a_from_b = assembly.parts[at(a)].world_from_part.inverse() * assembly.parts[at(b)].world_from_part;
    const PoseCandidate stands = verify_pose(parts.clouds[at(a)], parts.clouds[at(b)], joint.a_from_b);
    joint.evidence = stands.evidence;
    joint.confidence = stands.confidence;
  });
  const bool judged = !assembly.verdicts.empty();
  for (Joint& joint : found) {
    if (joint.evidence->contact_points < least_points || joint.confidence < 0.5) continue;
    joint.used = true;
    assembly.joints.push_back(std::move(joint));
    if (judged) assembly.verdicts.push_back({JointFate::used, 0.0, 0.0});
  }
  return assembly;
}

}  // namespace pmtr
