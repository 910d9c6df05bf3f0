// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/page/display_mesh.h"

#include <bit>
#include <set>

#include <algorithm>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "pmtr/formats/byte_order.h"
#include "pmtr/report/page/display_bytes.h"

namespace pmtr {
namespace {

/// A wavy sheet of 2 n^2 triangles over the unit square.
TriangleMesh sheet(std::uint32_t n) {
  TriangleMesh mesh;
  for (std::uint32_t i = 0; i <= n; ++i) {
    for (std::uint32_t j = 0; j <= n; ++j) {
      const double x = i / static_cast<double>(n);
      const double y = j / static_cast<double>(n);
      mesh.vertices.emplace_back(x, y, 0.05 * std::sin(6 * x) * std::cos(5 * y));
    }
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) {
      const std::uint32_t a = i * (n + 1) + j;
      mesh.faces.push_back({a, a + n + 1, a + 1});
      mesh.faces.push_back({a + 1, a + n + 1, a + n + 2});
    }
  }
  return mesh;
}

/// A closed ball with bumps; no border that could shrink.
TriangleMesh ball(std::uint32_t rows) {
  TriangleMesh mesh;
  const std::uint32_t columns = 2 * rows;
  for (std::uint32_t i = 0; i <= rows; ++i) {
    for (std::uint32_t j = 0; j < columns; ++j) {
      const double theta = M_PI * i / rows;
      const double phi = 2 * M_PI * j / columns;
      const double radius = 1 + 0.05 * std::sin(4 * theta) * std::cos(3 * phi);
      mesh.vertices.emplace_back(radius * std::sin(theta) * std::cos(phi),
                                 radius * std::sin(theta) * std::sin(phi), radius * std::cos(theta));
    }
  }
  for (std::uint32_t i = 0; i < rows; ++i) {
    for (std::uint32_t j = 0; j < columns; ++j) {
      const std::uint32_t a = i * columns + j;
      const std::uint32_t b = i * columns + (j + 1) % columns;
      mesh.faces.push_back({a, a + columns, b});
      mesh.faces.push_back({b, a + columns, b + columns});
    }
  }
  return mesh;
}

TriangleMesh cube() {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i) mesh.vertices.emplace_back(i & 1, i >> 1 & 1, i >> 2);
  mesh.faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

double area(const DisplayMesh& mesh) {
  double sum = 0;
  for (const auto& [a, b, c] : mesh.faces) {
    sum += (mesh.positions[b] - mesh.positions[a]).cross(mesh.positions[c] - mesh.positions[a]).norm() / 2;
  }
  return sum;
}

TEST(DisplayMesh, vertices_are_copied_only_where_an_edge_is_sharp) {
  const DisplayMesh smooth = display_mesh(sheet(20));
  EXPECT_EQ(smooth.positions.size(), 21U * 21U);
  const DisplayMesh sharp = display_mesh(cube());
  EXPECT_EQ(sharp.positions.size(), 24U);  // three at each corner
  EXPECT_EQ(sharp.faces.size(), 12U);
  EXPECT_NEAR(area(sharp), 6.0, 1e-12);
}

TEST(DisplayMesh, colours_come_from_vertices_and_materials) {
  TriangleMesh mesh = cube();
  mesh.materials = {{"red", {1, 0, 0, 1}, -1}, {"white", Eigen::Vector4f::Ones(), -1}};
  mesh.face_materials.assign(12, 1);
  mesh.face_materials[0] = 0;
  const DisplayMesh shown = display_mesh(mesh);
  std::set<Rgb> colours(shown.colours.begin(), shown.colours.end());
  EXPECT_EQ(colours, (std::set<Rgb>{{255, 0, 0}, {255, 255, 255}}));
  EXPECT_TRUE(display_mesh(cube()).colours.empty());
}

TEST(DisplayMesh, faces_are_grouped_by_texture) {
  TriangleMesh mesh = cube();
  mesh.uvs = {{0, 0}, {1, 0}, {0, 1}};
  mesh.face_uvs.assign(12, {0, 1, 2});
  mesh.textures.resize(2);
  mesh.materials = {{"a", Eigen::Vector4f::Ones(), 1},
                    {"b", Eigen::Vector4f::Ones(), 0},
                    {"c", Eigen::Vector4f::Ones(), 1}};
  for (int f = 0; f < 12; ++f) mesh.face_materials.push_back(f % 3);
  const DisplayMesh shown = display_mesh(mesh);
  ASSERT_EQ(shown.groups.size(), 2U);
  EXPECT_EQ(shown.groups[0].texture, 0);
  EXPECT_EQ(shown.groups[0].end - shown.groups[0].begin, 4U);
  EXPECT_EQ(shown.groups[1].texture, 1);
  EXPECT_EQ(shown.groups[1].end, 12U);
  EXPECT_EQ(shown.uvs.size(), shown.positions.size());
}

TEST(DisplayMesh, thinning_keeps_the_shape_and_stays_on_the_surface) {
  const TriangleMesh fine = ball(140);  // 78,400 triangles
  const DisplayMesh whole = display_mesh(fine);
  const DisplayMesh thin = thinned(whole, 5000);
  EXPECT_LE(thin.faces.size(), 5000U);
  EXPECT_GE(thin.faces.size(), 2500U);
  EXPECT_NEAR(area(thin), area(whole), 0.02 * area(whole));
  std::set<std::array<double, 3>> originals;
  for (const auto& p : whole.positions) originals.insert({p.x(), p.y(), p.z()});
  for (const auto& p : thin.positions) EXPECT_TRUE(originals.contains({p.x(), p.y(), p.z()}));
  ASSERT_EQ(thin.normals.size(), thin.positions.size());
  for (const auto& n : thin.normals) EXPECT_NEAR(n.norm(), 1.0F, 1e-5F);
  ASSERT_EQ(thin.groups.size(), 1U);
  EXPECT_EQ(thin.groups[0].end, thin.faces.size());
  for (const auto& face : thin.faces) {
    for (const std::uint32_t v : face) ASSERT_LT(v, thin.positions.size());
  }
  EXPECT_EQ(thinned(whole, 80000).faces, whole.faces);
}

TEST(DisplayMesh, clouds_are_thinned_as_well) {
  TriangleMesh cloud = sheet(100);
  cloud.faces.clear();
  const DisplayMesh thin = thinned(display_mesh(cloud), 1000);
  EXPECT_LE(thin.positions.size(), 1000U);
  EXPECT_GE(thin.positions.size(), 400U);
}

TEST(DisplayBytes, positions_come_back_to_a_step_of_the_box) {
  DisplayMesh mesh = display_mesh(sheet(10));
  mesh.gaps.assign(mesh.positions.size(), 0.5F);
  mesh.gaps[3] = -1.0F;
  mesh.gaps[4] = 9.0F;
  mesh.breaks.assign(mesh.positions.size(), 7);
  const std::vector<std::byte> bytes = pack(mesh, 1.0);
  const DisplayFrame frame = frame_of(mesh);
  const std::size_t n = mesh.positions.size();
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < 3; ++c) {
      const auto axis = static_cast<Eigen::Index>(c);
      const auto step = load_bytes<std::uint16_t>(bytes.data() + 2 * (3 * i + c), std::endian::little);
      EXPECT_NEAR(frame.low[axis] + step / 65535.0 * frame.size[axis], mesh.positions[i][axis],
                  frame.size[axis] / 65535.0);
    }
  }
  const auto up = [](std::size_t count) { return (count + 3) / 4 * 4; };
  const std::size_t gaps = up(6 * n) + up(3 * n);
  EXPECT_EQ(bytes[gaps], std::byte{127});
  EXPECT_EQ(bytes[gaps + 3], std::byte{255});
  EXPECT_EQ(bytes[gaps + 4], std::byte{254});
  EXPECT_EQ(frame.index_bytes, 2);
  EXPECT_EQ(bytes[gaps + up(n) + n - 1], std::byte{7});
  EXPECT_EQ(bytes.size(), gaps + 2 * up(n) + 6 * mesh.faces.size());
  // The gaps alone are the same bytes.
  const std::vector<std::byte> alone = pack_gaps(mesh, 1.0);
  ASSERT_EQ(alone.size(), n);
  EXPECT_TRUE(std::equal(alone.begin(), alone.end(), bytes.begin() + static_cast<std::ptrdiff_t>(gaps)));
}

}  // namespace
}  // namespace pmtr
