// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/densify_breaks.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "pmtr/dataset/dataset_test_support.h"

namespace pmtr {
namespace {

TEST(DensifyBreaks, density_follows_what_the_breaks_hold) {
  const auto wanted = [](const std::vector<float>& fracture) {
    return wanted_density(fracture, 1.0, 0.0, 1.0, {});
  };
  std::vector<float> fracture(2000, 0.1F);
  EXPECT_EQ(wanted(fracture), 1.0) << "nothing is broken";
  std::fill_n(fracture.begin(), 500, 0.9F);
  EXPECT_DOUBLE_EQ(wanted(fracture), 2.0);
  std::fill_n(fracture.begin(), 900, 0.9F);
  EXPECT_EQ(wanted(fracture), 1.0) << "nearly enough";
  std::fill(fracture.begin() + 100, fracture.end(), 0.1F);
  EXPECT_DOUBLE_EQ(wanted(fracture), DensifyOptions{}.most);
}

TEST(DensifyBreaks, of_few_fragments_the_smallest_says_how_fine_scars_are) {
  const DensifyOptions options{.break_points = 0, .scar_points = 300, .scars_among = 3};
  EXPECT_EQ(scar_area(std::vector{2.0, 0.5, 1.0}, options), 0.5);
  EXPECT_EQ(scar_area(std::vector{2.0, 0.5, 1.0, 3.0}, options), 0.0) << "they are not few";
  const std::vector<float> fracture(4000, 0.1F);
  // At 4000 points on a surface of 2, the surface of 0.05 has 100.
  EXPECT_DOUBLE_EQ(wanted_density(fracture, 2.0, 0.05, 16.0, options), 3.0);
  EXPECT_EQ(wanted_density(fracture, 2.0, 0.5, 16.0, options), 1.0) << "it has 1000";
  EXPECT_EQ(wanted_density(fracture, 2.0, 1e-5, 16.0, options), 16.0);
  EXPECT_EQ(wanted_density(fracture, 2.0, 1e-5, 2.0, options), 2.0) << "no more is known of the surface";
  EXPECT_EQ(wanted_density(fracture, 2.0, 0.0, 16.0, options), 1.0) << "nothing is looked for";
}

TEST(DensifyBreaks, no_finer_than_the_surface_is_known) {
  const TriangleMesh mesh = test::grid_box({0.0, 0.0, 0.0}, {1.0, 1.0, 0.5}, 4);
  SampleOptions options;
  options.points = 500;
  options.dense_points = 4000;
  FragmentClouds fragment = *sample_fragment(mesh, 1.0, 1.0, options, Random(1));
  EXPECT_EQ(known_density(fragment, 1000000, {}), DensifyOptions{}.most_for_scars);
  EXPECT_DOUBLE_EQ(known_density(fragment, 400, {}), 2.0) << "20 points for a triangle";
  EXPECT_EQ(known_density(fragment, 0, {}), DensifyOptions{}.most_for_scars) << "a cloud has none";
  // Points are 0.032 apart; five times that noise is 0.04.
  add_noise(fragment, 0.008, Random(2));
  EXPECT_LT(known_density(fragment, 1000000, {}), 1.0);
  EXPECT_GT(known_density(fragment, 1000000, {}), 0.5);
}

/// A slab whose side at the largest x is broken, away from the origin.
SeenFragment slab(const TriangleMesh& mesh, const SampleOptions& options) {
  SeenFragment seen;
  seen.clouds = *sample_fragment(mesh, 1.0, 4.0, options, Random(1));
  for (const Eigen::Vector3f& normal : seen.clouds.dense.normals)
    seen.fracture.push_back(normal.x() > 0.9F ? 1.0F : 0.0F);
  return seen;
}

TEST(DensifyBreaks, new_points_lie_on_the_same_surface_and_know_what_is_broken) {
  const TriangleMesh mesh = test::grid_box({10.0, 3.0, 5.0}, {12.0, 5.0, 5.2}, 4);
  SampleOptions options;
  options.points = 500;
  options.dense_points = 4000;
  const SeenFragment seen = slab(mesh, options);
  const auto denser = sample_denser(mesh, seen, 3.0, options, 0.0, 7, 2);
  ASSERT_TRUE(denser.ok());
  const FragmentClouds& clouds = denser->clouds;
  EXPECT_EQ(clouds.dense.points.size(), 3 * seen.clouds.dense.points.size());
  ASSERT_EQ(denser->fracture.size(), clouds.dense.points.size());
  EXPECT_EQ(clouds.centre, seen.clouds.centre) << "the frame stays";
  for (std::size_t i = 0; i < clouds.dense.points.size(); ++i) {
    const Eigen::Vector3d there = clouds.centre + clouds.unit * clouds.dense.points[i].cast<double>();
    const Eigen::Vector3d from_low = there - Eigen::Vector3d(10.0, 3.0, 5.0);
    const Eigen::Vector3d from_high = Eigen::Vector3d(12.0, 5.0, 5.2) - there;
    EXPECT_NEAR(std::min(from_low.minCoeff(), from_high.minCoeff()), 0.0, 1e-5);
    EXPECT_EQ(denser->fracture[i] > 0.5F, clouds.dense.normals[i].x() > 0.9F);
  }
}

TEST(DensifyBreaks, fragments_without_need_stay_and_the_others_gain) {
  const TriangleMesh mesh = test::grid_box({0.0, 0.0, 0.0}, {1.0, 1.0, 0.1}, 4);
  SampleOptions options;
  options.points = 500;
  options.dense_points = 4000;
  const SeenFragment seen = slab(mesh, options);
  std::vector<FragmentClouds> fragments{seen.clouds, seen.clouds};
  std::vector<FragmentFeatures> features(2);
  features[0].fracture = seen.fracture;
  features[1].fracture.assign(seen.fracture.size(), 1.0F);
  const std::vector<const TriangleMesh*> meshes{&mesh, &mesh};
  ASSERT_TRUE(densify_breaks(meshes, fragments, features, options, 0.0, 3, {}, Threads::none()).ok());
  EXPECT_EQ(fragments[0].dense.points.size(), 3 * seen.clouds.dense.points.size());
  EXPECT_EQ(features[0].fracture.size(), fragments[0].dense.points.size());
  EXPECT_EQ(fragments[1].dense.points, seen.clouds.dense.points);
}

TEST(DensifyBreaks, options_are_checked) {
  EXPECT_TRUE(DensifyOptions{}.validate().ok());
  EXPECT_FALSE((DensifyOptions{.break_points = -1}.validate().ok()));
  EXPECT_FALSE((DensifyOptions{.most = 0.5}.validate().ok()));
  EXPECT_FALSE((DensifyOptions{.scar_points = -1}.validate().ok()));
  EXPECT_FALSE((DensifyOptions{.most_for_scars = 0.5}.validate().ok()));
}

}  // namespace
}  // namespace pmtr
