// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "pmtr/core/random.h"
#include "pmtr/core/result.h"
#include "pmtr/mesh/triangle_mesh.h"

/// The table of shapes. Private to this folder.
namespace pmtr::shapes {

/// What a family draws its proportions from. Objects are about 1 large; they are brought to size afterwards.
struct Maker {
  Random& random;
  int around = 96;
  std::optional<double> wall;  ///< asked for

  double r(double low, double high) { return random.uniform(low, high); }
  int n(int low, int high) {
    return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1)));
  }
  bool chance(double share) { return random.uniform() < share; }
  /// The wall that was asked for, or one from low to high, thin ones more often.
  double wall_of(double low, double high) {
    const double drawn = low * std::pow(high / low, random.uniform());
    return wall.value_or(drawn);
  }
  double step() const { return 2.6 / around; }   ///< edges of turned shapes
  double steps() const { return around / 1.6; }  ///< of the grid for fields
  double steps_for(double thinnest) const { return std::max(steps(), 2.2 / thinnest); }
};

struct Family {
  const char* name;
  const char* what;
  Result<TriangleMesh> (*make)(Maker& maker);
};

std::span<const Family> vessel_families();
std::span<const Family> block_families();
std::span<const Family> figure_families();

}  // namespace pmtr::shapes
