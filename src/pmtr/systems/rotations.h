// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include "pmtr/core/rigid3.h"
#include "pmtr/systems/system.h"

// Rotations as networks say them, and as the rest of the library has them.
namespace pmtr {

/// Each row divided by its length.
torch::Tensor unit_rows(const torch::Tensor& rows);

/// Unit quaternions [n, 4], scalar first, to matrices [n, 3, 3].
torch::Tensor matrices_of_quaternions(const torch::Tensor& quaternions);

/// Two 3-vectors each, [n, 6]: the first is the direction of the x axis, the second lies in the plane of x
/// and y (Gram-Schmidt).
torch::Tensor matrices_of_axes(const torch::Tensor& axes);

/// Quaternions have a scalar that is not negative.
PartPoses poses_of(std::span<const Rigid3> object_from_part);
std::vector<Rigid3> motions_of(const PartPoses& poses);

/// The points of each part where the poses put them, [parts, points, 3].
torch::Tensor rotated(const torch::Tensor& points, const torch::Tensor& rotation);

}  // namespace pmtr
