// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/scan/estimate_normals.h"

#include <cmath>
#include <functional>
#include <numbers>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "pmtr/core/random.h"

namespace pmtr {
namespace {

/// Points strewn on a surface, and what their normals are.
struct KnownCloud {
  std::vector<Eigen::Vector3d> points;
  std::vector<Eigen::Vector3d> normals;

  void add(const Eigen::Vector3d& point, const Eigen::Vector3d& normal) {
    points.push_back(point);
    normals.push_back(normal);
  }
};

KnownCloud sphere(int count) {
  KnownCloud cloud;
  Random random(1);
  for (int i = 0; i < count; ++i) {
    const Eigen::Vector3d n = random.rotation().col(0);
    cloud.add(n, n);
  }
  return cloud;
}

KnownCloud box(int count, const Eigen::Vector3d& size) {
  KnownCloud cloud;
  Random random(2);
  const Eigen::Vector3d areas(size.y() * size.z(), size.z() * size.x(), size.x() * size.y());
  for (int i = 0; i < count; ++i) {
    double pick = random.uniform() * areas.sum();
    int axis = 0;
    while (axis < 2 && pick > areas[axis]) pick -= areas[axis++];
    const double side = random.uniform() < 0.5 ? 0.0 : 1.0;
    Eigen::Vector3d p(random.uniform(), random.uniform(), random.uniform());
    p[axis] = side;
    cloud.add(p.cwiseProduct(size), (2.0 * side - 1.0) * Eigen::Vector3d::Unit(axis));
  }
  return cloud;
}

/// A round sherd of a bowl: two caps and the break between them.
KnownCloud sherd(int count, double thickness) {
  KnownCloud cloud;
  Random random(3);
  constexpr double opening = 0.7;
  const double inner = 1.0 - thickness;
  const double cap = 2.0 * std::numbers::pi * (1.0 - std::cos(opening));
  const double wall = std::numbers::pi * std::sin(opening) * (1.0 - inner * inner);
  const double whole = cap * (1.0 + inner * inner) + wall;
  for (int i = 0; i < count; ++i) {
    const double pick = random.uniform() * whole;
    const double turn = random.uniform(0.0, 2.0 * std::numbers::pi);
    const Eigen::Vector3d out(std::cos(turn), std::sin(turn), 0.0);
    if (pick < wall) {
      const double r = std::sqrt(random.uniform(inner * inner, 1.0));
      cloud.add(r * (std::sin(opening) * out + std::cos(opening) * Eigen::Vector3d::UnitZ()),
                std::cos(opening) * out - std::sin(opening) * Eigen::Vector3d::UnitZ());
      continue;
    }
    const double z = random.uniform(std::cos(opening), 1.0);
    const Eigen::Vector3d n = std::sqrt(1.0 - z * z) * out + z * Eigen::Vector3d::UnitZ();
    if (pick < wall + cap) {
      cloud.add(n, n);
    } else {
      cloud.add(inner * n, -n);
    }
  }
  return cloud;
}

KnownCloud noisy(KnownCloud cloud, double sigma) {
  Random random(4);
  for (Eigen::Vector3d& p : cloud.points)
    p += sigma * Eigen::Vector3d(random.normal(), random.normal(), random.normal());
  return cloud;
}

struct Outcome {
  double flipped = 0.0;  ///< share that points to the wrong side
  double good = 0.0;     ///< share within 30 degrees
  double sure = 0.0;
};

Outcome estimate(const KnownCloud& cloud) {
  const auto found = estimate_normals(cloud.points, {}, Threads::none());
  EXPECT_TRUE(found.ok());
  Outcome outcome;
  outcome.sure = found->sure;
  for (std::size_t i = 0; i < cloud.points.size(); ++i) {
    const double cosine = cloud.normals[i].dot(found->normals[i].cast<double>());
    outcome.flipped += cosine < 0.0 ? 1.0 : 0.0;
    outcome.good += cosine > std::cos(std::numbers::pi / 6.0) ? 1.0 : 0.0;
    EXPECT_NEAR(found->normals[i].norm(), 1.0F, 1e-4F);
  }
  outcome.flipped /= static_cast<double>(cloud.points.size());
  outcome.good /= static_cast<double>(cloud.points.size());
  return outcome;
}

void expect_at_least(const Outcome& outcome, double flipped, double good, double sure) {
  EXPECT_LE(outcome.flipped, flipped);
  EXPECT_GE(outcome.good, good);
  EXPECT_GE(outcome.sure, sure);
}

TEST(EstimateNormals, of_a_sphere) {
  expect_at_least(estimate(sphere(500)), 0.0, 0.98, 0.98);
  expect_at_least(estimate(sphere(5000)), 0.0, 0.999, 0.99);
}

TEST(EstimateNormals, across_sharp_edges) {
  expect_at_least(estimate(box(2000, {1.0, 0.7, 0.4})), 0.01, 0.93, 0.95);
  expect_at_least(estimate(box(20000, {1.0, 0.7, 0.4})), 0.001, 0.99, 0.99);
}

TEST(EstimateNormals, on_both_sides_of_thin_walls) {
  expect_at_least(estimate(sherd(2000, 0.1)), 0.03, 0.9, 0.9);
  expect_at_least(estimate(sherd(8000, 0.1)), 0.01, 0.95, 0.95);
  expect_at_least(estimate(sherd(8000, 0.05)), 0.03, 0.92, 0.92);
  expect_at_least(estimate(sherd(40000, 0.03)), 0.02, 0.95, 0.95);
  // Far more points than are looked at: these stand further apart than the two sides of the wall.
  expect_at_least(estimate(sherd(80000, 0.015)), 0.001, 0.993, 0.99);
}

TEST(EstimateNormals, of_noisy_scans) {
  expect_at_least(estimate(noisy(sphere(5000), 0.01)), 0.0, 0.98, 0.97);
  expect_at_least(estimate(noisy(sherd(8000, 0.1), 0.004)), 0.02, 0.93, 0.93);
}

TEST(EstimateNormals, do_not_depend_on_place_size_copies_and_threads) {
  const KnownCloud cloud = box(3000, {1.0, 0.7, 0.4});
  KnownCloud far;
  for (std::size_t i = 0; i < cloud.points.size(); ++i)
    far.add(Eigen::Vector3d(4e6, 5e6, 200.0) + 0.25 * cloud.points[i], cloud.normals[i]);
  far.points.insert(far.points.end(), far.points.begin(), far.points.begin() + 500);
  Threads two(2);
  const auto here = estimate_normals(cloud.points, {}, Threads::none());
  const auto there = estimate_normals(far.points, {}, two);
  ASSERT_TRUE(here.ok() && there.ok());
  std::size_t alike = 0;
  for (std::size_t i = 0; i < cloud.points.size(); ++i)
    alike += here->normals[i].dot(there->normals[i]) > 0.99F;
  EXPECT_GE(alike, cloud.points.size() - 10);
  for (std::size_t i = 0; i < 500; ++i) EXPECT_EQ(there->normals[i], there->normals[cloud.points.size() + i]);
}

TEST(EstimateNormals, say_when_there_is_no_inside) {
  KnownCloud sheet;
  Random random(5);
  for (int i = 0; i < 3000; ++i)
    sheet.add({random.uniform(), random.uniform(), 0.0}, Eigen::Vector3d::UnitZ());
  const Outcome outcome = estimate(sheet);
  EXPECT_LT(outcome.sure, doubtful_normals);
  // But all to one side.
  EXPECT_TRUE(outcome.flipped < 0.01 || outcome.flipped > 0.99) << outcome.flipped;
}

TEST(EstimateNormals, need_three_points) {
  const std::vector<Eigen::Vector3d> two(10, Eigen::Vector3d::Ones());
  EXPECT_EQ(estimate_normals(two, {}, Threads::none()).error().cause, Cause::degenerate);
  NormalOptions options;
  options.neighbours = 2;
  EXPECT_FALSE(options.validate().ok());
}

TEST(LacksNormals, is_about_points_without_faces) {
  TriangleMesh mesh;
  mesh.vertices.assign(3, Eigen::Vector3d::Zero());
  EXPECT_TRUE(lacks_normals(mesh));
  mesh.normals.assign(3, Eigen::Vector3f::UnitX());
  EXPECT_FALSE(lacks_normals(mesh));
  mesh.normals[1].setZero();
  EXPECT_TRUE(lacks_normals(mesh));
  mesh.faces = {{0, 1, 2}};
  EXPECT_FALSE(lacks_normals(mesh));
}

}  // namespace
}  // namespace pmtr
