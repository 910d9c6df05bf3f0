// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/measure_assembly.h"

#include "pmtr/averaging/choose_joints.h"
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

}  // namespace pmtr
