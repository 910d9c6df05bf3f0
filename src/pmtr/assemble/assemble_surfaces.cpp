// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/assemble_surfaces.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "pmtr/averaging/components.h"
#include "pmtr/assemble/merge_clouds.h"

namespace pmtr {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

Joint joint_of(int a, int b, const Rigid3& a_from_b, const PoseCandidate& candidate) {
  Joint joint;
  joint.a = a;
  joint.b = b;
  joint.a_from_b = a_from_b;
  joint.confidence = candidate.confidence;
  Contact contact;
  contact.points = candidate.evidence.contact_points;
  contact.area = candidate.evidence.contact_area;
  contact.gap_mean = candidate.evidence.gap_mean;
  contact.gap_p95 = candidate.evidence.gap_p95;
  contact.penetration = candidate.evidence.penetration_depth;
  joint.contact = contact;
  return joint;
}

/// Parts that are surely joined, and the frame they share. A part alone is its own group.
struct Group {
  std::vector<int> parts;
  std::vector<Rigid3> group_from_part;
};

std::vector<Group> sure_groups(const Assembly& assembly, double sure) {
  DisjointSets sets(static_cast<int>(assembly.parts.size()));
  for (const Joint& joint : assembly.joints) {
    if (joint.used && joint.confidence >= sure) sets.join(joint.a, joint.b);
  }
  std::map<int, Group> by_root;
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    Group& group = by_root[sets.find(static_cast<int>(i))];
    group.parts.push_back(static_cast<int>(i));
    group.group_from_part.push_back(assembly.parts[i].placed ? assembly.parts[i].world_from_part : Rigid3{});
  }
  std::vector<Group> groups;
  for (auto& [root, group] : by_root) groups.push_back(std::move(group));
  return groups;
}

/// A pose between two groups as a joint of the two parts that touch most in it.
Joint joint_of_groups(const Group& a, const Group& b, const PoseCandidate& candidate,
                      std::span<const OrientedCloud> clouds) {
  double most = -1.0;
  std::pair<std::size_t, std::size_t> best{0, 0};
  Rigid3 pose;
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    for (std::size_t j = 0; j < b.parts.size(); ++j) {
      const Rigid3 there = a.group_from_part[i].inverse() * candidate.a_from_b * b.group_from_part[j];
      const double contact =
          measure_joint(clouds[at(a.parts[i])], clouds[at(b.parts[j])], there, {}).contact_area;
      if (contact <= most) continue;
      most = contact;
      best = {i, j};
      pose = there;
    }
  }
  return joint_of(a.parts[best.first], b.parts[best.second], pose, candidate);
}

/// Averaged poses have been moved since the joints were judged.
void measure_residuals(std::span<const PartShape> shapes, Assembly& assembly) {
  for (std::size_t h = 0; h < assembly.verdicts.size(); ++h) {
    JointVerdict& verdict = assembly.verdicts[h];
    if (!verdict.residual_deg) continue;
    const Joint& joint = assembly.joints[h];
    const Rigid3 from_centre{Eigen::Matrix3d::Identity(), shapes[at(joint.b)].centre};
    const Rigid3 to_centre{Eigen::Matrix3d::Identity(), -shapes[at(joint.a)].centre};
    const Rigid3 stands =
        assembly.parts[at(joint.a)].world_from_part.inverse() * assembly.parts[at(joint.b)].world_from_part;
    const PoseDifference off =
        difference(to_centre * joint.a_from_b * from_centre, to_centre * stands * from_centre);
    verdict.residual_deg = off.angle_deg;
    verdict.residual_shift = off.shift;
  }
}

}  // namespace

Status SurfaceAssemblyOptions::validate() const {
  PMTR_TRY_STATUS(pairs.validate());
  PMTR_TRY_STATUS(assembly.validate());
  PMTR_TRY_STATUS(penetration.validate());
  PMTR_TRY_STATUS(refinement.validate());
  PMTR_TRY_STATUS(oriented.validate());
  if (merge_rounds < 0) return Error{Cause::invalid_option, "merge_rounds must not be negative", {}};
  if (!(sure > 0.5 && sure <= 1.0))
    return Error{Cause::invalid_option, "sure joints are above 0.5, at most 1", {}};
  return {};
}

Result<Assembly> assemble_surfaces(std::span<const OrientedCloud> clouds, double object_size,
                                   const HintSource& hints, const SurfaceAssemblyOptions& options,
                                   Threads& threads, const Listener& listener, const JointSolver& solve) {
  PMTR_TRY_STATUS(options.validate());
  const Error cancelled{Cause::cancelled, "stopped", {}};
  std::vector<PartShape> shapes;
  for (const OrientedCloud& cloud : clouds)
    shapes.push_back({cloud.centre, cloud.point_area() * static_cast<double>(cloud.points.size())});
  if (clouds.size() == 1) {
    Assembly alone;
    alone.parts.push_back(
        {.placed = true, .anchor = true, .component = 0, .world_from_part = {}, .confidence = 0.0});
    return alone;
  }

  std::vector<Joint> joints;
  const auto pairs = all_pairs(static_cast<int>(clouds.size()));
  for (const PairLook& found : search_pairs(clouds, pairs, hints, options.pairs, threads, listener)) {
    for (const PoseCandidate& candidate : found.poses)
      joints.push_back(joint_of(found.a, found.b, candidate.a_from_b, candidate));
  }
  if (listener.stop()) return cancelled;
  const PairCheck check =
      options.check_penetration ? refuse_penetration(clouds, options.penetration) : PairCheck{};
  PMTR_TRY(Assembly assembly, solve(shapes, joints, object_size, options.assembly, listener, check));

  // What is surely joined is matched again as one fragment: a small piece touches several others, and only
  // all of them together say where it belongs.
  std::set<std::pair<std::vector<int>, std::vector<int>>> tried;
  std::vector<Joint> doubtful;
  for (int round = 0; round < options.merge_rounds; ++round) {
    const std::vector<Group> groups = sure_groups(assembly, options.sure);
    if (groups.size() < 2 || groups.size() == clouds.size()) break;
    std::vector<std::pair<int, int>> again;
    for (const auto& [g, h] : all_pairs(static_cast<int>(groups.size()))) {
      if (groups[at(g)].parts.size() + groups[at(h)].parts.size() == 2) continue;
      if (tried.insert({groups[at(g)].parts, groups[at(h)].parts}).second) again.emplace_back(g, h);
    }
    if (again.empty()) break;
    std::vector<OrientedCloud> merged(groups.size());
    for (std::size_t g = 0; g < groups.size(); ++g) {
      std::vector<StandingCloud> members;
      for (std::size_t k = 0; k < groups[g].parts.size(); ++k)
        members.push_back({&clouds[at(groups[g].parts[k])], groups[g].group_from_part[k]});
      merged[g] = members.size() == 1 ? *members[0].cloud : merge_clouds(members, options.oriented, threads);
      // Alone, a part is matched in its own frame.
    }
    std::size_t added = 0;
    for (const PairLook& found : search_pairs(merged, again, {}, options.pairs, threads, listener)) {
      for (const PoseCandidate& candidate : found.poses) {
        const bool likely = candidate.confidence >= 0.5;
        if (!likely && !options.place_doubtful) continue;
        Group a = groups[at(found.a)];
        Group b = groups[at(found.b)];
        if (a.parts.size() == 1) a.group_from_part[0] = {};
        if (b.parts.size() == 1) b.group_from_part[0] = {};
        (likely ? joints : doubtful).push_back(joint_of_groups(a, b, candidate, clouds));
        added += likely ? 1 : 0;
      }
    }
    if (listener.stop()) return cancelled;
    if (added == 0) break;
    PMTR_TRY(assembly, solve(shapes, joints, object_size, options.assembly, listener, check));
  }
  const auto left_out = [](const PlacedPart& part) { return !part.placed || part.component != 0; };
  if (options.place_doubtful && std::any_of(assembly.parts.begin(), assembly.parts.end(), left_out)) {
    joints.insert(joints.end(), doubtful.begin(), doubtful.end());
    AssembleManyOptions bold = options.assembly;
    // More than the least log odds there are: everything may help.
    bold.choose.agreement_bonus = 5.0;
    bold.choose.least_evidence = -5.0;
    PMTR_TRY(assembly, solve(shapes, joints, object_size, bold, listener, check));
  }
  refine_contacts(clouds, options.refinement, assembly);
  measure_residuals(shapes, assembly);
  return assembly;
}

}  // namespace pmtr
