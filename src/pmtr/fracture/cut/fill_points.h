// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/random.h"

namespace pmtr {

/// Points inside the region that the borders enclose (even-odd), on a shaken triangular lattice, each at
/// least 0.7 of the spacing away from the borders.
std::vector<Eigen::Vector2d> fill_points(std::span<const Eigen::Vector2d> points,
                                         std::span<const std::array<std::int32_t, 2>> borders, double spacing,
                                         Random& random);

}  // namespace pmtr
