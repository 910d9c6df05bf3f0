// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pyramid/pyramid.h"

#include <cmath>
#include <limits>
#include <map>

#include <gmock/gmock.h>

#include "pmtr/core/random.h"
#include "pmtr/pyramid/grid_subsample.h"

namespace pmtr {
namespace {

using Cloud = std::vector<Eigen::Vector3f>;

Cloud sphere(std::size_t n, float radius) {
  Random random(7);
  Cloud cloud(n);
  for (auto& p : cloud) {
    p = Eigen::Vector3d(random.normal(), random.normal(), random.normal()).normalized().cast<float>() *
        radius;
  }
  return cloud;
}

Cause cause_of(const Cloud& points, const PyramidOptions& options = {}) {
  const auto pyramid = build_pyramid(points, options, Threads::none());
  EXPECT_FALSE(pyramid.ok());
  EXPECT_FALSE(pyramid.error().message.empty());
  return pyramid.error().cause;
}

TEST(GridSubsample, is_the_mean_of_each_voxel) {
  const Cloud cloud = sphere(3000, 0.5F);
  const float voxel = 0.0625F;  // a power of two: cells can be computed exactly here
  std::map<std::array<int, 3>, std::pair<Eigen::Vector3d, int>> cells;
  for (const auto& p : cloud) {
    auto& [sum, count] = cells
                             .try_emplace({static_cast<int>(std::floor(p.x() / voxel)),
                                           static_cast<int>(std::floor(p.y() / voxel)),
                                           static_cast<int>(std::floor(p.z() / voxel))},
                                          Eigen::Vector3d::Zero(), 0)
                             .first->second;
    sum += p.cast<double>();
    ++count;
  }
  const auto means = grid_subsample(cloud, voxel);
  ASSERT_EQ(means.size(), cells.size());
  for (const auto& mean : means) {
    const auto it = cells.find({static_cast<int>(std::floor(mean.x() / voxel)),
                                static_cast<int>(std::floor(mean.y() / voxel)),
                                static_cast<int>(std::floor(mean.z() / voxel))});
    ASSERT_NE(it, cells.end());
    EXPECT_LT((it->second.first / it->second.second - mean.cast<double>()).norm(), 1e-6);
    cells.erase(it);
  }
}

TEST(GridSubsample, of_nothing_is_nothing) { EXPECT_TRUE(grid_subsample({}, 0.1F).empty()); }

TEST(GridSubsample, survives_a_point_below_the_rounded_origin) {
  // floor(min / voxel) * voxel can come out above min.
  Random random(11);
  for (int i = 0; i < 2000; ++i) {
    const auto x = static_cast<float>(random.uniform(-3.0, 3.0));
    const float at = std::floor(x / 0.02F) * 0.02F;
    const Cloud cloud = {{at, at, at}, {at + 0.5F, at, at + 0.1F}};
    EXPECT_EQ(grid_subsample(cloud, 0.02F).size(), 2U);
  }
}

TEST(BuildPyramid, has_the_promised_shape) {
  const Cloud cloud = sphere(4000, 0.4F);
  Threads threads(2);
  const auto result = build_pyramid(cloud, {}, threads);
  ASSERT_TRUE(result.ok()) << result.error().text();
  const auto& levels = result->levels;
  EXPECT_TRUE(levels[0].points == cloud);
  EXPECT_LT(levels[1].points.size(), levels[0].points.size());
  EXPECT_LT(levels[2].points.size(), levels[1].points.size());
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto n = static_cast<std::int64_t>(levels[i].points.size());
    EXPECT_EQ(levels[i].neighbours.rows, n);
    EXPECT_EQ(levels[i].neighbours.width, PyramidOptions{}.neighbour_limit[i]);
    for (std::int64_t p = 0; p < n; ++p) ASSERT_EQ(levels[i].neighbours.row(p)[0], p);
    if (i == 2) {
      EXPECT_EQ(levels[i].down.rows, 0);
      EXPECT_EQ(levels[i].up.rows, 0);
    } else {
      EXPECT_EQ(levels[i].down.rows, static_cast<std::int64_t>(levels[i + 1].points.size()));
      EXPECT_EQ(levels[i].up.rows, n);
      EXPECT_EQ(levels[i].up.width, 1);
    }
  }
}

TEST(BuildPyramid, up_limit_only_cuts_columns) {
  const Cloud cloud = sphere(2000, 0.4F);
  PyramidOptions full;
  full.up_limit = 0;
  const auto narrow = build_pyramid(cloud, {}, Threads::none());
  const auto wide = build_pyramid(cloud, full, Threads::none());
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& up = wide->levels[i].up;
    EXPECT_EQ(up.width, full.neighbour_limit[i + 1]);
    for (std::int64_t p = 0; p < up.rows; ++p) ASSERT_EQ(up.row(p)[0], narrow->levels[i].up.row(p)[0]);
  }
}

TEST(BuildPyramid, of_one_point) {
  const auto result = build_pyramid(Cloud{{0.3F, -0.2F, 5.0F}}, {}, Threads::none());
  ASSERT_TRUE(result.ok()) << result.error().text();
  for (const auto& level : result->levels) {
    EXPECT_EQ(level.points.size(), 1U);
    EXPECT_THAT(level.neighbours.index, testing::ElementsAre(0));
  }
  EXPECT_THAT(result->levels[0].down.index, testing::ElementsAre(0));
  EXPECT_THAT(result->levels[1].up.index, testing::ElementsAre(0));
}

TEST(BuildPyramid, of_coincident_points_stays_linear) {
  // Quadratic work would be ten thousand million distances here.
  Cloud cloud(100000, Eigen::Vector3f(0.1F, 0.2F, 0.3F));
  for (std::size_t i = 0; i < cloud.size(); i += 2) cloud[i].x() = 0.7F;
  const auto result = build_pyramid(cloud, {}, Threads::none());
  ASSERT_TRUE(result.ok()) << result.error().text();
  EXPECT_EQ(result->levels[1].points.size(), 2U);
  EXPECT_EQ(result->levels[2].points.size(), 2U);
  for (const std::int64_t p : {0, 1, 99998, 99999}) {
    const auto row = result->levels[0].neighbours.row(p);
    for (std::size_t j = 0; j < row.size(); ++j) {
      ASSERT_EQ(row[j], static_cast<std::int32_t>(2 * j) + static_cast<std::int32_t>(p % 2));
    }
  }
}

TEST(BuildPyramid, of_a_hundred_thousand_points) {
  Threads threads(2);
  const auto result = build_pyramid(sphere(100000, 2.0F), {}, threads);
  ASSERT_TRUE(result.ok()) << result.error().text();
  EXPECT_EQ(result->levels[0].neighbours.rows, 100000);
}

TEST(BuildPyramid, refuses_bad_points) {
  EXPECT_EQ(cause_of({}), Cause::empty);
  Cloud cloud = sphere(100, 0.4F);
  cloud[17].y() = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(cause_of(cloud), Cause::not_finite);
  cloud[17].y() = std::numeric_limits<float>::infinity();
  EXPECT_EQ(cause_of(cloud), Cause::not_finite);
  cloud[17].y() = 1e30F;
  EXPECT_EQ(cause_of(cloud), Cause::too_large);
  EXPECT_EQ(cause_of(Cloud(3, Eigen::Vector3f::Constant(1e6F))), Cause::too_large);
}

TEST(BuildPyramid, refuses_bad_options) {
  const Cloud cloud = sphere(100, 0.4F);
  const auto with = [&](auto change) {
    PyramidOptions options;
    change(options);
    return cause_of(cloud, options);
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(with([](auto& o) { o.voxel[0] = 0.01F; }), Cause::invalid_option);
  EXPECT_EQ(with([](auto& o) { o.voxel[1] = 0.0F; }), Cause::invalid_option);
  EXPECT_EQ(with([](auto& o) { o.voxel[2] = o.voxel[1]; }), Cause::invalid_option);
  EXPECT_EQ(with([&](auto& o) { o.voxel[1] = nan; }), Cause::invalid_option);
  EXPECT_EQ(with([](auto& o) { o.radius[0] = -1.0F; }), Cause::invalid_option);
  EXPECT_EQ(with([&](auto& o) { o.radius[2] = nan; }), Cause::invalid_option);
  EXPECT_EQ(with([](auto& o) { o.neighbour_limit[1] = 0; }), Cause::invalid_option);
  EXPECT_EQ(with([](auto& o) { o.neighbour_limit[1] = 100000; }), Cause::invalid_option);
  EXPECT_EQ(with([](auto& o) { o.up_limit = -1; }), Cause::invalid_option);
}

}  // namespace
}  // namespace pmtr
