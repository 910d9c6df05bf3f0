// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/render/rasterise.h"

#include <algorithm>
#include <cmath>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

constexpr int band_height = 32;  // samples

/// Twice the signed areas of the triangles that a point makes with each edge.
std::array<double, 3> edge_areas(const ScreenTriangle& t, double px, double py) {
  std::array<double, 3> areas;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t i = (k + 1) % 3;
    const std::size_t j = (k + 2) % 3;
    areas[k] = (t.x[j] - t.x[i]) * (py - t.y[i]) - (t.y[j] - t.y[i]) * (px - t.x[i]);
  }
  return areas;
}

/// First and last sample whose centre lies within [low, high], cut to [0, count).
std::array<int, 2> sample_range(double low, double high, int count) {
  const double limit = count;
  return {static_cast<int>(std::clamp(std::ceil(low - 0.5), 0.0, limit)),
          static_cast<int>(std::clamp(std::floor(high - 0.5), -1.0, limit - 1.0))};
}

void draw(const ScreenTriangle& t, std::int32_t id, int first_row, int last_row, VisibilityBuffer& buffer) {
  const double area = (t.x[1] - t.x[0]) * (t.y[2] - t.y[0]) - (t.y[1] - t.y[0]) * (t.x[2] - t.x[0]);
  if (area == 0.0) return;
  const double sign = area > 0 ? 1.0 : -1.0;
  const auto [low_x, high_x] = std::minmax({t.x[0], t.x[1], t.x[2]});
  const auto [low_y, high_y] = std::minmax({t.y[0], t.y[1], t.y[2]});
  const auto columns = sample_range(low_x, high_x, buffer.width);
  const auto rows = sample_range(low_y, high_y, buffer.height);
  for (int y = std::max(rows[0], first_row); y <= std::min(rows[1], last_row); ++y) {
    std::array<double, 3> areas = edge_areas(t, columns[0] + 0.5, y + 0.5);
    for (int x = columns[0]; x <= columns[1]; ++x) {
      if (areas[0] * sign >= 0 && areas[1] * sign >= 0 && areas[2] * sign >= 0) {
        const double inverse_depth =
            (areas[0] * t.inverse_depth[0] + areas[1] * t.inverse_depth[1] + areas[2] * t.inverse_depth[2]) /
            area;
        const std::size_t i = buffer.index(x, y);
        if (static_cast<float>(inverse_depth) > buffer.inverse_depth[i]) {
          buffer.inverse_depth[i] = static_cast<float>(inverse_depth);
          buffer.triangle[i] = id;
        }
      }
      // Corners lie on a grid of 1/256, so these sums are exact.
      for (std::size_t k = 0; k < 3; ++k) areas[k] -= t.y[(k + 2) % 3] - t.y[(k + 1) % 3];
    }
  }
}

}  // namespace

Eigen::Vector3d ScreenTriangle::shares_at(double px, double py) const {
  const std::array<double, 3> areas = edge_areas(*this, px, py);
  const Eigen::Vector3d weighted(areas[0] * inverse_depth[0], areas[1] * inverse_depth[1],
                                 areas[2] * inverse_depth[2]);
  return weighted / weighted.sum();
}

ScreenTriangle snapped(const ScreenTriangle& triangle) {
  ScreenTriangle out = triangle;
  for (std::size_t k = 0; k < 3; ++k) {
    out.x[k] = std::round(triangle.x[k] * 256.0) / 256.0;
    out.y[k] = std::round(triangle.y[k] * 256.0) / 256.0;
  }
  return out;
}

VisibilityBuffer rasterise(std::span<const ScreenTriangle> triangles, int width, int height,
                           Threads& threads) {
  PMTR_CHECK(width > 0 && height > 0, "a picture has pixels");
  VisibilityBuffer buffer;
  buffer.width = width;
  buffer.height = height;
  buffer.triangle.assign(buffer.index(0, height), -1);
  buffer.inverse_depth.assign(buffer.index(0, height), 0.0F);

  // Each band of rows is drawn by one thread, in the order of the triangles.
  const int bands = (height + band_height - 1) / band_height;
  std::vector<std::vector<std::int32_t>> in_band(static_cast<std::size_t>(bands));
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    const auto [low, high] = std::minmax({triangles[i].y[0], triangles[i].y[1], triangles[i].y[2]});
    const auto rows = sample_range(low, high, height);
    for (int band = rows[0] / band_height; rows[0] <= rows[1] && band <= rows[1] / band_height; ++band) {
      in_band[static_cast<std::size_t>(band)].push_back(static_cast<std::int32_t>(i));
    }
  }
  threads.parallel_for(bands, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t band = begin; band < end; ++band) {
      const int first = static_cast<int>(band) * band_height;
      for (const std::int32_t id : in_band[static_cast<std::size_t>(band)]) {
        draw(triangles[static_cast<std::size_t>(id)], id, first, first + band_height - 1, buffer);
      }
    }
  });
  return buffer;
}

}  // namespace pmtr
