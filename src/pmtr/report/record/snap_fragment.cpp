// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/record/snap_fragment.h"

#include <array>

#include "pmtr/core/check.h"
#include "pmtr/core/index.h"
#include "pmtr/pose/mating_icp.h"

namespace pmtr {

Result<Snapped> snap_fragment(const AssemblyRecord& record, std::span<const OrientedCloud> clouds,
                              const AppliedPlacement& wish) {
  const AssemblyContext& context = record.context;
  PMTR_CHECK(
      context.seen && clouds.size() == record.assembly.parts.size() && context.shapes.size() == clouds.size(),
      "what was seen of every fragment");
  // From a hand's width to the surface; lengths in point spacings.
  constexpr std::array rounds = {
      IcpRound{.steps = 10, .first_tolerance = 10.0, .last_tolerance = 4.0, .points = 600},
      IcpRound{.steps = 10, .first_tolerance = 4.0, .last_tolerance = 1.0, .points = 1000},
      IcpRound{.steps = 6, .first_tolerance = 1.0, .last_tolerance = 0.4, .points = 1500}};
  constexpr int least_pulled = 12;
  const SeenBreaks& seen = *context.seen;
  const std::vector<PlacedPart>& parts = record.assembly.parts;
  const PlacedPart& on = parts[at(wish.on)];
  const PlacedPart& part = parts[at(wish.part)];
  std::vector<StandingCloud> standing;
  std::vector<int> who;
  for (std::size_t j = 0; j < parts.size(); ++j) {
    const int number = static_cast<int>(j);
    const bool here =
        number == wish.on || (parts[j].placed && on.placed && parts[j].component == on.component);
    const bool comes_along =
        wish.group && part.placed && parts[j].placed && parts[j].component == part.component;
    if (!here || number == wish.part || (comes_along && number != wish.on)) continue;
    const Rigid3 on_from_other =
        number == wish.on ? Rigid3{} : on.world_from_part.inverse() * parts[j].world_from_part;
    standing.push_back({&clouds[j], in_object_frame(on_from_other, seen.frame(at(wish.on)), seen.frame(j))});
    who.push_back(number);
  }
  const OrientedCloud& moving = clouds[at(wish.part)];
  IcpResult found;
  found.a_from_b = in_object_frame(wish.on_from_part, seen.frame(at(wish.on)), seen.frame(at(wish.part)));
  for (const IcpRound& round : rounds) {
    found = refine_among(standing, moving, found.a_from_b, round);
    if (found.pulled < least_pulled)
      return Error{Cause::mismatch, "no break is near enough: bring the fragment closer", {}};
  }
  Snapped snapped;
  double most = -1.0;
  for (std::size_t k = 0; k < standing.size(); ++k) {
    const Rigid3 other_from_part = standing[k].world_from_cloud.inverse() * found.a_from_b;
    const JointEvidence evidence = measure_joint(*standing[k].cloud, moving, other_from_part, {});
    if (evidence.close_area <= most) continue;
    most = evidence.close_area;
    snapped.evidence = evidence;
    snapped.placement = {wish.part, who[k],
                         in_input_frame(other_from_part, seen.frame(at(who[k])), seen.frame(at(wish.part))),
                         wish.group};
  }
  const Rigid3 on_from_part =
      in_input_frame(found.a_from_b, seen.frame(at(wish.on)), seen.frame(at(wish.part)));
  const PoseDifference moved =
      difference(centred(wish.on_from_part, context.shapes[at(wish.on)], context.shapes[at(wish.part)]),
                 centred(on_from_part, context.shapes[at(wish.on)], context.shapes[at(wish.part)]));
  snapped.turned_deg = moved.angle_deg;
  snapped.shifted = moved.shift;
  return snapped;
}

}  // namespace pmtr
