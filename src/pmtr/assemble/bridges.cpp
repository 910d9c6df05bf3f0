// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/bridges.h"

#include <algorithm>
#include <set>
#include <utility>

#include "pmtr/averaging/components.h"

namespace pmtr {

std::vector<std::vector<int>> bridge_sides(const Assembly& assembly) {
  const auto count = static_cast<int>(assembly.parts.size());
  std::set<std::pair<int, int>> pairs;
  for (const Joint& joint : assembly.joints) {
    if (joint.used) pairs.insert(std::minmax(joint.a, joint.b));
  }
  std::vector<std::vector<int>> sides;
  for (const auto& cut : pairs) {
    DisjointSets rest(count);
    for (const auto& pair : pairs) {
      if (pair != cut) rest.join(pair.first, pair.second);
    }
    if (rest.find(cut.first) == rest.find(cut.second)) continue;
    std::vector<int> a;
    std::vector<int> b;
    for (int i = 0; i < count; ++i) {
      if (rest.find(i) == rest.find(cut.first)) a.push_back(i);
      if (rest.find(i) == rest.find(cut.second)) b.push_back(i);
    }
    sides.push_back(a.size() < b.size() ? std::move(a) : std::move(b));
  }
  return sides;
}

}  // namespace pmtr
