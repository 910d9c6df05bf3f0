// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include "pmtr/assemble/assembly.h"
#include "pmtr/assemble/part_shape.h"
#include "pmtr/averaging/choose_joints.h"
#include "pmtr/pose/oriented_cloud.h"

namespace pmtr {

/// Centres and areas of clouds.
std::vector<PartShape> shapes_of(std::span<const OrientedCloud> clouds);

/// What is said of the joints where their parts stand in the end, after averaging and refinement: residuals
/// of all joints inside one component, and the evidence of the used ones. Without clouds only residuals.
Assembly measure_assembly(Assembly assembly, std::span<const PartShape> shapes,
                          std::span<const OrientedCloud> clouds);

/// Says anew what became of every joint, by where the parts stand: of the joints of two parts that agree with
/// it the surest is used.
void judge_where_they_stand(Assembly& assembly, std::span<const PartShape> shapes,
                            const ChooseOptions& options);

}  // namespace pmtr
