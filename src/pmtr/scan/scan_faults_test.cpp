// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/scan/scan_faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A closed box with outward faces; every side two triangles, vertices shared.
TriangleMesh box(const Eigen::Vector3d& low, const Eigen::Vector3d& high) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i)
    mesh.vertices.emplace_back((i & 1) != 0 ? high.x() : low.x(), (i & 2) != 0 ? high.y() : low.y(),
                               (i & 4) != 0 ? high.z() : low.z());
  mesh.faces = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

void append(TriangleMesh& mesh, const TriangleMesh& other) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), other.vertices.begin(), other.vertices.end());
  for (const auto& f : other.faces) mesh.faces.push_back({f[0] + first, f[1] + first, f[2] + first});
}

TriangleMesh unit_box() { return box(Eigen::Vector3d::Zero(), Eigen::Vector3d::Ones()); }

TEST(ScanFaults, nothing_is_wrong_with_a_closed_box_or_a_cloud) {
  const ScanFaults faults = find_faults(unit_box());
  EXPECT_TRUE(faults.closed());
  EXPECT_EQ(faults.edges, 18);
  EXPECT_EQ(faults.surfaces, 1);
  EXPECT_FALSE(faults.mendable());
  EXPECT_THAT(describe_faults(faults), IsEmpty());
  TriangleMesh cloud;
  cloud.vertices = unit_box().vertices;
  EXPECT_THAT(describe_faults(find_faults(cloud)), IsEmpty());
}

TEST(ScanFaults, a_mesh_that_is_inside_out_is_turned) {
  TriangleMesh mesh = unit_box();
  for (auto& face : mesh.faces) std::swap(face[1], face[2]);
  mesh.normals.assign(8, Eigen::Vector3f::UnitX());
  const ScanFaults faults = find_faults(mesh);
  EXPECT_TRUE(faults.inside_out);
  EXPECT_THAT(describe_faults(faults), ElementsAre(HasSubstr("inside out")));
  const TriangleMesh mended = mend_scan(mesh, faults);
  EXPECT_NEAR(enclosed_volume(mended), 1.0, 1e-12);
  EXPECT_EQ(mended.normals[0].x(), -1.0F);
  // With a hole in it as well.
  mesh.faces.pop_back();
  EXPECT_TRUE(find_faults(mesh).inside_out);
}

TEST(ScanFaults, a_sheet_has_no_inside) {
  TriangleMesh sheet = unit_box();
  sheet.faces.resize(2);
  std::swap(sheet.faces[0][1], sheet.faces[0][2]);
  std::swap(sheet.faces[1][1], sheet.faces[1][2]);
  const ScanFaults faults = find_faults(sheet);
  EXPECT_FALSE(faults.inside_out);
  EXPECT_EQ(faults.open_edges, 4);
  EXPECT_EQ(faults.unused_vertices, 4);
  EXPECT_THAT(describe_faults(faults), ElementsAre(HasSubstr("open"), HasSubstr("belong to no face")));
}

TEST(ScanFaults, single_faces_that_are_turned_are_turned_back) {
  TriangleMesh mesh = unit_box();
  std::swap(mesh.faces[0][1], mesh.faces[0][2]);  // the first one: the walk begins there
  std::swap(mesh.faces[7][1], mesh.faces[7][2]);
  const ScanFaults faults = find_faults(mesh);
  EXPECT_EQ(faults.turned_faces, 2);
  EXPECT_FALSE(faults.inside_out);
  EXPECT_NEAR(enclosed_volume(mend_scan(mesh, faults)), 1.0, 1e-12);
}

TEST(ScanFaults, vertices_of_every_corner_are_one_surface_all_the_same) {
  TriangleMesh soup;
  const TriangleMesh mesh = unit_box();
  for (const auto& face : mesh.faces) {
    const auto first = static_cast<std::uint32_t>(soup.vertices.size());
    for (const std::uint32_t vertex : face) soup.vertices.push_back(mesh.vertices[vertex]);
    soup.faces.push_back({first, first + 1, first + 2});
  }
  const ScanFaults faults = find_faults(soup);
  EXPECT_TRUE(faults.closed());
  EXPECT_EQ(faults.copied_vertices, 28);
  EXPECT_EQ(faults.surfaces, 1);
  EXPECT_FALSE(faults.mendable());
}

TEST(ScanFaults, specks_go_and_second_surfaces_stay) {
  TriangleMesh mesh = unit_box();
  append(mesh, box({3.0, 0.0, 0.0}, {4.0, 1.0, 1.0}));
  TriangleMesh triangle;
  triangle.vertices = {{2.0, 0.0, 0.0}, {2.01, 0.0, 0.0}, {2.0, 0.01, 0.0}};
  triangle.faces = {{0, 1, 2}};
  append(mesh, triangle);
  append(mesh, box({2.0, 0.5, 0.5}, {2.01, 0.51, 0.51}));
  const ScanFaults faults = find_faults(mesh);
  EXPECT_EQ(faults.surfaces, 2);
  EXPECT_EQ(faults.specks, 2);
  EXPECT_NEAR(faults.speck_share, (0.5e-4 + 6e-4) / (12.0 + 6.5e-4), 1e-9);
  const TriangleMesh mended = mend_scan(mesh, faults);
  ASSERT_EQ(mended.faces.size(), mesh.faces.size()) << "faces keep their numbers";
  EXPECT_NEAR(surface_area(mended), 12.0, 1e-12);
  EXPECT_THAT(describe_faults(faults), testing::Contains(HasSubstr("2 specks")));
  EXPECT_THAT(describe_faults(faults), testing::Contains(HasSubstr("2 separate surfaces")));
}

}  // namespace
}  // namespace pmtr
