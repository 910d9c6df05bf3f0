// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/sample/surface_features.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <unordered_map>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

using Cell = Eigen::Vector3i;

Cell cell_of(const Eigen::Vector3f& p, float edge) { return (p / edge).array().floor().cast<int>(); }

std::uint64_t key_of(const Cell& c, std::uint64_t side = 0) {
  constexpr std::uint64_t mask = (1U << 20) - 1;
  const auto part = [](int v) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(v)) & mask; };
  return part(c.x()) | part(c.y()) << 20 | part(c.z()) << 40 | side << 60;
}

/// Which of six directions a normal is nearest to: the two sides of a thin wall must not be averaged.
std::uint64_t side_of(const Eigen::Vector3f& normal) {
  Eigen::Index axis = 0;
  normal.cwiseAbs().maxCoeff(&axis);
  return static_cast<std::uint64_t>(2 * axis + (normal[axis] < 0.0F ? 1 : 0));
}

/// One mean point per small cube and side.
PointCloud thin(const PointCloud& cloud, float edge) {
  std::unordered_map<std::uint64_t, std::size_t> places;
  places.reserve(cloud.points.size());
  PointCloud thinned;
  std::vector<float> counts;
  for (std::size_t i = 0; i < cloud.points.size(); ++i) {
    const auto key = key_of(cell_of(cloud.points[i], edge), side_of(cloud.normals[i]));
    const auto [place, fresh] = places.try_emplace(key, thinned.points.size());
    if (fresh) {
      thinned.points.emplace_back(Eigen::Vector3f::Zero());
      thinned.normals.emplace_back(Eigen::Vector3f::Zero());
      counts.push_back(0.0F);
    }
    thinned.points[place->second] += cloud.points[i];
    thinned.normals[place->second] += cloud.normals[i];
    counts[place->second] += 1.0F;
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    thinned.points[i] /= counts[i];
    thinned.normals[i].normalize();
  }
  return thinned;
}

/// Points by cubes: the points of a cube lie one after the other in `order`.
struct Cubes {
  struct Range {
    Cell cell;
    std::uint32_t begin, end;
  };
  std::vector<std::uint32_t> order;
  std::vector<Range> ranges;
  std::unordered_map<std::uint64_t, std::uint32_t> place;  ///< of a cube in `ranges`

  Cubes(const std::vector<Eigen::Vector3f>& points, float edge) : order(points.size()) {
    std::vector<std::uint64_t> keys;
    keys.reserve(points.size());
    for (const auto& p : points) keys.push_back(key_of(cell_of(p, edge)));
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return keys[a] != keys[b] ? keys[a] < keys[b] : a < b;
    });
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      if (i == 0 || keys[order[i]] != keys[order[i - 1]]) {
        place.emplace(keys[order[i]], static_cast<std::uint32_t>(ranges.size()));
        ranges.push_back({cell_of(points[order[i]], edge), i, i});
      }
      ranges.back().end = i + 1;
    }
  }
};

// Vectors of the compiler's own kind: four numbers on any machine, eight where there is AVX2.
using Lane4 = float __attribute__((vector_size(16)));
using Lane8 = float __attribute__((vector_size(32)));
constexpr std::size_t most_lanes = 8;

// Results go through references: returned vectors of eight would change the ABI of code without AVX2.
template <class Lane>
[[gnu::always_inline]] inline void load(Lane& v, const float* from) {
  std::memcpy(&v, from, sizeof v);
}
template <class Lane>
[[gnu::always_inline]] inline float sum(const Lane& v) {
  float total = 0.0F;
  for (std::size_t i = 0; i < sizeof(Lane) / sizeof(float); ++i) total += v[i];
  return total;
}
/// 1 / sqrt(x) by three steps of Newton's method from the bits of x: the vectors have no root of their own.
template <class Lane>
[[gnu::always_inline]] inline void inverse_root(Lane& y, const Lane& x) {
  using Bits = std::int32_t __attribute__((vector_size(sizeof(Lane))));
  Bits bits;
  std::memcpy(&bits, &x, sizeof bits);
  bits = 0x5f3759df - (bits >> 1);
  std::memcpy(&y, &bits, sizeof bits);
  for (int i = 0; i < 3; ++i) y *= 1.5F - 0.5F * x * y * y;
}

/// Everything near one cube, coordinate by coordinate, filled up with points too far to count.
struct Neighbourhood {
  std::vector<float> x, y, z, nx, ny, nz;

  void gather(const Cell& cell, const PointCloud& cloud, const Cubes& cubes) {
    for (auto* values : {&x, &y, &z, &nx, &ny, &nz}) values->clear();
    for (int dx = -1; dx <= 1; ++dx)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dz = -1; dz <= 1; ++dz) {
          const auto found = cubes.place.find(key_of(cell + Cell(dx, dy, dz)));
          if (found == cubes.place.end()) continue;
          const Cubes::Range& range = cubes.ranges[found->second];
          for (std::uint32_t i = range.begin; i < range.end; ++i)
            push(cloud.points[cubes.order[i]], cloud.normals[cubes.order[i]]);
        }
    while (x.size() % most_lanes != 0) push(Eigen::Vector3f::Constant(1e9F), Eigen::Vector3f::Zero());
  }

 private:
  void push(const Eigen::Vector3f& p, const Eigen::Vector3f& n) {
    x.push_back(p.x()), y.push_back(p.y()), z.push_back(p.z());
    nx.push_back(n.x()), ny.push_back(n.y()), nz.push_back(n.z());
  }
};

template <class Lane>
[[gnu::always_inline]] inline void describe(const Neighbourhood& near, float radius, const Eigen::Vector3f& p,
                                            const Eigen::Vector3f& n, float* out) {
  const Lane zero{}, one = zero + 1.0F;
  const Lane px = zero + p.x(), py = zero + p.y(), pz = zero + p.z();
  const Lane ux = zero + n.x(), uy = zero + n.y(), uz = zero + n.z();
  const Lane limit = zero + radius * radius, tiny = zero + 1e-8F * radius * radius;
  Lane counts = zero, heights = zero, magnitudes = zero, height_squares = zero, cosines = zero,
       cosine_squares = zero, slopes = zero, opposed = zero;
  for (std::size_t i = 0; i < near.x.size(); i += sizeof(Lane) / sizeof(float)) {
    Lane x, y, z, nx, ny, nz, inverse;
    load(x, &near.x[i]), load(y, &near.y[i]), load(z, &near.z[i]);
    load(nx, &near.nx[i]), load(ny, &near.ny[i]), load(nz, &near.nz[i]);
    x -= px, y -= py, z -= pz;
    const Lane squared = x * x + y * y + z * z;
    inverse_root(inverse, squared);
    const auto inside = squared < limit;
    const Lane h = inside ? x * ux + y * uy + z * uz : zero;
    const Lane c = inside ? nx * ux + ny * uy + nz * uz : zero;
    counts += inside ? one : zero;
    heights += h;
    magnitudes += h < zero ? -h : h;
    height_squares += h * h;
    cosines += c;
    cosine_squares += c * c;
    // The point itself has no direction.
    slopes += squared > tiny ? h * inverse : zero;
    opposed += c < zero - 0.5F ? one : zero;
  }
  const float count = sum(counts);
  if (count == 0) {
    std::fill_n(out, SurfaceFeatures::per_radius, 0.0F);
    return;
  }
  const float h_mean = sum(heights) / count / radius;
  const float c_mean = sum(cosines) / count;
  out[0] = h_mean;
  out[1] = sum(magnitudes) / count / radius;
  out[2] = std::sqrt(std::max(0.0F, sum(height_squares) / count / (radius * radius) - h_mean * h_mean));
  out[3] = c_mean;
  out[4] = std::sqrt(std::max(0.0F, sum(cosine_squares) / count - c_mean * c_mean));
  out[5] = sum(slopes) / count;
  out[6] = sum(opposed) / count;
}

using Describe = void (*)(const Neighbourhood&, float, const Eigen::Vector3f&, const Eigen::Vector3f&,
                          float*);

void describe_anywhere(const Neighbourhood& near, float radius, const Eigen::Vector3f& p,
                       const Eigen::Vector3f& n, float* out) {
  describe<Lane4>(near, radius, p, n, out);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] void describe_avx2(const Neighbourhood& near, float radius,
                                               const Eigen::Vector3f& p, const Eigen::Vector3f& n,
                                               float* out) {
  describe<Lane8>(near, radius, p, n, out);
}
Describe best_describe() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? describe_avx2 : describe_anywhere;
}
#else
Describe best_describe() { return describe_anywhere; }
#endif

}  // namespace

SurfaceFeatures find_surface_features(const PointCloud& surface, const PointCloud& at, Threads& threads) {
  PMTR_CHECK(surface.normals.size() == surface.points.size() && at.normals.size() == at.points.size(),
             "surface features need normals");
  SurfaceFeatures features;
  features.rows = static_cast<std::int64_t>(at.points.size());
  features.values.resize(at.points.size() * SurfaceFeatures::width);
  const Describe describe_point = best_describe();
  for (std::size_t k = 0; k < SurfaceFeatures::radii.size(); ++k) {
    const float radius = SurfaceFeatures::radii[k];
    // About sixty cubes cover a flat disc of the radius.
    const PointCloud thinned = thin(surface, radius / 4.5F);
    const Cubes cubes(thinned.points, radius);
    const Cubes queries(at.points, radius);
    threads.parallel_for(
        static_cast<std::int64_t>(queries.ranges.size()), 8, [&](std::int64_t begin, std::int64_t end) {
          Neighbourhood near;
          for (auto r = static_cast<std::size_t>(begin); r < static_cast<std::size_t>(end); ++r) {
            const Cubes::Range& range = queries.ranges[r];
            near.gather(range.cell, thinned, cubes);
            for (std::uint32_t i = range.begin; i < range.end; ++i) {
              const std::size_t row = queries.order[i];
              describe_point(
                  near, radius, at.points[row], at.normals[row],
                  features.values.data() + row * SurfaceFeatures::width + k * SurfaceFeatures::per_radius);
            }
          }
        });
  }
  return features;
}

}  // namespace pmtr
