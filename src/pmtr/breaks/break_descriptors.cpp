// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/breaks/break_descriptors.h"

#include <algorithm>

#include <Eigen/Geometry>

#include "pmtr/breaks/break_descriptors_loops.h"
#include "pmtr/breaks/even_subset.h"
#include "pmtr/breaks/point_cells.h"
#include "pmtr/core/check.h"
#include "pmtr/kernels/isa.h"

namespace pmtr {
namespace {

/// Leaves about four hundred neighbours within the radius.
constexpr float support_per_radius = 1.0F / 14.0F;

/// The support at one radius: some hundred neighbours are enough.
struct Support {
  PointCloud cloud;
  std::vector<float> rim;
  float density = 0.0F;  ///< points per area
};

/// Means of the points around an even subset: they also have less noise than single points.
Support thin_support(const BreakCloud& cloud, float distance) {
  const PointCloud& all = cloud.support;
  const EvenSubset subset = choose_apart(all.points, all.normals, distance);
  const std::size_t count = subset.chosen.size();
  Support result;
  result.cloud.points.assign(count, Eigen::Vector3f::Zero());
  result.cloud.normals.assign(count, Eigen::Vector3f::Zero());
  result.rim.assign(count, 0.0F);
  std::vector<float> members(count, 0.0F);
  for (std::size_t i = 0; i < all.points.size(); ++i) {
    const std::size_t k = subset.owner[i];
    result.cloud.points[k] += all.points[i];
    result.cloud.normals[k] += all.normals[i];
    result.rim[k] += cloud.support_rim[i];
    members[k] += 1.0F;
  }
  for (std::size_t k = 0; k < count; ++k) {
    result.cloud.points[k] /= members[k];
    result.cloud.normals[k].normalize();
    result.rim[k] /= members[k];
  }
  const float point_area = cloud.spacing * cloud.spacing;
  result.density = static_cast<float>(count) / (static_cast<float>(all.points.size()) * point_area);
  return result;
}

/// Everything near one cube, as the loops want it.
struct NearBreak {
  std::vector<float> x, y, z, nx, ny, nz, rim;

  BreakNeighbours view() const {
    return {static_cast<long>(x.size()),
            {x.data(), y.data(), z.data()},
            {nx.data(), ny.data(), nz.data()},
            rim.data()};
  }
  void gather(const Eigen::Vector3i& place, const Support& support, const PointCells& cells) {
    for (auto* values : {&x, &y, &z, &nx, &ny, &nz, &rim}) values->clear();
    cells.visit_around(place, [&](std::uint32_t i) {
      push(support.cloud.points[i], support.cloud.normals[i], support.rim[i]);
    });
    while (x.size() % BreakNeighbours::lanes != 0)
      push(Eigen::Vector3f::Constant(1e9F), Eigen::Vector3f::Zero(), 0.0F);
  }

 private:
  void push(const Eigen::Vector3f& p, const Eigen::Vector3f& n, float r) {
    x.push_back(p.x()), y.push_back(p.y()), z.push_back(p.z());
    nx.push_back(n.x()), ny.push_back(n.y()), nz.push_back(n.z());
    rim.push_back(r);
  }
};

void describe_point(const BreakPoint& point, float radius, float density, const BreakNeighbours& near,
                    float* map, float* histogram) {
  const Eigen::Vector3f x = point.has_x ? point.x : point.z.unitOrthogonal().eval();
  const Eigen::Vector3f y = point.z.cross(x);
  const BreakPlace place{point.position.data(), x.data(), y.data(), point.z.data(),
                         point.has_x,           radius,   density};
  PMTR_PICK(describe_break(near, place, map, histogram));
}

}  // namespace

BreakDescriptors describe_breaks(const BreakCloud& cloud, Threads& threads) {
  using D = BreakDescriptors;
  D result;
  result.rows = static_cast<std::int64_t>(cloud.points.size());
  result.values.resize(cloud.points.size() * D::width);
  if (cloud.points.empty()) return result;
  std::vector<Eigen::Vector3f> positions;
  for (const BreakPoint& p : cloud.points) positions.push_back(p.position);
  for (std::size_t k = 0; k < D::radii.size(); ++k) {
    const float radius = D::radii[k];
    const Support support = thin_support(cloud, radius * support_per_radius);
    // The last ring fades out half a ring beyond the radius.
    const float edge = radius * (D::rings + 0.5F) / D::rings;
    const PointCells cells(support.cloud.points, edge);
    const PointCells queries(positions, edge);
    threads.parallel_for(
        static_cast<std::int64_t>(queries.cells().size()), 2, [&](std::int64_t begin, std::int64_t end) {
          NearBreak near;
          for (auto c = static_cast<std::size_t>(begin); c < static_cast<std::size_t>(end); ++c) {
            const PointCells::Cell& cell = queries.cells()[c];
            near.gather(cell.place, support, cells);
            for (std::uint32_t i = cell.begin; i < cell.end; ++i) {
              const std::size_t row = queries.order()[i];
              float* const out = result.values.data() + row * D::width;
              describe_point(cloud.points[row], radius, support.density, near.view(), out + k * D::map_width,
                             out + D::maps + k * D::histogram_width);
            }
          }
        });
  }
  return result;
}

BreakDescriptors as_target(const BreakDescriptors& source) {
  using D = BreakDescriptors;
  BreakDescriptors result = source;
  for (std::int64_t i = 0; i < source.rows; ++i) {
    const float* from = source.values.data() + i * D::width;
    float* to = result.values.data() + i * D::width;
    for (int ring = 0; ring < static_cast<int>(D::radii.size()) * D::rings; ++ring) {
      for (int sector = 0; sector < D::sectors; ++sector) {
        const float* bin = from + (ring * D::sectors + (D::sectors - sector) % D::sectors) * D::channels;
        float* mirrored = to + (ring * D::sectors + sector) * D::channels;
        std::copy(bin, bin + D::channels, mirrored);
        mirrored[0] = -bin[0];
      }
    }
    // Slopes change sign; the distance between normals does not.
    for (int h = 0; h < static_cast<int>(D::radii.size()) * D::shells * D::measures; ++h) {
      if (h % D::measures == 2) continue;
      float* values = to + D::maps + h * D::bins;
      std::reverse(values, values + D::bins);
    }
  }
  return result;
}

std::vector<float> descriptor_columns(const BreakDescriptors& descriptors, int begin, int end) {
  PMTR_CHECK(0 <= begin && begin <= end && end <= BreakDescriptors::width, "no such columns");
  std::vector<float> result;
  result.reserve(static_cast<std::size_t>(descriptors.rows * (end - begin)));
  for (std::int64_t i = 0; i < descriptors.rows; ++i) {
    const auto row = descriptors.row(i);
    result.insert(result.end(), row.begin() + begin, row.begin() + end);
  }
  return result;
}

}  // namespace pmtr
