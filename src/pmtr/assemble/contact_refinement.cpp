// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/contact_refinement.h"

#include <utility>
#include <vector>

#include "pmtr/pose/joint_evidence.h"
#include "pmtr/pose/mating_icp.h"

namespace pmtr {
namespace {

struct Touch {
  double contact = 0.0;
  double penetration = 0.0;
};

Touch touch(std::span<const StandingCloud> standing, const OrientedCloud& part,
            const Rigid3& world_from_part) {
  Touch sum;
  for (const StandingCloud& other : standing) {
    const JointEvidence e =
        measure_joint(*other.cloud, part, other.world_from_cloud.inverse() * world_from_part, {});
    sum.contact += e.close_area;
    sum.penetration += e.penetration_area;
  }
  return sum;
}

/// Placed parts of the same component that touch this one.
std::vector<StandingCloud> neighbours_of(std::size_t part, std::span<const OrientedCloud> clouds,
                                         const Assembly& assembly) {
  std::vector<StandingCloud> result;
  const PlacedPart& own = assembly.parts[part];
  for (std::size_t j = 0; j < clouds.size(); ++j) {
    const PlacedPart& other = assembly.parts[j];
    if (j == part || !other.placed || other.component != own.component) continue;
    const Rigid3 there = other.world_from_part.inverse() * own.world_from_part;
    if (measure_joint(clouds[j], clouds[part], there, {}).contact_points >= 12)
      result.push_back({&clouds[j], other.world_from_part});
  }
  return result;
}

}  // namespace

Status ContactRefinementOptions::validate() const {
  if (sweeps < 0 || sweeps > 1000) return invalid_option("sweeps are 0 to 1000");
  return {};
}

ContactRefinement refine_contacts(Assembly given, std::span<const OrientedCloud> clouds,
                                  const ContactRefinementOptions& options) {
  ContactRefinement result;
  result.assembly = std::move(given);
  Assembly& assembly = result.assembly;
  constexpr IcpRound round = {.steps = 4, .first_tolerance = 0.8, .last_tolerance = 0.4, .points = 1500};
  std::vector<std::vector<StandingCloud>> around(clouds.size());
  std::vector<Touch> now(clouds.size());
  for (std::size_t i = 0; i < clouds.size() && options.sweeps > 0; ++i) {
    if (!assembly.parts[i].placed) continue;
    around[i] = neighbours_of(i, clouds, assembly);
    now[i] = touch(around[i], clouds[i], assembly.parts[i].world_from_part);
    result.before += 0.5 * now[i].contact;
  }
  for (int sweep = 0; sweep < options.sweeps; ++sweep) {
    bool changed = false;
    for (std::size_t i = 0; i < clouds.size(); ++i) {
      PlacedPart& part = assembly.parts[i];
      // With one neighbour only, its own joint has been refined already.
      if (!part.placed || part.anchor || around[i].size() < 2) continue;
      for (StandingCloud& other : around[i])
        other.world_from_cloud =
            assembly.parts[static_cast<std::size_t>(other.cloud - clouds.data())].world_from_part;
      const Touch before = touch(around[i], clouds[i], part.world_from_part);
      const Rigid3 pose = refine_among(around[i], clouds[i], part.world_from_part, round).a_from_b;
      const Touch after = touch(around[i], clouds[i], pose);
      if (after.contact <= before.contact * (1.0 + 1e-4) || after.penetration > before.penetration) continue;
      part.world_from_part = pose;
      changed = true;
      ++result.moved;
    }
    if (!changed) break;
  }
  for (std::size_t i = 0; i < clouds.size(); ++i) {
    if (around[i].empty()) continue;
    for (StandingCloud& other : around[i])
      other.world_from_cloud =
          assembly.parts[static_cast<std::size_t>(other.cloud - clouds.data())].world_from_part;
    result.contact += 0.5 * touch(around[i], clouds[i], assembly.parts[i].world_from_part).contact;
  }
  return result;
}

}  // namespace pmtr
