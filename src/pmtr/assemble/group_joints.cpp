// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/group_joints.h"

#include <algorithm>
#include <utility>

#include "pmtr/core/index.h"

namespace pmtr {
namespace {

/// Points in contact from which on two parts touch.
constexpr int least_contact = 12;

}  // namespace

std::vector<StandingCloud> clouds_of(const StandingGroup& group, std::span<const OrientedCloud> clouds) {
  std::vector<StandingCloud> members;
  for (std::size_t k = 0; k < group.parts.size(); ++k)
    members.push_back({&clouds[at(group.parts[k])], group.group_from_part[k]});
  return members;
}

Joint joint_of(int a, int b, const Rigid3& a_from_b, const PoseCandidate& candidate) {
  Joint joint;
  joint.a = a;
  joint.b = b;
  joint.a_from_b = a_from_b;
  joint.confidence = candidate.confidence;
  joint.evidence = candidate.evidence;
  return joint;
}

std::vector<Joint> joints_of_groups(const StandingGroup& a, const StandingGroup& b,
                                    const PoseCandidate& candidate, std::span<const OrientedCloud> clouds,
                                    const Reach& reach) {
  std::vector<Joint> joints;
  std::size_t most = 0;
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    const OrientedCloud& one = clouds[at(a.parts[i])];
    for (std::size_t j = 0; j < b.parts.size(); ++j) {
      const OrientedCloud& other = clouds[at(b.parts[j])];
      const Rigid3 there = a.group_from_part[i].inverse() * candidate.a_from_b * b.group_from_part[j];
      if (!reach.meet(a.parts[i], b.parts[j], there)) continue;
      const PoseCandidate stands = verify_pose(one, other, there);
      if (stands.evidence.contact_points < least_contact) continue;
      joints.push_back(joint_of(a.parts[i], b.parts[j], there, stands));
      if (joints.back().evidence->contact_area > joints[most].evidence->contact_area)
        most = joints.size() - 1;
    }
  }
  if (joints.empty()) return {};
  joints[most].confidence = std::max(joints[most].confidence, candidate.confidence);
  std::swap(joints[0], joints[most]);
  std::vector<Joint> sure;
  for (std::size_t k = 0; k < joints.size(); ++k) {
    if (k == 0 || joints[k].confidence >= 0.5) sure.push_back(std::move(joints[k]));
  }
  return sure;
}

}  // namespace pmtr
