// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include "pmtr/fracture/cut/cell_complex.h"

/// Plain, slow checks on meshes, independent of the code they judge.
namespace pmtr::test {

inline Eigen::Vector3d corner(const TriangleMesh& mesh, std::size_t face, std::size_t i) {
  return mesh.vertices[mesh.faces[face][i]];
}

inline double face_area(const TriangleMesh& mesh, std::size_t f) {
  return (corner(mesh, f, 1) - corner(mesh, f, 0)).cross(corner(mesh, f, 2) - corner(mesh, f, 0)).norm() / 2;
}

struct EdgeCounts {
  std::size_t open = 0;          ///< edges whose directions do not cancel
  std::size_t non_manifold = 0;  ///< edges of more than two faces
};

/// By the position of vertices, not their index.
inline EdgeCounts count_edges(const TriangleMesh& mesh) {
  using Point = std::array<double, 3>;
  std::map<std::pair<Point, Point>, std::pair<int, int>> edges;
  const auto point = [&](std::size_t f, std::size_t i) {
    const Eigen::Vector3d p = corner(mesh, f, i % 3);
    return Point{p.x(), p.y(), p.z()};
  };
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    for (std::size_t i = 0; i < 3; ++i) {
      const Point a = point(f, i);
      const Point b = point(f, i + 1);
      auto& [sum, count] = edges[std::minmax(a, b)];
      sum += a < b ? 1 : -1;
      ++count;
    }
  }
  EdgeCounts counts;
  for (const auto& [edge, entry] : edges) {
    counts.open += entry.first != 0 ? 1 : 0;
    counts.non_manifold += entry.second != 2 ? 1 : 0;
  }
  return counts;
}

inline std::size_t count_open_edges(const TriangleMesh& mesh) { return count_edges(mesh).open; }

using FaceKey = std::array<std::array<double, 3>, 3>;

/// A face by its corners' bits, rotated so that the smallest corner is first; the orientation stays.
inline FaceKey face_key(const TriangleMesh& mesh, std::size_t f, bool reverse = false) {
  FaceKey key;
  for (std::size_t i = 0; i < 3; ++i) {
    const Eigen::Vector3d p = corner(mesh, f, reverse ? 2 - i : i);
    key[i] = {p.x(), p.y(), p.z()};
  }
  std::rotate(key.begin(), std::min_element(key.begin(), key.end()), key.end());
  return key;
}

/// The area of faces of a that b has reversed, bit by bit.
inline double common_area(const TriangleMesh& a, const TriangleMesh& b) {
  std::map<FaceKey, int> reversed;
  for (std::size_t f = 0; f < b.faces.size(); ++f) ++reversed[face_key(b, f, true)];
  double sum = 0;
  for (std::size_t f = 0; f < a.faces.size(); ++f) {
    if (reversed.contains(face_key(a, f))) sum += face_area(a, f);
  }
  return sum;
}

/// Boxes [0,1]^3 and [1,3]x[0,1]^2 as two cells with one wall.
inline CellComplex two_boxes() {
  CellComplex complex;
  TriangleMesh& mesh = complex.surfaces;
  for (const double x : {0.0, 1.0, 3.0}) {
    for (const double y : {0.0, 1.0}) {
      for (const double z : {0.0, 1.0}) mesh.vertices.emplace_back(x, y, z);
    }
  }
  const auto quad = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d, int inside,
                        int behind) {
    mesh.faces.push_back({a, b, c});
    mesh.faces.push_back({a, c, d});
    complex.owners.push_back({inside, behind});
    complex.owners.push_back({inside, behind});
  };
  // Vertex index: 4 * x + 2 * y + z.
  for (std::uint32_t box = 0; box < 2; ++box) {
    const std::uint32_t l = 4 * box;
    const std::uint32_t r = l + 4;
    const int cell = static_cast<int>(box);
    quad(l, r, r + 1, l + 1, cell, -1);          // y = 0
    quad(l + 2, l + 3, r + 3, r + 2, cell, -1);  // y = 1
    quad(l, l + 2, r + 2, r, cell, -1);          // z = 0
    quad(l + 1, r + 1, r + 3, l + 3, cell, -1);  // z = 1
  }
  quad(4, 6, 7, 5, 0, 1);     // x = 1, outward from the first
  quad(0, 1, 3, 2, 0, -1);    // x = 0
  quad(8, 10, 11, 9, 1, -1);  // x = 3
  complex.volumes = cell_volumes(complex, 2);
  return complex;
}

}  // namespace pmtr::test
