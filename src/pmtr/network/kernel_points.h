// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <vector>

#include <Eigen/Core>

#include "pmtr/core/random.h"

namespace pmtr {

/// Spreads `count` kernel points in a ball: one in the centre, the others by minimising the energy of mutual
/// repulsion (1/d) and a pull to the centre (d^2), from a random start, then turned at random. The mean
/// distance of the outer ones from the centre is 0.66 * radius, as in KPConv.
std::vector<Eigen::Vector3d> arrange_kernel_points(int count, double radius, Random& random);

}  // namespace pmtr
