// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <Eigen/Core>

#include "pmtr/core/random.h"

namespace pmtr {

/// N lifted rotations on top of each other: block i, rows 3i to 3i+2, has three orthonormal rows of length p
/// (the transpose of the paper's S_i). For p = 3 these are the transposed rotations.
using Lifted = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;  // [3 N, p]

/// The part of `v` along the manifold at `y`.
Lifted tangent_part(const Lifted& y, const Lifted& v);

/// The nearest point of the manifold: the polar factor of each block.
Lifted on_manifold(const Lifted& y);

/// Uniform blocks.
Lifted random_lifted(int count, int rank, Random& random);

/// sym(m_i y_i^T) for each block: what a block of m does across the manifold.
Eigen::Matrix<double, Eigen::Dynamic, 3> across_blocks(const Lifted& y, const Lifted& m);  // [3 N, 3]

}  // namespace pmtr
