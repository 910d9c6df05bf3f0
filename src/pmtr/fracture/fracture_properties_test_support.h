// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <vector>

#include "pmtr/fracture/cut/triangle_crossing.h"
#include "pmtr/fracture/fracture_mesh.h"
#include "pmtr/fracture/fracture_test_support.h"
#include "pmtr/fracture/merge/refracture.h"
#include "pmtr/mesh/measures.h"

/// What is required of every broken object. Test support only.
namespace pmtr::test {

/// What has no partner is the outer surface: as large as before, and every old vertex is still there.
inline void expect_outer_surface(const TriangleMesh& whole, const std::map<FaceKey, std::size_t>& outer,
                                 const std::set<std::array<double, 3>>& positions) {
  double area = 0;
  for (const auto& [key, piece] : outer) {
    const Eigen::Map<const Eigen::Vector3d> a(key[0].data());
    const Eigen::Map<const Eigen::Vector3d> b(key[1].data());
    const Eigen::Map<const Eigen::Vector3d> c(key[2].data());
    area += (b - a).cross(c - a).norm() / 2;
  }
  EXPECT_NEAR(area, surface_area(whole), 1e-6 * area);
  for (const auto& face : whole.faces) {
    for (const std::uint32_t v : face) {
      const Eigen::Vector3d& x = whole.vertices[v];
      ASSERT_TRUE(positions.contains({x.x(), x.y(), x.z()})) << "vertex " << v << " has moved";
    }
  }
}

inline void expect_same(const FracturedObject& a, const FracturedObject& b) {
  ASSERT_EQ(a.pieces.size(), b.pieces.size());
  for (std::size_t p = 0; p < a.pieces.size(); ++p) {
    EXPECT_EQ(a.pieces[p].mesh.vertices, b.pieces[p].mesh.vertices);
    EXPECT_EQ(a.pieces[p].mesh.faces, b.pieces[p].mesh.faces);
  }
}

/// Everything that pieces must be, in one go over the object.
inline void expect_whole_fracture(const TriangleMesh& whole, const FracturedObject& object,
                                  const FractureOptions& options) {
  ASSERT_EQ(object.pieces.size(), static_cast<std::size_t>(options.pieces));
  const double volume = enclosed_volume(whole);
  RefractureOptions merge;
  merge.pieces = options.pieces;
  merge.min_volume_share = options.min_volume_share;
  double sum = 0;
  std::set<std::array<double, 3>> positions;
  std::map<FaceKey, std::size_t> unmatched;  // faces without their reverse, and their piece
  double mated = 0;
  for (std::size_t p = 0; p < object.pieces.size(); ++p) {
    const TriangleMesh& mesh = object.pieces[p].mesh;
    ASSERT_TRUE(check_mesh(mesh).ok());
    const EdgeCounts edges = count_edges(mesh);
    EXPECT_EQ(edges.open, 0u) << "piece " << p;
    EXPECT_EQ(edges.non_manifold, 0u) << "piece " << p;
    EXPECT_FALSE(find_crossing(mesh.vertices, mesh.faces, mesh.faces).has_value()) << "piece " << p;
    EXPECT_GE(enclosed_volume(mesh), merge.volume_share() * volume * (1 - 1e-9)) << "piece " << p;
    sum += enclosed_volume(mesh);
    for (const auto& v : mesh.vertices) positions.insert({v.x(), v.y(), v.z()});
    for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
      const auto other = unmatched.find(face_key(mesh, f, true));
      if (other == unmatched.end()) {
        EXPECT_TRUE(unmatched.emplace(face_key(mesh, f), p).second) << "a face twice";
      } else {
        EXPECT_NE(other->second, p);
        mated += face_area(mesh, f);
        unmatched.erase(other);
      }
    }
  }
  EXPECT_NEAR(sum, volume, 1e-6 * volume);
  double adjacency = 0;
  for (const MatingArea& pair : object.mating) adjacency += pair.area;
  EXPECT_NEAR(mated, adjacency, 1e-9 + 1e-9 * adjacency) << "mating areas are of identical reversed faces";
  expect_outer_surface(whole, unmatched, positions);
}

}  // namespace pmtr::test
