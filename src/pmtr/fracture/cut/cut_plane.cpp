// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/cut/cut_plane.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Geometry>

#include "pmtr/mesh/measures.h"

namespace pmtr {

CellSurface::CellSurface(const WorkingComplex& working, std::int32_t cell) {
  Eigen::AlignedBox3d box;
  double area = 0;
  for (const std::uint32_t f : working.faces_of_cell(cell)) {
    const auto face = working.face_of(f, cell);
    const auto& t = triangles_.emplace_back(std::array<Eigen::Vector3d, 3>{
        working.vertices()[face[0]], working.vertices()[face[1]], working.vertices()[face[2]]});
    for (const Eigen::Vector3d& p : t) box.extend(p);
    area += triangle_area(t[0], t[1], t[2]);
    area_until_.push_back(area);
  }
  size_ = box.sizes().maxCoeff();
}

double CellSurface::score(const CutPlane& plane) const {
  const Eigen::Vector3d normal = plane.axes.col(2);
  double section = 0;  // twice its area
  double above = 0;
  double total = 0;
  for (std::size_t i = 0; i < triangles_.size(); ++i) {
    const auto& t = triangles_[i];
    const std::array<double, 3> h{normal.dot(t[0] - plane.origin), normal.dot(t[1] - plane.origin),
                                  normal.dot(t[2] - plane.origin)};
    const double area = area_until_[i] - (i == 0 ? 0 : area_until_[i - 1]);
    total += area;
    if (h[0] + h[1] + h[2] > 0) above += area;
    if ((h[0] >= 0) == (h[1] >= 0) && (h[0] >= 0) == (h[2] >= 0)) continue;
    // The line from where the triangle comes up through the plane to where it goes down.
    Eigen::Vector3d up = plane.origin;
    Eigen::Vector3d down = plane.origin;
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t n = (k + 1) % 3;
      if ((h[k] >= 0) == (h[n] >= 0)) continue;
      (h[n] >= 0 ? up : down) = t[k] + (t[n] - t[k]) * (h[k] / (h[k] - h[n]));
    }
    section += normal.dot((down - plane.origin).cross(up - plane.origin));
  }
  const double share = std::min(above, total - above) / total;
  if (share < 0.05) return std::numeric_limits<double>::infinity();
  return std::abs(section) / std::pow(share, 0.7);
}

std::vector<CutPlane> CellSurface::propose(int count, Random& random) const {
  const auto point = [&]() -> Eigen::Vector3d {
    const double target = random.uniform() * area_until_.back();
    const auto found = std::upper_bound(area_until_.begin(), area_until_.end(), target);
    const auto i = std::min(static_cast<std::size_t>(found - area_until_.begin()), triangles_.size() - 1);
    return (triangles_[i][0] + triangles_[i][1] + triangles_[i][2]) / 3;
  };
  std::vector<CutPlane> planes;
  for (int k = 0; k < count; ++k) {
    CutPlane plane;
    plane.axes = random.rotation();
    // Between two points of the surface: more often through the middle of the cell than near its ends.
    plane.origin = (point() + point()) / 2;
    plane.score = score(plane);
    if (std::isfinite(plane.score)) planes.push_back(plane);
  }
  std::sort(planes.begin(), planes.end(),
            [](const CutPlane& a, const CutPlane& b) { return a.score < b.score; });
  return planes;
}

}  // namespace pmtr
