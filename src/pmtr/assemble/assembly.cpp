// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/assembly.h"

#include <algorithm>
#include <cmath>

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
  std::vector<double> all_wrong(assembly.parts.size(), 1.0);
  for (const Joint& joint : assembly.joints) {
    if (!joint.used) continue;
    for (const int part : {joint.a, joint.b})
      all_wrong[static_cast<std::size_t>(part)] *= 1.0 - std::clamp(joint.confidence, 0.0, 1.0);
  }
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) assembly.parts[i].confidence = 1.0 - all_wrong[i];
}

}  // namespace pmtr
