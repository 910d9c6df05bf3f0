// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include "pmtr/core/threads.h"
#include "pmtr/report/page/display_mesh.h"
#include "pmtr/report/record/assembly_json.h"

namespace pmtr {

/// Normals that differ by more than 120 degrees face each other.
inline constexpr double opposed_cosine = -0.5;

/// From how far on two surfaces that face each other count as mating: three times the widest gap that was
/// measured on a used joint, but between 0.4 % and 2 % of the object's size.
double mating_distance(const AssemblyRecord& record);

/// How deep surfaces may reach into each other and still count as mating: 1.5 times what was measured on a
/// used joint, but between 0.4 % and 1 % of the object's size.
double deepest_penetration(const AssemblyRecord& record);

/// Fills DisplayMesh::gaps of all placed parts: the distance of each vertex to the nearest triangle of
/// another part of its component that faces it, up to `limit`. Distances go to the surfaces themselves
/// (`meshes`), not to what is displayed.
void find_gaps(const AssemblyRecord& record, std::span<const TriangleMesh* const> meshes, double limit,
               std::span<DisplayMesh> shown, Threads& threads);

/// A round number that nearly all gaps lie under: the upper end of a colour scale. At least 0.
double gap_scale(std::span<const DisplayMesh> shown);

}  // namespace pmtr
