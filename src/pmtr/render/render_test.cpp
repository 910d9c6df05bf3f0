// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/render/render.h"

#include <cmath>

#include <gtest/gtest.h>

#include "pmtr/core/random.h"
#include "pmtr/render/explode.h"
#include "pmtr/render/rasterise.h"

namespace pmtr {
namespace {

ScreenTriangle flat_triangle(std::array<double, 3> x, std::array<double, 3> y, double inverse_depth) {
  return {x, y, {inverse_depth, inverse_depth, inverse_depth}};
}

TriangleMesh box_mesh(const Eigen::Vector3d& size) {
  TriangleMesh mesh;
  for (int i = 0; i < 8; ++i) {
    mesh.vertices.emplace_back(((i & 1) - 0.5) * size.x(), ((i >> 1 & 1) - 0.5) * size.y(),
                               ((i >> 2 & 1) - 0.5) * size.z());
  }
  mesh.faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return mesh;
}

TEST(Rasterise, CoversExactlyTheSamplesInside) {
  // Corners (0,0), (6,0), (0,6): centres with x + y < 6 or on the line.
  const std::array triangles = {flat_triangle({0, 6, 0}, {0, 0, 6}, 1.0)};
  const VisibilityBuffer seen = rasterise(triangles, 8, 7, Threads::none());
  for (int y = 0; y < 7; ++y) {
    for (int x = 0; x < 8; ++x) {
      EXPECT_EQ(seen.triangle[seen.index(x, y)], x + y + 1 <= 6 ? 0 : -1) << x << " " << y;
    }
  }
}

TEST(Rasterise, EitherOrientationAndOffThePicture) {
  const std::array triangles = {flat_triangle({-100, -100, 100}, {-100, 100, 0}, 1.0),
                                flat_triangle({20, 30, 40}, {20, 40, 20}, 1.0)};
  const VisibilityBuffer seen = rasterise(triangles, 4, 4, Threads::none());
  for (const auto id : seen.triangle) EXPECT_EQ(id, 0);
}

TEST(Rasterise, NearestWinsAndOfEqualOnesTheFirst) {
  const std::array triangles = {
      flat_triangle({0, 8, 0}, {0, 0, 8}, 0.5), flat_triangle({0, 8, 0}, {0, 0, 8}, 0.9),
      flat_triangle({0, 8, 0}, {0, 0, 8}, 0.9), flat_triangle({0, 8, 0}, {0, 0, 8}, 0.7)};
  const VisibilityBuffer seen = rasterise(triangles, 2, 2, Threads::none());
  for (const auto id : seen.triangle) EXPECT_EQ(id, 1);
}

TEST(Rasterise, InterpolatesTheInverseDepth) {
  const std::array triangles = {ScreenTriangle{{0, 16, 0}, {0, 0, 16}, {1.0, 0.5, 0.25}}};
  const VisibilityBuffer seen = rasterise(triangles, 8, 8, Threads::none());
  EXPECT_NEAR(seen.inverse_depth[seen.index(3, 5)], 1.0 - 0.5 * 3.5 / 16 - 0.75 * 5.5 / 16, 1e-6);
  const Eigen::Vector3d shares = triangles[0].shares_at(8, 0);
  // Half way on the picture between depths 1 and 2 is a third of the way in space.
  EXPECT_NEAR(shares[0], 2.0 / 3, 1e-12);
  EXPECT_NEAR(shares[1], 1.0 / 3, 1e-12);
}

TEST(Rasterise, NoHolesBetweenTrianglesOfAFan) {
  Random random(5);
  std::vector<ScreenTriangle> fan;
  const int spokes = 37;
  std::vector<std::array<double, 2>> rim;
  for (int i = 0; i < spokes; ++i) {
    const double turn = 2 * M_PI * i / spokes;
    rim.push_back({50 + 200 * std::cos(turn), 50 + 200 * std::sin(turn)});
  }
  const std::array<double, 2> hub = {50 + random.uniform(), 50 + random.uniform()};
  for (std::size_t i = 0; i < rim.size(); ++i) {
    const auto& a = rim[i];
    const auto& b = rim[(i + 1) % rim.size()];
    fan.push_back(snapped(flat_triangle({hub[0], a[0], b[0]}, {hub[1], a[1], b[1]}, 1.0)));
  }
  for (const auto id : rasterise(fan, 100, 100, Threads::none()).triangle) ASSERT_GE(id, 0);
}

TEST(Camera, AllPointsInsideAndTheTightestTouchTheMargin) {
  Random random(7);
  std::vector<Eigen::Vector3d> points;
  for (int i = 0; i < 50; ++i) {
    points.emplace_back(random.uniform(5, 6), random.uniform(-3, -2.2), random.uniform(0, 2));
  }
  const Camera camera = camera_that_sees(points, {1, 2, 0.5}, {0, 0, 1}, 0.3, 0.2, 0.1);
  double reach = 0;
  for (const auto& p : points) {
    const Eigen::Vector3d at = camera.project(camera.eye_from_world * p);
    EXPECT_GT(at.z(), 0);
    reach = std::max({reach, std::abs(at.x()), std::abs(at.y())});
  }
  EXPECT_NEAR(reach, 0.8, 1e-9);
}

TEST(Render, NearerPartHidesTheOther) {
  const TriangleMesh box = box_mesh({1, 1, 1});
  std::array<RenderPart, 2> parts;
  parts[0].mesh = &box;
  parts[0].colour = {255, 0, 0};
  parts[1].mesh = &box;
  parts[1].colour = {0, 0, 255};
  RenderOptions options;
  options.width = options.height = 41;
  options.towards_eye = {0, -1, 0};
  options.occlusion = 0;
  parts[1].world_from_part.translation = {0, 3, 0};  // behind
  Rgb centre = render_scene(parts, options, Threads::none()).pixel(20, 20);
  EXPECT_GT(centre[0], 100);
  EXPECT_EQ(centre[2], 0);
  parts[1].world_from_part.translation = {0, -3, 0};  // in front
  centre = render_scene(parts, options, Threads::none()).pixel(20, 20);
  EXPECT_EQ(centre[0], 0);
  EXPECT_GT(centre[2], 100);
}

TEST(Render, LightComesFromAbove) {
  const TriangleMesh box = box_mesh({1, 1, 1});
  const std::array<RenderPart, 1> parts = {RenderPart{&box, {}, {200, 200, 200}, false, {}}};
  RenderOptions options;
  options.width = options.height = 60;
  options.towards_eye = {0, -1, 1};
  const Image image = render_scene(parts, options, Threads::none());
  EXPECT_GT(image.pixel(30, 15)[0], image.pixel(30, 45)[0] + 20);
}

TEST(Render, ColoursOfFacesAndVertices) {
  TriangleMesh box = box_mesh({1, 1, 1});
  box.colours.assign(8, Eigen::Vector4f(0, 1, 0, 1));
  std::vector<Rgb> red(box.faces.size(), {255, 0, 0});
  RenderOptions options;
  options.width = options.height = 21;
  std::array<RenderPart, 1> parts = {RenderPart{&box, {}, {0, 0, 255}, false, red}};
  Rgb centre = render_scene(parts, options, Threads::none()).pixel(10, 10);
  EXPECT_GT(centre[0], 60);
  EXPECT_EQ(centre[1], 0);
  parts[0].vertex_colours = true;
  centre = render_scene(parts, options, Threads::none()).pixel(10, 10);
  EXPECT_EQ(centre[0], 0);
  EXPECT_GT(centre[1], 60);
}

TEST(Render, SameBytesForAnyNumberOfThreads) {
  const TriangleMesh box = box_mesh({1, 0.6, 0.3});
  Random random(1);
  std::vector<RenderPart> parts(6);
  for (auto& part : parts) {
    part.mesh = &box;
    part.world_from_part.rotation = random.rotation();
  }
  RenderOptions options;
  options.width = 150;
  options.height = 110;
  const Image alone = render_scene(parts, options, Threads::none());
  Threads three(3);
  EXPECT_EQ(alone.rgb, render_scene(parts, options, three).rgb);
}

TEST(Render, NothingAndPointsAndASinglePoint) {
  RenderOptions options = RenderOptions::white();
  options.width = options.height = 30;
  const Image nothing = render_scene({}, options, Threads::none());
  EXPECT_EQ(nothing.rgb, Image(30, 30).rgb);

  TriangleMesh cloud;
  cloud.vertices = {{5, 5, 5}};
  const std::array<RenderPart, 1> parts = {RenderPart{&cloud, {}, {0, 0, 0}, false, {}}};
  EXPECT_LT(render_scene(parts, options, Threads::none()).pixel(15, 15)[0], 30);
  cloud.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}};
  EXPECT_NE(render_scene(parts, options, Threads::none()).rgb, nothing.rgb);
}

TEST(Render, OptionsOutOfRange) {
  RenderOptions options;
  options.samples = 0;
  EXPECT_EQ(options.validate().error().cause, Cause::invalid_option);
  options = {};
  options.width = options.height = 16384;
  EXPECT_FALSE(options.validate().ok());
  options = {};
  options.towards_eye.setZero();
  EXPECT_FALSE(options.validate().ok());
}

TEST(Explode, MovesPartsAwayFromTheMiddle) {
  const TriangleMesh box = box_mesh({1, 1, 1});
  std::vector<RenderPart> parts(2);
  parts[0].mesh = parts[1].mesh = &box;
  parts[1].world_from_part.translation = {4, 0, 0};
  const auto moved = exploded(parts, 0.5);
  EXPECT_NEAR(moved[0].world_from_part.translation.x(), -1, 1e-12);
  EXPECT_NEAR(moved[1].world_from_part.translation.x(), 5, 1e-12);
  EXPECT_NEAR(moved[1].world_from_part.translation.y(), 0, 1e-12);
}

}  // namespace
}  // namespace pmtr
