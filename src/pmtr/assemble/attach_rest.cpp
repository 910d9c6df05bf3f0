// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/attach_rest.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "pmtr/assemble/measure_assembly.h"
#include "pmtr/assemble/number_groups.h"
#include "pmtr/averaging/rigid_groups.h"
#include "pmtr/core/index.h"

namespace pmtr {
namespace {

/// Every component as a group, parts alone in frames of their own.
RigidGroups standing_groups(const Assembly& assembly) {
  std::vector<Rigid3> standing;
  for (const PlacedPart& part : assembly.parts) standing.push_back(part.world_from_part);
  RigidGroups groups(std::move(standing));
  for (const Joint& joint : assembly.joints) {
    if (joint.used) groups.join_where_they_stand(joint.a, joint.b);
  }
  return groups;
}

/// Joints that hold nothing yet, the likeliest first.
std::vector<const Joint*> likeliest(const Assembly& assembly) {
  std::vector<const Joint*> joints;
  for (const Joint& joint : assembly.joints) {
    if (!joint.used) joints.push_back(&joint);
  }
  std::stable_sort(joints.begin(), joints.end(),
                   [](const Joint* x, const Joint* y) { return x->confidence > y->confidence; });
  return joints;
}

/// Would the two groups of a joint stand in each other's way?
bool stands(const RigidGroups& groups, const Joint& joint, const PartsAtHand& parts) {
  if (!parts.check) return true;
  const Rigid3 a_from_b =
      groups.group_from_part(joint.a) * joint.a_from_b * groups.group_from_part(joint.b).inverse();
  const auto count = static_cast<int>(parts.clouds.size());
  for (int i = 0; i < count; ++i) {
    if (!groups.together(i, joint.a)) continue;
    for (int j = 0; j < count; ++j) {
      if (!groups.together(j, joint.b)) continue;
      const Rigid3 i_from_j = groups.group_from_part(i).inverse() * a_from_b * groups.group_from_part(j);
      if (!parts.check(i, j, i_from_j)) return false;
    }
  }
  return true;
}

}  // namespace

Assembly attach_rest(Assembly assembly, std::span<const Joint> doubtful, const PartsAtHand& parts,
                     const ChooseOptions& choose) {
  if (std::all_of(assembly.parts.begin(), assembly.parts.end(),
                  [](const PlacedPart& part) { return part.placed && part.component == 0; }))
    return assembly;
  assembly.joints.insert(assembly.joints.end(), doubtful.begin(), doubtful.end());
  RigidGroups groups = standing_groups(assembly);
  // Where nothing fits without standing in the way, that may be a fault of the scan.
  for (const bool free : {true, false}) {
    for (const Joint* joint : likeliest(assembly)) {
      if (groups.together(joint->a, joint->b) || (free && !stands(groups, *joint, parts))) continue;
      groups.join(joint->a, joint->b, joint->a_from_b);
    }
  }
  std::vector<int> group_of(assembly.parts.size(), -1);
  for (const std::vector<int>& members : groups.members()) {
    if (members.size() < 2) continue;
    for (const int i : members) group_of[at(i)] = members[0];
  }
  assembly.parts.assign(assembly.parts.size(), {});
  for (const PartGroup& members : number_groups(parts.shapes, group_of, assembly)) {
    for (const int i : members.members) {
      if (i != members.anchor) assembly.parts[at(i)].world_from_part = groups.a_from_b(members.anchor, i);
    }
  }
  judge_where_they_stand(assembly, parts.shapes, choose);
  rate_parts(assembly);
  return assembly;
}

}  // namespace pmtr
