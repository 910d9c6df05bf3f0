// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/sample/point_cloud.h"

namespace pmtr {

/// How far points typically lie off the plane of their neighbours (RMS), in the cloud's units: noise, or
/// relief that the points are too sparse to show. 0 where there are too few to say. Needs normals.
double surface_noise(const PointCloud& cloud);

}  // namespace pmtr
