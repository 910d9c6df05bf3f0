// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/breaks/break_cloud.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "pmtr/breaks/break_descriptors.h"
#include "support/broken_shape.h"

namespace pmtr {
namespace {

const test::ScatteredPair& blob() {
  static const test::ScatteredPair pair = test::break_in_two(Shape::blob, 3, 8000);
  return pair;
}

BreakCloud breaks_of(const test::LabelledCloud& piece, const BreakCloudOptions& options = {}) {
  return find_break_cloud(piece.cloud, piece.scores(0.0, Random(1)), options, Threads::none());
}

TEST(BreakCloud, lies_on_the_break_evenly_with_frames) {
  const test::LabelledCloud& piece = blob().a;
  const BreakCloud breaks = breaks_of(piece);
  ASSERT_GT(breaks.points.size(), 50U);
  EXPECT_LT(breaks.points.size(), breaks.support.points.size());
  // The true spacing is known here: points share the area.
  const double spacing = std::sqrt(piece.area / static_cast<double>(piece.cloud.points.size()));
  EXPECT_NEAR(static_cast<double>(breaks.spacing), spacing, 0.1 * spacing);
  for (std::size_t i = 0; i < breaks.points.size(); ++i) {
    const BreakPoint& p = breaks.points[i];
    EXPECT_GE(piece.partner[p.index], 0);
    EXPECT_EQ(p.position, piece.cloud.points[p.index]);
    EXPECT_NEAR(p.z.norm(), 1.0F, 1e-5F);
    EXPECT_GT(p.z.dot(p.normal), 0.0F);
    if (p.has_x) {
      EXPECT_NEAR(p.x.norm(), 1.0F, 1e-5F);
      EXPECT_NEAR(p.x.dot(p.z), 0.0F, 1e-5F);
      EXPECT_NEAR(p.source_axes().determinant(), 1.0F, 1e-4F);
      EXPECT_NEAR(p.target_axes().determinant(), 1.0F, 1e-4F);
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (p.normal.dot(breaks.points[j].normal) > 0.0F) {
        EXPECT_GE((p.position - breaks.points[j].position).norm(), 0.99F * breaks.spacing);
      }
    }
  }
}

TEST(BreakCloud, keeps_a_larger_distance_where_there_would_be_too_many) {
  BreakCloudOptions options;
  options.most_points = 40;
  const BreakCloud breaks = breaks_of(blob().a, options);
  EXPECT_LE(breaks.points.size(), 40U);
  EXPECT_GE(breaks.points.size(), 20U);
}

TEST(BreakCloud, frames_of_mates_agree) {
  const BreakCloud a = breaks_of(blob().a);
  const BreakCloud b = breaks_of(blob().b);
  const Eigen::Matrix3f turn = blob().a_from_b.rotation.cast<float>();
  std::vector<double> degrees;
  for (const BreakPoint& q : b.points) {
    const Eigen::Vector3f there = (blob().a_from_b * q.position.cast<double>().eval()).cast<float>();
    const auto nearest =
        std::min_element(a.points.begin(), a.points.end(), [&](const BreakPoint& x, const BreakPoint& y) {
          return (x.position - there).squaredNorm() < (y.position - there).squaredNorm();
        });
    if (!q.has_x || !nearest->has_x) continue;
    const Eigen::Matrix3f found = nearest->source_axes() * q.target_axes().transpose();
    degrees.push_back(rotation_angle_deg(found.cast<double>(), turn.cast<double>()));
  }
  ASSERT_GT(degrees.size(), 50U);
  std::sort(degrees.begin(), degrees.end());
  // The nearest break point is not the same place: half a spacing away the surface has turned a little.
  EXPECT_LT(degrees[degrees.size() / 2], 10.0);
}

TEST(BreakCloud, knows_nothing_where_nothing_is_broken) {
  const PointCloud& cloud = blob().a.cloud;
  const std::vector<float> nothing(cloud.points.size(), 0.1F);
  const BreakCloud breaks = find_break_cloud(cloud, nothing, {}, Threads::none());
  EXPECT_TRUE(breaks.points.empty());
  EXPECT_EQ(describe_breaks(breaks, Threads::none()).rows, 0);
  const BreakCloud none = find_break_cloud({}, {}, {}, Threads::none());
  EXPECT_TRUE(none.points.empty());
}

TEST(BreakCloud, has_no_x_without_a_rim) {
  const PointCloud& cloud = blob().a.cloud;
  const std::vector<float> all(cloud.points.size(), 1.0F);
  const BreakCloud breaks = find_break_cloud(cloud, all, {}, Threads::none());
  ASSERT_FALSE(breaks.points.empty());
  for (const BreakPoint& p : breaks.points) {
    EXPECT_FALSE(p.has_x);
    EXPECT_FLOAT_EQ(p.rim_distance, 0.25F);
  }
}

/// Few points, or points that are all the same, give numbers and not NaN.
TEST(BreakCloud, few_points_and_equal_points_are_no_surprise) {
  for (const int count : {1, 2, 3, 20}) {
    for (const bool equal : {false, true}) {
      PointCloud cloud;
      std::vector<float> labels;
      for (int i = 0; i < count; ++i) {
        const auto x = equal ? 0.3F : 0.01F * static_cast<float>(i);
        cloud.points.emplace_back(x, 0.1F * x, 0.0F);
        cloud.normals.emplace_back(0.0F, 0.0F, 1.0F);
        labels.push_back(count == 20 && i < 5 ? 0.0F : 1.0F);
      }
      const BreakCloud breaks = find_break_cloud(cloud, labels, {}, Threads::none());
      ASSERT_EQ(breaks.points.empty(), breaks.support.points.empty());
      const BreakDescriptors rows = describe_breaks(breaks, Threads::none());
      ASSERT_EQ(rows.rows, static_cast<std::int64_t>(breaks.points.size()));
      for (const float v : rows.values) ASSERT_TRUE(std::isfinite(v));
      for (const BreakPoint& p : breaks.points) {
        ASSERT_TRUE(p.z.allFinite() && p.x.allFinite());
        ASSERT_TRUE(std::isfinite(p.rim_distance));
      }
    }
  }
}

TEST(BreakCloud, options_are_checked) {
  EXPECT_TRUE(BreakCloudOptions{}.validate().ok());
  BreakCloudOptions options;
  options.margin = 0.7;
  EXPECT_FALSE(options.validate().ok());
}

}  // namespace
}  // namespace pmtr
