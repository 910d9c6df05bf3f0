// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/assembly.h"

#include <algorithm>
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
  std::vector<double> best(assembly.parts.size(), 0.0);
  std::priority_queue<std::pair<double, int>> open;
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    if (!assembly.parts[i].anchor) continue;
    best[i] = 1.0;
    open.emplace(1.0, static_cast<int>(i));
  }
  std::vector<std::vector<const Joint*>> at_part(assembly.parts.size());
  for (const Joint& joint : assembly.joints) {
    if (!joint.used) continue;
    at_part[at(joint.a)].push_back(&joint);
    at_part[at(joint.b)].push_back(&joint);
  }
  while (!open.empty()) {
    const auto [value, i] = open.top();
    open.pop();
    if (value < best[at(i)]) continue;
    for (const Joint* joint : at_part[at(i)]) {
      const int other = joint->a == i ? joint->b : joint->a;
      const double there = value * std::clamp(joint->confidence, 0.0, 1.0);
      if (there <= best[at(other)]) continue;
      best[at(other)] = there;
      open.emplace(there, other);
    }
  }
  for (std::size_t i = 0; i < best.size(); ++i) assembly.parts[i].confidence = best[i];
}

}  // namespace pmtr
