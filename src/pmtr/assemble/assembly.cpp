// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/assembly.h"

#include <algorithm>
#include <map>
#include <queue>
#include <utility>

#include "pmtr/core/index.h"

namespace pmtr {

const char* fate_name(JointFate fate) {
  switch (fate) {
    case JointFate::used:
      return "used";
    case JointFate::spare:
      return "spare";
    case JointFate::weak:
      return "weak";
    case JointFate::contradicts:
      return "contradicts";
    case JointFate::unjoined:
      return "unjoined";
  }
  return "";
}

const char* band_name(Band band) {
  switch (band) {
    case Band::confirmed:
      return "confirmed";
    case Band::probable:
      return "probable";
    case Band::rejected:
      return "rejected";
  }
  return "";
}

Assembly lone_fragment() {
  Assembly alone;
  alone.parts.resize(1);
  alone.parts[0].placed = alone.parts[0].anchor = true;
  alone.parts[0].component = 0;
  return alone;
}

void rate_parts(Assembly& assembly) {
  const auto sure = [](const Joint& joint) { return std::clamp(joint.confidence, 0.0, 1.0); };
  std::vector<std::vector<const Joint*>> at_part(assembly.parts.size());
  std::map<int, const Joint*> surest;  // of each component
  for (const Joint& joint : assembly.joints) {
    if (!joint.used) continue;
    at_part[at(joint.a)].push_back(&joint);
    at_part[at(joint.b)].push_back(&joint);
    const Joint*& best = surest[assembly.parts[at(joint.a)].component];
    if (best == nullptr || sure(joint) > sure(*best)) best = &joint;
  }
  const auto best_tie = [&](int part) {
    double best = 0.0;
    for (const Joint* joint : at_part[at(part)]) best = std::max(best, sure(*joint));
    return best;
  };
  for (PlacedPart& part : assembly.parts) part.confidence = 0.0;
  std::vector<double> chain(assembly.parts.size(), 0.0);
  std::priority_queue<std::pair<double, int>> open;
  for (int i = 0; i < static_cast<int>(assembly.parts.size()); ++i) {
    const PlacedPart& part = assembly.parts[at(i)];
    if (!part.anchor || !surest.contains(part.component)) continue;
    const int root = best_tie(i) >= 0.5 ? i : surest[part.component]->a;
    chain[at(root)] = 1.0;
    open.emplace(1.0, root);
    assembly.parts[at(root)].confidence = best_tie(root);
  }
  while (!open.empty()) {
    const auto [value, i] = open.top();
    open.pop();
    if (value < chain[at(i)]) continue;
    for (const Joint* joint : at_part[at(i)]) {
      const int other = joint->a == i ? joint->b : joint->a;
      const double there = value * sure(*joint);
      if (there <= chain[at(other)]) continue;
      chain[at(other)] = assembly.parts[at(other)].confidence = there;
      open.emplace(there, other);
    }
  }
}

void tell_groups(const Assembly& assembly, const Listener& listener) {
  if (!listener.groups) return;
  std::vector<int> group_of_part;
  for (const PlacedPart& part : assembly.parts) group_of_part.push_back(part.placed ? part.component : -1);
  listener.tell_groups(group_of_part);
}

}  // namespace pmtr
