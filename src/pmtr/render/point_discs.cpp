// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/render/point_discs.h"

#include <cmath>

#include <Eigen/Geometry>

#include "pmtr/mesh/measures.h"

namespace pmtr {

TriangleMesh point_discs(const TriangleMesh& cloud, const Eigen::Vector3d& towards_eye) {
  TriangleMesh discs;
  if (cloud.vertices.empty()) return discs;
  // The surface of the box is about that of the object; each point has its share.
  const Eigen::Vector3d size = bounding_box(cloud).sizes();
  const double area = 2 * (size.x() * size.y() + size.y() * size.z() + size.z() * size.x());
  double radius = 0.7 * std::sqrt(area / static_cast<double>(cloud.vertices.size()));
  if (!(radius > 0)) radius = 1e-3 * (1.0 + size.norm());

  constexpr int sides = 6;
  for (std::size_t v = 0; v < cloud.vertices.size(); ++v) {
    Eigen::Vector3d normal = towards_eye;
    if (!cloud.normals.empty() && cloud.normals[v].norm() > 0) normal = cloud.normals[v].cast<double>();
    normal.normalize();
    const Eigen::Vector3d side = normal.unitOrthogonal();
    const Eigen::Vector3d across = normal.cross(side);
    const auto first = static_cast<std::uint32_t>(discs.vertices.size());
    for (int k = 0; k < sides; ++k) {
      const double turn = 2 * M_PI * k / sides;
      discs.vertices.emplace_back(cloud.vertices[v] +
                                  radius * (std::cos(turn) * side + std::sin(turn) * across));
      if (!cloud.colours.empty()) discs.colours.push_back(cloud.colours[v]);
    }
    for (std::uint32_t k = 1; k + 1 < sides; ++k) discs.faces.push_back({first, first + k, first + k + 1});
  }
  return discs;
}

}  // namespace pmtr
