// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/cut/height_noise.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace pmtr {
namespace {

std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31U);
}

double fade(double t) { return t * t * t * (t * (t * 6 - 15) + 10); }

/// The slope at a lattice point, times the way from it.
double slope(std::uint64_t seed, std::int64_t i, std::int64_t j, double x, double y) {
  // Eight even directions: enough not to be seen, and no trigonometry.
  constexpr double d = 0.70710678118654752;
  constexpr std::array<std::array<double, 2>, 8> directions{
      {{1, 0}, {d, d}, {0, 1}, {-d, d}, {-1, 0}, {-d, -d}, {0, -1}, {d, -d}}};
  const std::uint64_t hash = mix(seed + 0x9e3779b97f4a7c15U * static_cast<std::uint64_t>(i) +
                                 0xc2b2ae3d27d4eb4fU * static_cast<std::uint64_t>(j));
  const auto& g = directions[hash & 7U];
  return g[0] * x + g[1] * y;
}

/// Gradient noise with lattice step 1, scaled to about -1 to 1.
double gradient_noise(std::uint64_t seed, double x, double y) {
  const double fx = std::floor(x);
  const double fy = std::floor(y);
  const auto i = static_cast<std::int64_t>(fx);
  const auto j = static_cast<std::int64_t>(fy);
  const double dx = x - fx;
  const double dy = y - fy;
  const double s = fade(dx);
  const double low = slope(seed, i, j, dx, dy) * (1 - s) + slope(seed, i + 1, j, dx - 1, dy) * s;
  const double high =
      slope(seed, i, j + 1, dx, dy - 1) * (1 - s) + slope(seed, i + 1, j + 1, dx - 1, dy - 1) * s;
  const double t = fade(dy);
  return std::clamp(1.4 * (low * (1 - t) + high * t), -1.0, 1.0);
}

}  // namespace

HeightNoise::HeightNoise(const RoughnessOptions& options, double size, double finest, Random& random)
    : seed_(random.bits()),
      amplitude_(options.amplitude * size),
      frequency_(1 / std::max(options.wavelength * size, finest)),
      scales_(options.scales),
      persistence_(options.persistence),
      splinter_(options.splinter) {
  const double angle = random.uniform(0, 2 * M_PI);
  cos_ = std::cos(angle);
  sin_ = std::sin(angle);
  // Bumps shorter than the surface's triangles would only alias.
  while (scales_ > 1 && std::pow(2.0, scales_ - 1) * frequency_ * finest > 1) --scales_;
  double height = amplitude_;
  for (int k = 0; k < scales_; ++k) {
    bound_ += height;
    height *= persistence_;
  }
}

double HeightNoise::octaves(double u, double v, bool ridged) const {
  double sum = 0;
  double height = amplitude_;
  double frequency = frequency_;
  for (int k = 0; k < scales_; ++k) {
    // Grooves are four times as long as wide.
    const double noise = gradient_noise(seed_ + static_cast<std::uint64_t>(k), u * frequency,
                                        v * frequency * (ridged ? 0.25 : 1));
    sum += height * (ridged ? 1 - 2 * std::abs(noise) : noise);
    height *= persistence_;
    frequency *= 2;
  }
  return sum;
}

double HeightNoise::height(double u, double v) const {
  const double x = cos_ * u - sin_ * v;
  const double y = sin_ * u + cos_ * v;
  if (splinter_ <= 0) return octaves(x, y, false);
  if (splinter_ >= 1) return octaves(x, y, true);
  return (1 - splinter_) * octaves(x, y, false) + splinter_ * octaves(x, y, true);
}

}  // namespace pmtr
