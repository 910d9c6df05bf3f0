// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/sample/point_cloud.h"

namespace pmtr {

/// How far points typically lie off their surface, in the cloud's units: noise, or relief that is finer than
/// the points are apart. What a smoothly curved surface adds is taken away. 0 where there are too few points
/// to say. Needs normals.
double surface_noise(const PointCloud& cloud);

}  // namespace pmtr
