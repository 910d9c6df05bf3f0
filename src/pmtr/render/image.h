// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "pmtr/core/check.h"

namespace pmtr {

using Rgb = std::array<std::uint8_t, 3>;

/// A picture in memory: sRGB, 8 bits a channel, rows from the top.
struct Image {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgb;  ///< [height, width, 3]

  Image() = default;
  Image(int image_width, int image_height, Rgb colour = {255, 255, 255})
      : width(image_width), height(image_height) {
    PMTR_CHECK(width >= 0 && height >= 0, "the size of an image is not negative");
    rgb.resize(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    for (std::size_t i = 0; i < rgb.size(); ++i) rgb[i] = colour[i % 3];
  }

  std::size_t offset(int x, int y) const {
    return 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x));
  }
  Rgb pixel(int x, int y) const {
    const std::size_t i = offset(x, y);
    return {rgb[i], rgb[i + 1], rgb[i + 2]};
  }
  /// Outside of the image nothing happens.
  void set_pixel(int x, int y, Rgb colour) {
    if (x < 0 || y < 0 || x >= width || y >= height) return;
    const std::size_t i = offset(x, y);
    for (std::size_t c = 0; c < 3; ++c) rgb[i + c] = colour[c];
  }
};

}  // namespace pmtr
