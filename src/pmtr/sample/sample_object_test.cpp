// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/sample/fragment_clouds.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <limits>
#include <numbers>

#include <gmock/gmock.h>
#include <Eigen/Geometry>

#include "pmtr/core/random.h"
#include "pmtr/sample/sample_surface.h"

namespace pmtr {
namespace {

using Eigen::Vector3d;
using Eigen::Vector3f;

// A box with outward faces, its sides cut into `cells` x `cells` squares.
TriangleMesh box(const Vector3d& low, const Vector3d& high, int cells = 1) {
  TriangleMesh mesh;
  for (int axis = 0; axis < 3; ++axis) {
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    for (const bool top : {false, true}) {
      const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
      for (int i = 0; i <= cells; ++i) {
        for (int j = 0; j <= cells; ++j) {
          Vector3d p;
          p[axis] = top ? high[axis] : low[axis];
          p[u] = low[u] + (high[u] - low[u]) * i / cells;
          p[v] = low[v] + (high[v] - low[v]) * j / cells;
          mesh.vertices.push_back(p);
        }
      }
      const auto at = [&](int i, int j) { return first + static_cast<std::uint32_t>(i * (cells + 1) + j); };
      for (int i = 0; i < cells; ++i) {
        for (int j = 0; j < cells; ++j) {
          const std::array<std::uint32_t, 4> q = {at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)};
          if (top) {
            mesh.faces.push_back({q[0], q[1], q[2]});
            mesh.faces.push_back({q[0], q[2], q[3]});
          } else {
            mesh.faces.push_back({q[0], q[2], q[1]});
            mesh.faces.push_back({q[0], q[3], q[2]});
          }
        }
      }
    }
  }
  return mesh;
}

TriangleMesh unit_box() { return box(Vector3d::Zero(), Vector3d::Ones()); }

TriangleMesh sphere_cloud(std::size_t n, double radius) {
  Random random(5);
  TriangleMesh mesh;
  for (std::size_t i = 0; i < n; ++i) {
    const Vector3d normal = Vector3d(random.normal(), random.normal(), random.normal()).normalized();
    mesh.vertices.push_back(radius * normal);
    mesh.normals.push_back(3.0F * normal.cast<float>());
  }
  return mesh;
}

SampleOptions about(int points, int least_points = 1) {
  return {.points = points, .dense_points = 0, .least_points = least_points};
}

/// The clouds where they lie in their files.
std::vector<PointCloud> sample(const std::vector<TriangleMesh>& fragments,
                               const SampleOptions& options = about(5000, 256), std::uint64_t seed = 0,
                               Threads& threads = Threads::none()) {
  auto sampled = sample_object(pointers_to(fragments), 1.0, options, seed, threads);
  EXPECT_TRUE(sampled.ok()) << sampled.error().text();
  if (!sampled.ok()) return std::vector<PointCloud>(fragments.size());
  std::vector<PointCloud> clouds;
  for (FragmentClouds& fragment : *sampled) {
    for (Vector3f& p : fragment.dense.points) p = (p.cast<double>() + fragment.centre).cast<float>();
    clouds.push_back(std::move(fragment.dense));
  }
  return clouds;
}

Cause cause_of(const std::vector<TriangleMesh>& fragments, const SampleOptions& options = {}) {
  const auto clouds = sample_object(pointers_to(fragments), 1.0, options, 0, Threads::none());
  EXPECT_FALSE(clouds.ok());
  EXPECT_FALSE(clouds.error().message.empty());
  return clouds.error().cause;
}

bool same_bytes(const std::vector<PointCloud>& a, const std::vector<PointCloud>& b) {
  const auto same = [](const std::vector<Vector3f>& u, const std::vector<Vector3f>& v) {
    return u.size() == v.size() && std::memcmp(u.data(), v.data(), u.size() * sizeof(Vector3f)) == 0;
  };
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!same(a[i].points, b[i].points) || !same(a[i].normals, b[i].normals)) return false;
  }
  return true;
}

float least_distance(const PointCloud& cloud) {
  float least = std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i < cloud.points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (cloud.normals[i].dot(cloud.normals[j]) < -0.5F) continue;
      least = std::min(least, (cloud.points[i] - cloud.points[j]).norm());
    }
  }
  return least;
}

TEST(SampleObject, counts_follow_area_with_a_minimum) {
  const std::vector<TriangleMesh> fragments = {unit_box(), box(Vector3d::Zero(), Vector3d::Constant(2.0)),
                                               box(Vector3d::Zero(), Vector3d::Constant(0.01))};
  const auto clouds = sample(fragments);
  EXPECT_NEAR(static_cast<double>(clouds[0].points.size()), 1000.0, 1.0);
  EXPECT_NEAR(static_cast<double>(clouds[1].points.size()), 4000.0, 1.0);
  EXPECT_EQ(clouds[2].points.size(), 256U);
  for (const auto& cloud : clouds) EXPECT_EQ(cloud.normals.size(), cloud.points.size());
}

TEST(SampleObject, points_lie_on_the_surface_with_its_normals) {
  const auto clouds = sample({box({-1.0, 2.0, 5.0}, {0.0, 4.0, 5.5})}, about(2000));
  for (std::size_t i = 0; i < clouds[0].points.size(); ++i) {
    const Vector3f& p = clouds[0].points[i];
    const Vector3f& n = clouds[0].normals[i];
    int axis = 0;
    EXPECT_NEAR(n.cwiseAbs().maxCoeff(&axis), 1.0F, 1e-6F);
    EXPECT_NEAR(n.norm(), 1.0F, 1e-6F);
    const Vector3f side = n[axis] > 0.0F ? Vector3f(0.0F, 4.0F, 5.5F) : Vector3f(-1.0F, 2.0F, 5.0F);
    EXPECT_NEAR(p[axis], side[axis], 1e-5F);
    EXPECT_TRUE((p.array() >= Eigen::Array3f(-1.0F, 2.0F, 5.0F) - 1e-5F).all());
    EXPECT_TRUE((p.array() <= Eigen::Array3f(0.0F, 4.0F, 5.5F) + 1e-5F).all());
  }
}

TEST(SampleObject, keeps_a_distance_and_leaves_no_hole) {
  const auto clouds = sample({unit_box()}, about(3000));
  const double spacing = std::sqrt(6.0 / 3000.0);
  // Random points would come as close as 0.01 of the spacing; the best possible arrangement keeps 1.07.
  EXPECT_GT(least_distance(clouds[0]), 0.65 * spacing);
  Random random(9);
  for (int i = 0; i < 2000; ++i) {
    const Vector3f p(static_cast<float>(random.uniform()), static_cast<float>(random.uniform()), 1.0F);
    float nearest = 10.0F;
    for (const auto& q : clouds[0].points) nearest = std::min(nearest, (p - q).norm());
    EXPECT_LT(nearest, 1.1 * spacing);
  }
}

TEST(SampleObject, density_is_the_same_on_small_and_large_triangles) {
  // One side of the box in 3200 triangles, the others in two: counts per part must follow area all the same.
  TriangleMesh mesh = unit_box();
  const TriangleMesh fine = box({3.0, 0.0, 0.0}, {4.0, 1.0, 1.0}, 40);
  const auto offset = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.insert(mesh.vertices.end(), fine.vertices.begin(), fine.vertices.end());
  for (const auto& f : fine.faces) mesh.faces.push_back({f[0] + offset, f[1] + offset, f[2] + offset});
  const auto clouds = sample({mesh}, about(12000));
  // Quarters of every side of both boxes: 48 parts of 250 points. Even samples scatter less than independent
  // ones, whose chi-square has mean 47.
  std::vector<int> counts(48);
  for (std::size_t i = 0; i < clouds[0].points.size(); ++i) {
    Vector3f p = clouds[0].points[i];
    const int which = p.x() > 2.0F ? 1 : 0;
    p.x() -= 3.0F * static_cast<float>(which);
    int axis = 0;
    clouds[0].normals[i].cwiseAbs().maxCoeff(&axis);
    const int side = 2 * axis + (clouds[0].normals[i][axis] > 0.0F ? 1 : 0);
    const int quarter = (p[(axis + 1) % 3] > 0.5F ? 1 : 0) + (p[(axis + 2) % 3] > 0.5F ? 2 : 0);
    ++counts[static_cast<std::size_t>(24 * which + 4 * side + quarter)];
  }
  double chi_square = 0.0;
  for (const int count : counts) chi_square += (count - 250.0) * (count - 250.0) / 250.0;
  EXPECT_LT(chi_square, 30.0);
}

TEST(SampleObject, both_sides_of_a_thin_wall_are_sampled_alike) {
  // Spacing 0.032, wall 0.01: by distance alone one side would leave no room for the other.
  const auto clouds = sample({box({0.0, 0.0, 0.0}, {1.0, 1.0, 0.01})}, about(2000));
  ASSERT_EQ(clouds[0].points.size(), 2000U);
  int up = 0;
  int down = 0;
  for (const auto& n : clouds[0].normals) {
    up += n.z() > 0.5F ? 1 : 0;
    down += n.z() < -0.5F ? 1 : 0;
  }
  EXPECT_NEAR(up, 980, 60);
  EXPECT_NEAR(down, 980, 60);
  EXPECT_GT(least_distance(clouds[0]), 0.6 * std::sqrt(2.04 / 2000.0));
}

TEST(SampleObject, same_seed_same_bytes_with_any_team) {
  const std::vector<TriangleMesh> fragments = {unit_box(), box(Vector3d::Zero(), Vector3d(1.0, 2.0, 0.1)),
                                               sphere_cloud(3000, 0.4)};
  const auto first = sample(fragments, about(3000), 42);
  EXPECT_TRUE(same_bytes(first, sample(fragments, about(3000), 42)));
  for (const int count : {2, 4}) {
    Threads team(count);
    EXPECT_TRUE(same_bytes(first, sample(fragments, about(3000), 42, team)));
  }
  EXPECT_FALSE(same_bytes(first, sample(fragments, about(3000), 43)));
}

TEST(SampleObject, streams_are_per_fragment) {
  const auto clouds = sample({unit_box(), unit_box()}, about(1000));
  EXPECT_FALSE(clouds[0].points == clouds[1].points);
}

TEST(SampleObject, scale_and_place_do_not_matter) {
  const auto unit = sample({unit_box()}, about(500));
  const auto far = sample({box(Vector3d::Constant(1024.0), Vector3d::Constant(1024.0 + 4096.0))}, about(500));
  ASSERT_EQ(unit[0].points.size(), far[0].points.size());
  for (std::size_t i = 0; i < unit[0].points.size(); ++i) {
    EXPECT_LT((unit[0].points[i] * 4096.0F + Vector3f::Constant(1024.0F) - far[0].points[i]).norm(), 0.01F);
  }
}

TEST(SampleObject, faces_without_area_are_never_sampled) {
  TriangleMesh mesh;
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {9, 9, 9}};
  mesh.faces = {{3, 3, 3}, {0, 3, 3}, {0, 1, 2}, {3, 3, 1}, {3, 3, 3}};
  const auto clouds = sample({mesh}, about(700));
  EXPECT_EQ(clouds[0].points.size(), 700U);
  for (const auto& p : clouds[0].points) EXPECT_NEAR(p.z(), 0.0F, 1e-5F);
  for (const auto& n : clouds[0].normals) EXPECT_NEAR(n.z(), 1.0F, 1e-6F);
}

TEST(SampleObject, a_mesh_without_faces_is_thinned) {
  const TriangleMesh cloud = sphere_cloud(20000, 2.0);
  const auto thinned = sample({cloud}, about(1000));
  ASSERT_EQ(thinned[0].points.size(), 1000U);
  ASSERT_EQ(thinned[0].normals.size(), 1000U);
  const double spacing = std::sqrt(4.0 * std::numbers::pi * 4.0 / 1000.0);
  EXPECT_GT(least_distance(thinned[0]), 0.6 * spacing);
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_NEAR(thinned[0].normals[i].norm(), 1.0F, 1e-5F);
    EXPECT_GT(thinned[0].normals[i].dot(thinned[0].points[i].normalized()), 0.999F);
  }
  TriangleMesh bare = cloud;
  bare.normals.clear();
  EXPECT_TRUE(sample({bare}, about(1000))[0].normals.empty());
  bare.normals.assign(bare.vertices.size(), Vector3f::Zero());
  EXPECT_TRUE(sample({bare}, about(1000))[0].normals.empty()) << "a normal without length is no normal";
}

TEST(SampleObject, a_small_cloud_is_kept_whole) {
  EXPECT_EQ(sample({sphere_cloud(100, 1.0)})[0].points.size(), 100U);
  EXPECT_EQ(sample({sphere_cloud(2, 1.0)})[0].points.size(), 2U);
}

TEST(SampleObject, the_area_of_a_cloud_is_estimated) {
  // The sphere and the box that holds it have areas pi and 6.
  const auto clouds = sample({sphere_cloud(30000, 0.5), unit_box()}, about(9000));
  const double share = static_cast<double>(clouds[0].points.size()) / 9000.0;
  EXPECT_NEAR(share, std::numbers::pi / (std::numbers::pi + 6.0), 0.02);
}

TEST(SampleObject, the_area_of_a_cloud_has_both_sides_of_a_wall) {
  // Two spheres, one inside the other; the wall is thinner than half the spacing of the points.
  TriangleMesh shell = sphere_cloud(4000, 1.0);
  TriangleMesh inner = sphere_cloud(4000, 0.98);
  for (Vector3f& normal : inner.normals) normal = -normal;
  shell.vertices.insert(shell.vertices.end(), inner.vertices.begin(), inner.vertices.end());
  shell.normals.insert(shell.normals.end(), inner.normals.begin(), inner.normals.end());
  const auto sampled = sample_surface(shell, 1000, 1.0, Random(1));
  ASSERT_TRUE(sampled.ok());
  const double area = 4.0 * std::numbers::pi * (1.0 + 0.98 * 0.98);
  EXPECT_NEAR(sampled->area, area, 0.06 * area);
}

TEST(SampleObject, coincident_vertices_do_not_hang_it) {
  TriangleMesh mesh;
  mesh.vertices.assign(5000, Vector3d::Zero());
  mesh.vertices.push_back(Vector3d::Ones());
  EXPECT_EQ(sample({mesh}, about(100))[0].points.size(), 100U);
}

// Not a test: prints what docs/sample.md quotes. Run with --gtest_also_run_disabled_tests.
TEST(SampleObject, DISABLED_time) {
  const std::vector<TriangleMesh> fragments = {box(Vector3d::Zero(), Vector3d(1.0, 0.8, 0.6), 41)};
  for (const int points : {5000, 20000}) {
    std::vector<double> milliseconds;
    const std::clock_t processor = std::clock();
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      const auto start = std::chrono::steady_clock::now();
      sample(fragments, about(points), seed);
      const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
      milliseconds.push_back(time.count());
    }
    const double busy = 1e3 * static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC /
                        static_cast<double>(milliseconds.size());
    std::sort(milliseconds.begin(), milliseconds.end());
    std::printf("%d points from %zu triangles: median %.2f ms, least %.2f ms; mean processor time %.2f ms\n",
                points, fragments[0].faces.size(), milliseconds[15], milliseconds[0], busy);
  }
}

TEST(SampleObject, refuses_bad_input) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(cause_of({}), Cause::empty);
  EXPECT_EQ(cause_of({TriangleMesh{}}), Cause::empty);
  EXPECT_EQ(cause_of({unit_box(), TriangleMesh{}}), Cause::empty);
  TriangleMesh mesh;
  mesh.vertices = {{1, 2, 3}};
  EXPECT_EQ(cause_of({mesh}), Cause::degenerate);
  mesh.vertices = {{0, 0, 0}, {0.1, 0.2, 0.3}, {0.3, 0.6, 0.9}};
  mesh.faces = {{0, 1, 2}};
  EXPECT_EQ(cause_of({mesh}), Cause::degenerate) << "collinear";
  mesh.faces = {{0, 1, 3}};
  EXPECT_EQ(cause_of({mesh}), Cause::malformed);
  mesh = unit_box();
  mesh.vertices[3].y() = nan;
  EXPECT_EQ(cause_of({mesh}), Cause::not_finite);
  mesh = unit_box();
  mesh.vertices[3].y() = 1e200;
  EXPECT_EQ(cause_of({mesh}), Cause::too_large);
  mesh = sphere_cloud(50, 1.0);
  mesh.normals.pop_back();
  EXPECT_EQ(cause_of({mesh}), Cause::malformed);
  mesh = sphere_cloud(50, 1.0);
  mesh.normals[7].x() = std::numeric_limits<float>::infinity();
  EXPECT_EQ(cause_of({mesh}), Cause::not_finite);
}

TEST(SampleObject, refuses_bad_options) {
  for (const int bad : {0, -5, std::numeric_limits<int>::max()}) {
    EXPECT_EQ(cause_of({unit_box()}, {.points = bad}), Cause::invalid_option);
    EXPECT_EQ(cause_of({unit_box()}, {.least_points = bad}), Cause::invalid_option);
  }
}

}  // namespace
}  // namespace pmtr
