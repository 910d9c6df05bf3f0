// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "pmtr/core/threads.h"
#include "pmtr/report/record/assembly_json.h"

namespace pmtr {

/// Two points that a joint brings together, each in the coordinates of its own fragment.
struct ContactPair {
  Eigen::Vector3d in_a;
  Eigen::Vector3d in_b;
};

struct ContactPairOptions {
  int points = 3000;         ///< sampled on each fragment
  int pairs = 40;            ///< per joint, at most
  int joints = 400;          ///< that get any: the used ones, then by confidence
  double tolerance = 0.025;  ///< as a share of the object's size
};

/// For each joint, points of b and the points of a that face them in the joint's own pose, spread over the
/// contact. They are found on the surfaces, not among the network's matches. Joints
/// whose surfaces do not touch or cannot be sampled, or that are beyond the limit, have none.
std::vector<std::vector<ContactPair>> find_contact_pairs(const AssemblyRecord& record,
                                                         std::span<const TriangleMesh* const> meshes,
                                                         const ContactPairOptions& options, Threads& threads);

/// The same, only for joints that `known` does not have yet: they do not depend on where the parts stand.
void add_contact_pairs(const AssemblyRecord& record, std::span<const TriangleMesh* const> meshes,
                       const ContactPairOptions& options, Threads& threads,
                       std::map<std::size_t, std::vector<ContactPair>>& known);

}  // namespace pmtr
