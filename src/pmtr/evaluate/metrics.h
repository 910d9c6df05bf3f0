// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>

#include <Eigen/Core>

#include "pmtr/core/threads.h"

namespace pmtr {

// The measures of the paper and of those it compares with, in plain units: lengths in units of the clouds,
// angles in degrees. The scale factors of printed tables (1e2, 1e3) belong to the tables.

/// Correspondence distance (CRD): mean distance between the same points in two assemblies.
double correspondence_distance(std::span<const Eigen::Vector3f> a, std::span<const Eigen::Vector3f> b);

/// Chamfer distance (CD): mean squared distance to the nearest point of the other cloud, both ways added.
double chamfer_distance(std::span<const Eigen::Vector3f> a, std::span<const Eigen::Vector3f> b,
                        Threads& threads);

/// RMSE(R): root mean square of the three differences of Euler angles (about the fixed axes x, y, z), each
/// taken the short way round. It depends on the axes and is no distance between rotations; papers print it.
double euler_rmse_degrees(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b);

/// The angle between two rotations, 0 to 180.
double geodesic_degrees(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b);

/// RMSE(T): root mean square of the three differences of coordinates.
double translation_rmse(const Eigen::Vector3d& a, const Eigen::Vector3d& b);

}  // namespace pmtr
