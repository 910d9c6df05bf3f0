// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/measure_assembly.h"

#include <map>
#include <utility>

#include "pmtr/assemble/joint_weight.h"
#include "pmtr/core/index.h"
#include "pmtr/pose/joint_evidence.h"
#include "pmtr/pose/oriented_cloud.h"

namespace pmtr {

std::vector<PartShape> shapes_of(std::span<const OrientedCloud> clouds) {
  std::vector<PartShape> shapes;
  for (const OrientedCloud& cloud : clouds)
    shapes.push_back({cloud.centre, cloud.point_area() * static_cast<double>(cloud.points.size())});
  return shapes;
}

Assembly measure_assembly(Assembly assembly, std::span<const PartShape> shapes,
                          std::span<const OrientedCloud> clouds) {
  for (std::size_t j = 0; j < assembly.joints.size(); ++j) {
    Joint& joint = assembly.joints[j];
    const auto a = static_cast<std::size_t>(joint.a);
    const auto b = static_cast<std::size_t>(joint.b);
    const PlacedPart& part_a = assembly.parts[a];
    const PlacedPart& part_b = assembly.parts[b];
    if (!part_a.placed || !part_b.placed || part_a.component != part_b.component) continue;
    const Rigid3 stands = part_a.world_from_part.inverse() * part_b.world_from_part;
    if (joint.used && !clouds.empty()) joint.evidence = measure_joint(clouds[a], clouds[b], stands, {});
    if (assembly.verdicts.empty()) continue;
    const PoseDifference off =
        difference(centred(joint.a_from_b, shapes[a], shapes[b]), centred(stands, shapes[a], shapes[b]));
    assembly.verdicts[j].residual_deg = off.angle_deg;
    assembly.verdicts[j].residual_shift = off.shift;
  }
  return assembly;
}

void judge_where_they_stand(Assembly& assembly, std::span<const PartShape> shapes,
                            const ChooseOptions& options) {
  assembly.verdicts.resize(assembly.joints.size());
  std::map<std::pair<int, int>, std::size_t> best;
  for (std::size_t j = 0; j < assembly.joints.size(); ++j) {
    Joint& joint = assembly.joints[j];
    joint.used = false;
    JointVerdict& verdict = assembly.verdicts[j];
    verdict = {};
    const PlacedPart& a = assembly.parts[at(joint.a)];
    const PlacedPart& b = assembly.parts[at(joint.b)];
    const bool likely = log_odds(joint.confidence) >= options.least_evidence;
    if (!a.placed || !b.placed || a.component != b.component) {
      verdict.fate = likely ? JointFate::unjoined : JointFate::weak;
      continue;
    }
    const PartShape& shape_a = shapes[at(joint.a)];
    const PartShape& shape_b = shapes[at(joint.b)];
    const PoseDifference off =
        difference(centred(joint.a_from_b, shape_a, shape_b),
                   centred(a.world_from_part.inverse() * b.world_from_part, shape_a, shape_b));
    verdict.residual_deg = off.angle_deg;
    verdict.residual_shift = off.shift;
    if (off.angle_deg > options.rotation_tolerance_deg || off.shift > options.shift_tolerance) {
      verdict.fate = likely ? JointFate::contradicts : JointFate::weak;
      continue;
    }
    verdict.fate = JointFate::spare;
    const auto [place, fresh] = best.try_emplace(std::minmax(joint.a, joint.b), j);
    if (!fresh && joint.confidence > assembly.joints[place->second].confidence) place->second = j;
  }
  for (const auto& [pair, j] : best) {
    assembly.joints[j].used = true;
    assembly.verdicts[j].fate = JointFate::used;
  }
}

}  // namespace pmtr
