// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/decimate.h"

#include <cmath>
#include <map>
#include <utility>

#include <gtest/gtest.h>

namespace pmtr {
namespace {

/// A sphere of radius 1 with 2 * n * (n - 1) faces.
TriangleMesh sphere(std::uint32_t n) {
  TriangleMesh mesh;
  mesh.vertices.emplace_back(0, 0, 1);
  for (std::uint32_t i = 1; i < n; ++i) {
    for (std::uint32_t k = 0; k < n; ++k) {
      const double theta = M_PI * i / n, phi = 2.0 * M_PI * k / n;
      mesh.vertices.emplace_back(std::sin(theta) * std::cos(phi), std::sin(theta) * std::sin(phi),
                                 std::cos(theta));
    }
  }
  mesh.vertices.emplace_back(0, 0, -1);
  const auto last = static_cast<std::uint32_t>(mesh.vertices.size() - 1);
  const auto at = [&](std::uint32_t i, std::uint32_t k) { return 1 + (i - 1) * n + k % n; };
  for (std::uint32_t k = 0; k < n; ++k) {
    mesh.faces.push_back({0, at(1, k), at(1, k + 1)});
    for (std::uint32_t i = 1; i + 1 < n; ++i) {
      mesh.faces.push_back({at(i, k), at(i + 1, k), at(i + 1, k + 1)});
      mesh.faces.push_back({at(i, k), at(i + 1, k + 1), at(i, k + 1)});
    }
    mesh.faces.push_back({at(n - 1, k), last, at(n - 1, k + 1)});
  }
  return mesh;
}

/// A flat square of n by n cells.
TriangleMesh square(std::uint32_t n) {
  TriangleMesh mesh;
  for (std::uint32_t i = 0; i <= n; ++i)
    for (std::uint32_t k = 0; k <= n; ++k) mesh.vertices.emplace_back(double(i) / n, double(k) / n, 0.0);
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t k = 0; k < n; ++k) {
      const std::uint32_t a = i * (n + 1) + k;
      mesh.faces.push_back({a, a + n + 1, a + n + 2});
      mesh.faces.push_back({a, a + n + 2, a + 1});
    }
  }
  return mesh;
}

TEST(Decimate, a_sphere_stays_a_closed_sphere) {
  const TriangleMesh small = decimate(sphere(40), 300).mesh;
  EXPECT_LE(small.faces.size(), 300U);
  EXPECT_GT(small.faces.size(), 290U);
  EXPECT_TRUE(check_mesh(small).ok());
  for (const auto& v : small.vertices) EXPECT_NEAR(v.norm(), 1.0, 0.03);
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (const auto& face : small.faces)
    for (std::size_t c = 0; c < 3; ++c) ++edges[{face[c], face[(c + 1) % 3]}];
  for (const auto& [edge, count] : edges) {
    EXPECT_EQ(count, 1);
    EXPECT_TRUE(edges.contains({edge.second, edge.first})) << "a hole";
  }
  EXPECT_NEAR(surface_area(small), 4.0 * M_PI, 0.35);
}

TEST(Decimate, the_end_of_a_surface_stays) {
  const TriangleMesh small = decimate(square(20), 20).mesh;
  EXPECT_LE(small.faces.size(), 20U);
  EXPECT_NEAR(surface_area(small), 1.0, 1e-6);
}

TEST(Decimate, faces_know_which_they_were) {
  const TriangleMesh full = sphere(40);
  const DecimatedMesh small = decimate(full, 300);
  ASSERT_EQ(small.was.size(), small.mesh.faces.size());
  const auto middle = [](const TriangleMesh& mesh, std::size_t face) -> Eigen::Vector3d {
    const auto& [a, b, c] = mesh.faces[face];
    return (mesh.vertices[a] + mesh.vertices[b] + mesh.vertices[c]) / 3.0;
  };
  for (std::size_t i = 0; i < small.was.size(); ++i)
    EXPECT_LT((middle(small.mesh, i) - middle(full, small.was[i])).norm(), 0.35);  // a face is 0.3 wide
}

TEST(Decimate, what_is_small_comes_back_as_it_is) {
  const TriangleMesh mesh = square(2);
  EXPECT_EQ(decimate(mesh, 8).mesh.faces, mesh.faces);
  EXPECT_EQ(decimate(mesh, 8).was, (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_TRUE(decimate(TriangleMesh{}, 0).mesh.faces.empty());
}

}  // namespace
}  // namespace pmtr
