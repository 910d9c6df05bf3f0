// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/input_frame.h"

#include <map>

namespace pmtr {

Assembly in_input_frame(Assembly assembly, std::span<const FragmentClouds> fragments) {
  if (fragments.empty()) return assembly;
  const double unit = fragments[0].unit;
  const auto fragment = [&](int i) -> const FragmentClouds& {
    return fragments[static_cast<std::size_t>(i)];
  };
  for (Joint& joint : assembly.joints) {
    joint.a_from_b = in_input_frame(joint.a_from_b, fragment(joint.a), fragment(joint.b));
    if (joint.evidence) joint.evidence = in_units(*joint.evidence, unit);
  }
  for (JointVerdict& verdict : assembly.verdicts) {
    if (verdict.residual_shift) *verdict.residual_shift *= unit;
  }
  // The world of a component is its anchor's frame.
  std::map<int, int> anchors;
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    if (assembly.parts[i].anchor) anchors[assembly.parts[i].component] = static_cast<int>(i);
  }
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    PlacedPart& part = assembly.parts[i];
    if (!part.placed || part.anchor) continue;
    part.world_from_part =
        in_input_frame(part.world_from_part, fragment(anchors.at(part.component)), fragments[i]);
  }
  return assembly;
}

}  // namespace pmtr
