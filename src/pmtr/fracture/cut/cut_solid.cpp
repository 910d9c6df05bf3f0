// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/cut/cut_solid.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "pmtr/fracture/cut/cut_cell.h"
#include "pmtr/fracture/cut/cut_plane.h"
#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

/// The cell to cut next: the largest, with some luck; cells that could not be cut are left alone.
std::int32_t choose_cell(const std::vector<double>& volumes, const std::vector<int>& failures,
                         Random& random) {
  std::int32_t chosen = -1;
  double best = 0;
  for (std::size_t c = 0; c < volumes.size(); ++c) {
    if (failures[c] >= 3) continue;
    const double weight = volumes[c] * std::exp(0.4 * random.normal());
    if (weight <= best) continue;
    best = weight;
    chosen = static_cast<std::int32_t>(c);
  }
  return chosen;
}

bool cut_once(WorkingComplex& working, std::int32_t cell, const CutOptions& options, const CutLimits& limits,
              Random& random) {
  const CellSurface surface(working, cell);
  for (const CutPlane& plane : surface.propose(options.proposals, random)) {
    const CutSurface cut{plane.origin, plane.axes,
                         HeightNoise(options.roughness, surface.size(), 2 * limits.spacing, random)};
    if (cut_cell(working, cell, cut, limits, random)) return true;
  }
  return false;
}

}  // namespace

Status CutOptions::validate() const {
  if (cells < 2) return invalid_option(fmt::format("{} cells cannot make two pieces", cells));
  if (!(roughness.amplitude >= 0 && roughness.amplitude <= 0.5))
    return invalid_option("the roughness must be from 0 to 0.5 of the part that breaks");
  if (!(roughness.wavelength > 0 && roughness.wavelength <= 10))
    return invalid_option("the length of the bumps must be above 0, at most 10 times the part that breaks");
  if (roughness.scales < 1 || roughness.scales > 16)
    return invalid_option("scales of roughness must be from 1 to 16");
  if (!(roughness.persistence >= 0 && roughness.persistence <= 1))
    return invalid_option("the persistence of roughness must be from 0 to 1");
  if (!(roughness.splinter >= 0 && roughness.splinter <= 1))
    return invalid_option("splinter must be from 0 to 1");
  if (!(detail >= 0.001 && detail <= 1))
    return invalid_option("the detail must be from 0.001 to 1 of the object");
  if (!(max_edge >= 0.002)) return invalid_option("the longest edge must be at least 0.002 of the object");
  if (proposals < 1 || proposals > 1000) return invalid_option("proposals for a cut must be from 1 to 1000");
  return {};
}

Result<CellComplex> cut_solid(const TriangleMesh& solid, const CutOptions& options,
                              const Listener& listener) {
  PMTR_TRY_STATUS(options.validate());
  const double size = surface_box(solid).sizes().maxCoeff();
  WorkingComplex working(solid);
  const double volume = working.complex().volumes[0];
  const CutLimits limits{options.max_edge * size, options.detail * size, 1e-7 * volume};
  std::vector<int> failures{0};
  const auto wanted = static_cast<std::size_t>(options.cells);
  for (std::uint64_t cut = 0; working.complex().cell_count() < wanted; ++cut) {
    if (listener.stop()) return Error{Cause::cancelled, "stopped while cutting", {}};
    Random random(options.seed, cut);
    const std::int32_t cell = choose_cell(working.complex().volumes, failures, random);
    if (cell < 0) break;
    if (!cut_once(working, cell, options, limits, random)) ++failures[static_cast<std::size_t>(cell)];
    failures.resize(working.complex().cell_count(), 0);
  }
  return std::move(working).take();
}

}  // namespace pmtr
