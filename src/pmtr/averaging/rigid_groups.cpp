// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/averaging/rigid_groups.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace pmtr {

RigidGroups::RigidGroups(std::vector<Rigid3> group_from_part)
    : group_(group_from_part.size()), group_from_part_(std::move(group_from_part)) {
  std::iota(group_.begin(), group_.end(), 0);
}

bool RigidGroups::join(int a, int b, const Rigid3& a_from_b) {
  if (together(a, b)) return false;
  const Rigid3 motion = group_from_part(a) * a_from_b * group_from_part(b).inverse();
  const int moves = group(b);
  for (std::size_t i = 0; i < group_.size(); ++i) {
    if (group_[i] == moves) group_from_part_[i] = motion * group_from_part_[i];
  }
  return join_where_they_stand(a, b);
}

bool RigidGroups::join_where_they_stand(int a, int b) {
  if (together(a, b)) return false;
  std::replace(group_.begin(), group_.end(), group(b), group(a));
  return true;
}

std::vector<std::vector<int>> RigidGroups::members() const {
  std::map<int, std::size_t> place;
  std::vector<std::vector<int>> out;
  for (std::size_t i = 0; i < group_.size(); ++i) {
    const auto [found, fresh] = place.try_emplace(group_[i], out.size());
    if (fresh) out.emplace_back();
    out[found->second].push_back(static_cast<int>(i));
  }
  return out;
}

}  // namespace pmtr
