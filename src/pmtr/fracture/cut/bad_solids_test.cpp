// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gtest/gtest.h>

#include <limits>

#include "pmtr/fracture/cut/solid_test_meshes.h"
#include "pmtr/fracture/fracture_mesh.h"
#include "pmtr/fracture/fracture_properties_test_support.h"

namespace pmtr {
namespace {

const Eigen::Vector3d unit = Eigen::Vector3d::Ones();

Error error_of(const TriangleMesh& mesh, int pieces = 4) {
  FractureOptions options;
  options.pieces = pieces;
  const auto object = fracture_mesh(mesh, options);
  EXPECT_FALSE(object.ok());
  return object.ok() ? Error{Cause::cancelled, "nothing", {}} : object.error();
}

void expect_says(const Error& error, Cause cause, const std::string& words) {
  EXPECT_EQ(error.cause, cause) << error.text();
  EXPECT_NE(error.message.find(words), std::string::npos) << error.text();
}

TEST(BadSolids, OpenMeshes) {
  TriangleMesh open = test::box(unit);
  open.faces.pop_back();
  expect_says(error_of(open), Cause::malformed, "open");
}

TEST(BadSolids, PointCloudsAndNothing) {
  TriangleMesh cloud = test::box(unit);
  cloud.faces.clear();
  expect_says(error_of(cloud), Cause::empty, "no faces");
  expect_says(error_of({}), Cause::empty, "no faces");
}

TEST(BadSolids, SelfIntersections) {
  TriangleMesh crossing = test::box(unit);
  crossing.vertices[7] = Eigen::Vector3d(0.4, 0.3, -0.5);  // a corner pushed out through the opposite side
  expect_says(error_of(crossing), Cause::malformed, "cuts through itself");
}

TEST(BadSolids, SeveralSolids) {
  TriangleMesh two = test::box(unit);
  test::append(two, test::box(unit, Eigen::Vector3d(2, 0, 0)));
  expect_says(error_of(two), Cause::unsupported, "2 separate solids");
  TriangleMesh overlapping = test::box(unit);
  test::append(overlapping, test::box(unit, Eigen::Vector3d(0.5, 0.25, 0.125)));
  expect_says(error_of(overlapping), Cause::unsupported, "2 separate solids");
}

TEST(BadSolids, SheetsWithoutThickness) {
  TriangleMesh sheet;
  sheet.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  sheet.faces = {{0, 1, 2}, {0, 2, 1}};
  expect_says(error_of(sheet), Cause::degenerate, "no thickness");
  expect_says(error_of(test::box(Eigen::Vector3d(1, 1, 0))), Cause::degenerate, "no volume");
  expect_says(error_of(test::box(Eigen::Vector3d(1, 1, 1e-9))), Cause::degenerate, "no volume");
}

TEST(BadSolids, FacesThatFaceDifferentWays) {
  TriangleMesh twisted = test::box(unit);
  std::swap(twisted.faces[3][0], twisted.faces[3][1]);
  expect_says(error_of(twisted), Cause::malformed, "different ways");
}

TEST(BadSolids, CoordinatesThatAreNoNumbers) {
  TriangleMesh broken = test::box(unit);
  broken.vertices[3].x() = std::numeric_limits<double>::quiet_NaN();
  expect_says(error_of(broken), Cause::not_finite, "NaN");
}

TEST(BadSolids, NumbersOfPieces) {
  for (const int pieces : {-3, 0, 1})
    expect_says(error_of(test::box(unit), pieces), Cause::invalid_option, "at least 2");
  expect_says(error_of(test::box(unit), 1001), Cause::invalid_option, "at most 1000");
  FractureOptions options;
  options.pieces = 10;
  options.min_volume_share = 0.2;
  expect_says(fracture_mesh(test::box(unit), options).error(), Cause::invalid_option, "cannot each hold");
  // Possible in sum, but no cuts are that even.
  options.min_volume_share = 0.1;
  expect_says(fracture_mesh(test::box(unit), options).error(), Cause::degenerate, "no way was found");
}

TEST(BadSolids, WhatCanBeRepairedIs) {
  // Every face with its own vertices, as STL has them, and facing inward.
  const TriangleMesh good = test::box(unit);
  TriangleMesh soup;
  for (const auto& [a, b, c] : good.faces) {
    const auto first = static_cast<std::uint32_t>(soup.vertices.size());
    for (const std::uint32_t v : {a, c, b}) soup.vertices.push_back(good.vertices[v]);
    soup.faces.push_back({first, first + 1, first + 2});
  }
  std::vector<std::string> said;
  Listener listener;
  listener.note = listener.warning = [&](std::string_view text) { said.emplace_back(text); };
  FractureOptions options;
  options.pieces = 4;
  const auto object = fracture_mesh(soup, options, listener);
  ASSERT_TRUE(object.ok()) << object.error().text();
  test::expect_whole_fracture(good, *object, options);
  EXPECT_EQ(said.size(), 2u);
}

TEST(BadSolids, TinyHugeAndFarAway) {
  for (const double scale : {1e-6, 1e6}) {
    TriangleMesh mesh = test::box(unit);
    for (auto& p : mesh.vertices) p = scale * (p + Eigen::Vector3d(100, -50, 3));
    FractureOptions options;
    options.pieces = 4;
    const auto object = fracture_mesh(mesh, options);
    ASSERT_TRUE(object.ok()) << object.error().text();
    double sum = 0;
    for (const auto& piece : object->pieces) {
      EXPECT_EQ(test::count_open_edges(piece.mesh), 0u);
      sum += piece.volume;
    }
    EXPECT_NEAR(sum / (scale * scale * scale), 1, 1e-6);
  }
}

}  // namespace
}  // namespace pmtr
