// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/number_groups.h"

#include <algorithm>
#include <map>
#include <utility>

#include "pmtr/core/index.h"

namespace pmtr {

std::vector<PartGroup> number_groups(std::span<const PartShape> parts, const std::vector<int>& group_of,
                                     Assembly& assembly) {
  std::map<int, std::vector<int>> members;
  for (std::size_t i = 0; i < group_of.size(); ++i) {
    if (group_of[i] >= 0) members[group_of[i]].push_back(static_cast<int>(i));
  }
  std::vector<PartGroup> groups;
  for (auto& [number, list] : members) {
    if (list.size() > 1) groups.push_back({std::move(list), -1});
  }
  std::sort(groups.begin(), groups.end(), [](const PartGroup& x, const PartGroup& y) {
    return x.members.size() != y.members.size() ? x.members.size() > y.members.size()
                                                : x.members.front() < y.members.front();
  });
  for (std::size_t c = 0; c < groups.size(); ++c) {
    PartGroup& group = groups[c];
    group.anchor = *std::max_element(group.members.begin(), group.members.end(),
                                     [&](int i, int j) { return parts[at(i)].area < parts[at(j)].area; });
    for (const int i : group.members) {
      PlacedPart& part = assembly.parts[at(i)];
      part.placed = true;
      part.component = static_cast<int>(c);
      part.anchor = i == group.anchor;
    }
  }
  return groups;
}

}  // namespace pmtr
