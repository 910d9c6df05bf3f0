// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "pmtr/core/random.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr::test {

/// What scans are at their worst. Of each kind there are as many as there are seeds.
enum class Strange : std::uint8_t {
  lump,
  open,
  crowded_edges,
  flat_faces,
  doubled,
  crosses_itself,
  inside_out,
  in_parts,
  one_triangle,
  one_point,
  on_a_line,
  tiny,
  huge,
  far_away,
  needles,
  points_only,
};
inline constexpr int strange_kinds = 16;

/// A closed lump with a rough surface: a sphere of rings whose radii are drawn.
inline TriangleMesh rough_lump(Random& random) {
  TriangleMesh mesh;
  const auto rings = static_cast<std::uint32_t>(3 + random.below(8));
  const auto around = static_cast<std::uint32_t>(4 + random.below(12));
  const auto at = [&](double latitude, double longitude) {
    const double r = random.uniform(0.6, 1.0);
    mesh.vertices.emplace_back(r * std::sin(latitude) * std::cos(longitude),
                               r * std::sin(latitude) * std::sin(longitude), r * std::cos(latitude));
  };
  at(0.0, 0.0);
  for (std::uint32_t i = 0; i < rings; ++i)
    for (std::uint32_t j = 0; j < around; ++j)
      at(std::numbers::pi * (i + 1.0) / (rings + 1.0), 2.0 * std::numbers::pi * j / around);
  at(std::numbers::pi, 0.0);
  const std::uint32_t last = rings * around + 1;
  for (std::uint32_t j = 0; j < around; ++j) {
    const std::uint32_t k = (j + 1) % around;
    mesh.faces.push_back({0, 1 + j, 1 + k});
    mesh.faces.push_back({last, last - around + k, last - around + j});
    for (std::uint32_t i = 0; i + 1 < rings; ++i) {
      const std::uint32_t a = 1 + i * around;
      const std::uint32_t b = a + around;
      mesh.faces.push_back({a + j, b + j, b + k});
      mesh.faces.push_back({a + j, b + k, a + k});
    }
  }
  return mesh;
}

inline void append(TriangleMesh& mesh, const TriangleMesh& other, const Eigen::Vector3d& moved_by) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  for (const Eigen::Vector3d& v : other.vertices) mesh.vertices.push_back(v + moved_by);
  for (const auto& face : other.faces)
    mesh.faces.push_back({face[0] + first, face[1] + first, face[2] + first});
}

inline TriangleMesh strange_mesh(Strange kind, std::uint64_t seed) {
  Random random(seed, static_cast<std::uint64_t>(kind));
  TriangleMesh mesh = rough_lump(random);
  const auto any_vertex = [&] { return static_cast<std::uint32_t>(random.below(mesh.vertices.size())); };
  const auto scale = [&](double factor) {
    for (Eigen::Vector3d& v : mesh.vertices) v *= factor;
  };
  switch (kind) {
    case Strange::lump:
      break;
    case Strange::open: {
      const std::size_t kept = 1 + random.below(mesh.faces.size());
      mesh.faces.erase(mesh.faces.begin(), mesh.faces.end() - static_cast<std::ptrdiff_t>(kept));
      break;
    }
    case Strange::crowded_edges:
      for (int i = 0; i < 20; ++i) {
        const auto face = mesh.faces[random.below(mesh.faces.size())];
        mesh.faces.push_back({face[0], face[1], any_vertex()});
      }
      break;
    case Strange::flat_faces:
      for (int i = 0; i < 40; ++i) {
        const std::uint32_t a = any_vertex();
        mesh.faces.push_back({a, a, random.below(2) == 0 ? a : any_vertex()});
      }
      break;
    case Strange::doubled:
      append(mesh, TriangleMesh(mesh), Eigen::Vector3d::Zero());
      break;
    case Strange::crosses_itself:
      append(mesh, rough_lump(random), {0.5, 0.1, 0.0});
      break;
    case Strange::inside_out:
      for (auto& face : mesh.faces) std::swap(face[1], face[2]);
      break;
    case Strange::in_parts:
      for (int i = 1; i < 4; ++i) append(mesh, rough_lump(random), {3.0 * i, 0.0, 0.0});
      break;
    case Strange::one_triangle:
      mesh.vertices.resize(3);
      mesh.faces = {{0, 1, 2}};
      break;
    case Strange::one_point:
      for (Eigen::Vector3d& v : mesh.vertices) v = mesh.vertices.front();
      break;
    case Strange::on_a_line:
      for (Eigen::Vector3d& v : mesh.vertices) v.y() = v.z() = 0.0;
      break;
    case Strange::tiny:
      scale(1e-30);
      break;
    case Strange::huge:
      scale(1e30);
      break;
    case Strange::far_away:
      for (Eigen::Vector3d& v : mesh.vertices) v += Eigen::Vector3d(5e6, -3e7, 2e5);
      break;
    case Strange::needles:
      for (Eigen::Vector3d& v : mesh.vertices) v.z() *= 1e-9;
      break;
    case Strange::points_only:
      mesh.faces.clear();
      break;
  }
  return mesh;
}

}  // namespace pmtr::test
