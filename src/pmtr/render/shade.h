// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <Eigen/Core>

#include "pmtr/core/threads.h"
#include "pmtr/render/camera.h"
#include "pmtr/render/image.h"
#include "pmtr/render/rasterise.h"

namespace pmtr {

/// What a triangle looks like, beside where it is (ScreenTriangle).
struct Surface {
  std::array<Eigen::Vector3f, 3> normals;  ///< of the corners, in the eye's frame
  std::array<Eigen::Vector3f, 3> colours;  ///< of the corners, linear light, 0 to 1
  std::int32_t part = 0;
};

struct ShadeOptions {
  int samples = 2;  ///< per pixel and side
  double occlusion = 0.75;
  double occlusion_radius = 0.1;  ///< in world units: how far corners darken
  double outline = 0.5;
  Rgb background_top;
  Rgb background_bottom;
};

/// Light on what is seen: a key light from the upper left, a weak fill from the right, light from the sky
/// that is darker from below and in corners, a line where one part ends.
Image shade(const VisibilityBuffer& seen, std::span<const ScreenTriangle> triangles,
            std::span<const Surface> surfaces, const Camera& camera, const ShadeOptions& options,
            Threads& threads);

/// sRGB to linear light and back.
Eigen::Vector3f linear_light(const Rgb& colour);
Rgb srgb(const Eigen::Vector3f& light);

}  // namespace pmtr
