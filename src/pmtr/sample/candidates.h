// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/random.h"
#include "pmtr/core/result.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// More points than wanted, in random order, to choose an even subset from. Private to this stage.
/// Positions are relative to `centre` and divided by `scale`, so that single precision and every threshold
/// mean the same for any unit: local coordinates are within [-1, 1].
struct Candidates {
  std::vector<Eigen::Vector3f> positions;
  std::vector<Eigen::Vector3f> normals;  ///< unit, or empty
  std::vector<std::uint32_t> faces;      ///< the face each lies on; without faces, the vertex each is
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  double scale = 1.0;
};

/// What sampling needs to know of a fragment before it knows how many points the fragment gets.
struct FragmentSurface {
  const TriangleMesh* mesh = nullptr;
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  double scale = 1.0;                   ///< the longest side of its box
  std::vector<double> cumulative_area;  ///< after each face, divided by scale squared; empty without faces
  double local_area = 0.0;              ///< the whole, divided by scale squared

  double area() const { return local_area * scale * scale; }
};

/// Checks a mesh and measures its surface; `name` goes into messages. The area of a mesh without faces is an
/// estimate, from how far apart its points are.
Result<FragmentSurface> measure_surface(const TriangleMesh& mesh, std::string_view name);

/// About `count` points of the surface, equally likely everywhere; never on a face without area. From a mesh
/// without faces: `count` of its vertices or all.
Candidates draw_candidates(const FragmentSurface& surface, std::size_t count, Random& random);

}  // namespace pmtr
