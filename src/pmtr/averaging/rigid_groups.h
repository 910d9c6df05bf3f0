// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include "pmtr/core/rigid3.h"

namespace pmtr {

/// Parts that grow together into groups, each part with its pose in the frame of its group: a union-find that
/// carries poses. Joining moves the second group onto the first, whose poses keep their bits.
class RigidGroups {
 public:
  /// Every part alone, in a frame of its own or where it is said to stand.
  explicit RigidGroups(int parts) : RigidGroups(std::vector<Rigid3>(static_cast<std::size_t>(parts))) {}
  explicit RigidGroups(std::vector<Rigid3> group_from_part);

  /// False if they are in one group already, which then stays as it is.
  bool join(int a, int b, const Rigid3& a_from_b);
  /// For groups whose frames are one and the same: nothing moves.
  bool join_where_they_stand(int a, int b);

  int group(int part) const { return group_[static_cast<std::size_t>(part)]; }
  bool together(int a, int b) const { return group(a) == group(b); }
  const Rigid3& group_from_part(int part) const { return group_from_part_[static_cast<std::size_t>(part)]; }
  /// Of two parts of one group.
  Rigid3 a_from_b(int a, int b) const { return group_from_part(a).inverse() * group_from_part(b); }
  /// The parts of every group, ascending, in the order of their smallest part.
  std::vector<std::vector<int>> members() const;

 private:
  std::vector<int> group_;  ///< the smallest part of the group that stayed
  std::vector<Rigid3> group_from_part_;
};

}  // namespace pmtr
