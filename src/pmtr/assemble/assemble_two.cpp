// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/assembly.h"

namespace pmtr {

Assembly assemble_two(const std::optional<Joint>& joint, double area_0, double area_1) {
  Assembly assembly;
  assembly.parts.resize(2);
  if (!joint) return assembly;
  assembly.joints.push_back(*joint);
  assembly.joints[0].used = true;
  const int anchor = area_1 > area_0 ? 1 : 0;
  for (int i = 0; i < 2; ++i) {
    PlacedPart& part = assembly.parts[static_cast<std::size_t>(i)];
    part.placed = true;
    part.anchor = i == anchor;
    part.component = 0;
    part.confidence = joint->confidence;
    if (i == anchor) continue;
    part.world_from_part = joint->a == anchor ? joint->a_from_b : joint->a_from_b.inverse();
  }
  return assembly;
}

}  // namespace pmtr
