// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/sample/surface_scales.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <vector>

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

/// Everything near one cube, as the loops want it.
struct Neighbourhood {
  std::vector<float> x, y, z, nx, ny, nz;

  SurfaceNeighbours view() const {
    return {static_cast<long>(x.size()), {x.data(), y.data(), z.data()}, {nx.data(), ny.data(), nz.data()}};
  }

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
    while (x.size() % SurfaceNeighbours::lanes != 0)
      push(Eigen::Vector3f::Constant(1e9F), Eigen::Vector3f::Zero());
  }

 private:
  void push(const Eigen::Vector3f& p, const Eigen::Vector3f& n) {
    x.push_back(p.x()), y.push_back(p.y()), z.push_back(p.z());
    nx.push_back(n.x()), ny.push_back(n.y()), nz.push_back(n.z());
  }
};

}  // namespace

void describe_scales(const PointCloud& surface, const PointCloud& at, std::span<const float> radii,
                     const SurfaceDescription& description, std::span<float> rows, Threads& threads) {
  PMTR_CHECK(surface.normals.size() == surface.points.size() && at.normals.size() == at.points.size(),
             "surface features need normals");
  PMTR_CHECK(rows.size() == at.points.size() * description.row_width &&
                 radii.size() * description.per_radius <= description.row_width,
             "one row per point, wide enough for all radii");
  for (std::size_t k = 0; k < radii.size(); ++k) {
    const float radius = radii[k];
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
            const SurfaceNeighbours neighbours = near.view();
            for (std::uint32_t i = range.begin; i < range.end; ++i) {
              const std::size_t row = queries.order[i];
              description.describe(neighbours, radius, at.points[row].data(), at.normals[row].data(),
                                   rows.data() + row * description.row_width + k * description.per_radius);
            }
          }
        });
  }
}

}  // namespace pmtr
