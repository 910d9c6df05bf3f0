// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/render/shade.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace pmtr {
namespace {

/// The samples of a pixel share its rays: each looks along this many of them.
constexpr int rays_of_sample = 3;

/// This many directions over the half space around +z, denser towards it, of lengths that fill the unit ball.
std::vector<Eigen::Vector3f> hemisphere(int rays) {
  std::vector<Eigen::Vector3f> directions;
  for (int i = 0; i < rays; ++i) {
    const double height = std::sqrt((i + 0.5) / rays);
    const double turn = i * M_PI * (3.0 - std::sqrt(5.0));
    const double flat = std::sqrt(1.0 - height * height);
    const double length = 0.15 + 0.85 * std::fmod(0.5 + i * 0.618034, 1.0);
    directions.push_back(Eigen::Vector3d(flat * std::cos(turn), flat * std::sin(turn), height).cast<float>() *
                         static_cast<float>(length));
  }
  return directions;
}

/// A turn that differs from pixel to pixel, so that few rays leave no pattern.
float turn_of_pixel(int x, int y) {
  std::uint32_t h = static_cast<std::uint32_t>(x) * 0x9E3779B1U ^ static_cast<std::uint32_t>(y) * 0x85EBCA77U;
  h = (h ^ (h >> 15U)) * 0x2C1B3C6DU;
  h ^= h >> 13U;
  return static_cast<float>(h & 0xFFFFU) * static_cast<float>(2.0 * M_PI / 65536.0);
}

class Shader {
 public:
  Shader(const VisibilityBuffer& seen, std::span<const ScreenTriangle> triangles,
         std::span<const Surface> surfaces, const Camera& camera, const ShadeOptions& options)
      : seen_(seen),
        triangles_(triangles),
        surfaces_(surfaces),
        options_(options),
        rays_(hemisphere(rays_of_sample * options.samples * options.samples)),
        tan_x_(static_cast<float>(camera.tan_x)),
        tan_y_(static_cast<float>(camera.tan_y)) {}

  /// The light that comes from a sample where something is seen.
  Eigen::Vector3f light(int x, int y) const {
    const auto id = static_cast<std::size_t>(seen_.triangle[seen_.index(x, y)]);
    const Surface& surface = surfaces_[id];
    const Eigen::Vector3f shares = triangles_[id].shares_at(x + 0.5, y + 0.5).cast<float>();
    Eigen::Vector3f normal = Eigen::Vector3f::Zero();
    Eigen::Vector3f colour = Eigen::Vector3f::Zero();
    for (int k = 0; k < 3; ++k) {
      normal += shares[k] * surface.normals[static_cast<std::size_t>(k)];
      colour += shares[k] * surface.colours[static_cast<std::size_t>(k)];
    }
    const Eigen::Vector3f position = position_at(x, y);
    normal.normalize();
    // Scans are open and may be turned inside out: both sides are lit.
    if (normal.dot(position) > 0) normal = -normal;

    const float open = options_.occlusion > 0
                           ? 1.0F - static_cast<float>(options_.occlusion) * occluded(position, normal, x, y)
                           : 1.0F;
    static const Eigen::Vector3f key = Eigen::Vector3f(-0.45F, 0.75F, 0.6F).normalized();
    static const Eigen::Vector3f fill = Eigen::Vector3f(0.8F, 0.05F, 0.5F).normalized();
    const float sky = 0.44F * (0.75F + 0.25F * normal.y()) * open;
    const float sun = 0.85F * std::max(0.0F, normal.dot(key)) * (0.45F + 0.55F * open);
    const float side = 0.24F * std::max(0.0F, normal.dot(fill)) * open;
    float brightness = sky + sun + side;
    if (ends_here(x, y, surface.part)) brightness *= 1.0F - static_cast<float>(options_.outline);
    return colour * brightness;
  }

 private:
  Eigen::Vector3f position_at(int x, int y) const {
    const float depth = 1.0F / seen_.inverse_depth[seen_.index(x, y)];
    const float u = (static_cast<float>(x) + 0.5F) / static_cast<float>(seen_.width) * 2.0F - 1.0F;
    const float v = 1.0F - (static_cast<float>(y) + 0.5F) / static_cast<float>(seen_.height) * 2.0F;
    return {u * tan_x_ * depth, v * tan_y_ * depth, -depth};
  }

  /// The share of the sample's rays that run into something near.
  float occluded(const Eigen::Vector3f& position, const Eigen::Vector3f& normal, int x, int y) const {
    const int n = options_.samples;
    const int sample = (y % n) * n + x % n;
    const auto radius = static_cast<float>(options_.occlusion_radius);
    const float turn = turn_of_pixel(x / n, y / n);
    const Eigen::Vector3f side = normal.unitOrthogonal();
    const Eigen::Vector3f across = normal.cross(side);
    const Eigen::Vector3f tangent = std::cos(turn) * side + std::sin(turn) * across;
    const Eigen::Vector3f bitangent = normal.cross(tangent);
    float hits = 0;
    for (int i = 0; i < rays_of_sample; ++i) {
      const Eigen::Vector3f& ray = rays_[static_cast<std::size_t>(i * n * n + sample)];
      const Eigen::Vector3f end =
          position + radius * (ray.x() * tangent + ray.y() * bitangent + (ray.z() + 0.02F) * normal);
      const float depth = -end.z();
      if (depth <= 0) continue;
      const float u = (end.x() / (depth * tan_x_) + 1.0F) * 0.5F * static_cast<float>(seen_.width);
      const float v = (1.0F - end.y() / (depth * tan_y_)) * 0.5F * static_cast<float>(seen_.height);
      if (!(u >= 0 && v >= 0 && u < static_cast<float>(seen_.width) && v < static_cast<float>(seen_.height)))
        continue;
      const float inverse = seen_.inverse_depth[seen_.index(static_cast<int>(u), static_cast<int>(v))];
      if (inverse <= 0) continue;
      const float in_front = depth - 1.0F / inverse;
      if (in_front <= 0.01F * radius) continue;
      // Things far in front do not stand in a corner with this place: they fade out.
      hits += in_front < radius ? 1.0F : std::max(0.0F, 2.0F - in_front / radius);
    }
    return hits / rays_of_sample;
  }

  /// Next to a sample of another part, or of none, that lies behind.
  bool ends_here(int x, int y, std::int32_t part) const {
    if (options_.outline <= 0) return false;
    const float here = seen_.inverse_depth[seen_.index(x, y)];
    constexpr std::array<std::array<int, 2>, 4> sides = {{{1, 0}, {-1, 0}, {0, 1}, {0, -1}}};
    return std::any_of(sides.begin(), sides.end(), [&](const std::array<int, 2>& side) {
      const int nx = x + side[0];
      const int ny = y + side[1];
      if (nx < 0 || ny < 0 || nx >= seen_.width || ny >= seen_.height) return false;
      const std::size_t i = seen_.index(nx, ny);
      if (seen_.triangle[i] < 0) return true;
      return surfaces_[static_cast<std::size_t>(seen_.triangle[i])].part != part &&
             seen_.inverse_depth[i] <= here;
    });
  }

  const VisibilityBuffer& seen_;
  std::span<const ScreenTriangle> triangles_;
  std::span<const Surface> surfaces_;
  const ShadeOptions& options_;
  std::vector<Eigen::Vector3f> rays_;
  float tan_x_;
  float tan_y_;
};

}  // namespace

Eigen::Vector3f linear_light(const Rgb& colour) {
  Eigen::Vector3f out;
  for (int c = 0; c < 3; ++c) {
    const float v = static_cast<float>(colour[static_cast<std::size_t>(c)]) / 255.0F;
    out[c] = v <= 0.04045F ? v / 12.92F : std::pow((v + 0.055F) / 1.055F, 2.4F);
  }
  return out;
}

Rgb srgb(const Eigen::Vector3f& light) {
  Rgb out;
  for (int c = 0; c < 3; ++c) {
    const float v = std::clamp(light[c], 0.0F, 1.0F);
    const float encoded = v <= 0.0031308F ? 12.92F * v : 1.055F * std::pow(v, 1.0F / 2.4F) - 0.055F;
    out[static_cast<std::size_t>(c)] = static_cast<std::uint8_t>(encoded * 255.0F + 0.5F);
  }
  return out;
}

Image shade(const VisibilityBuffer& seen, std::span<const ScreenTriangle> triangles,
            std::span<const Surface> surfaces, const Camera& camera, const ShadeOptions& options,
            Threads& threads) {
  const int n = options.samples;
  PMTR_CHECK(seen.width % n == 0 && seen.height % n == 0, "a pixel has all of its samples");
  PMTR_CHECK(triangles.size() == surfaces.size(), "a triangle has a surface");
  Image image(seen.width / n, seen.height / n);
  const Shader shader(seen, triangles, surfaces, camera, options);
  const Eigen::Vector3f top = linear_light(options.background_top);
  const Eigen::Vector3f bottom = linear_light(options.background_bottom);
  threads.parallel_for(image.height, 4, [&](std::int64_t begin, std::int64_t end) {
    for (int y = static_cast<int>(begin); y < static_cast<int>(end); ++y) {
      const float share = (static_cast<float>(y) + 0.5F) / static_cast<float>(image.height);
      const Eigen::Vector3f background = top + (bottom - top) * share;
      for (int x = 0; x < image.width; ++x) {
        Eigen::Vector3f sum = Eigen::Vector3f::Zero();
        for (int sy = n * y; sy < n * y + n; ++sy) {
          for (int sx = n * x; sx < n * x + n; ++sx) {
            sum += seen.triangle[seen.index(sx, sy)] < 0 ? background : shader.light(sx, sy);
          }
        }
        image.set_pixel(x, y, srgb(sum / static_cast<float>(n * n)));
      }
    }
  });
  return image;
}

}  // namespace pmtr
