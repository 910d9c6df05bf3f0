// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/strew_points.h"

#include <algorithm>
#include <cstddef>

#include "pmtr/mesh/measures.h"

namespace pmtr {

StrewnPoints strew_points(const TriangleMesh& mesh, int count, Random& random) {
  std::vector<double> cumulative;
  for (std::size_t face = 0; face < mesh.faces.size(); ++face)
    cumulative.push_back((cumulative.empty() ? 0.0 : cumulative.back()) + triangle_area(mesh, face));
  StrewnPoints strewn;
  for (int k = 0; k < count; ++k) {
    const double target = random.uniform() * cumulative.back();
    const auto found = std::upper_bound(cumulative.begin(), cumulative.end(), target);
    const auto face = static_cast<std::size_t>(std::min(found, cumulative.end() - 1) - cumulative.begin());
    double u = random.uniform();
    double v = random.uniform();
    if (u + v > 1.0) {
      u = 1.0 - u;
      v = 1.0 - v;
    }
    const auto& corners = mesh.faces[face];
    const Eigen::Vector3d& a = mesh.vertices[corners[0]];
    strewn.cloud.vertices.emplace_back(a + u * (mesh.vertices[corners[1]] - a) +
                                       v * (mesh.vertices[corners[2]] - a));
    strewn.faces.push_back(static_cast<std::uint32_t>(face));
  }
  return strewn;
}

}  // namespace pmtr
