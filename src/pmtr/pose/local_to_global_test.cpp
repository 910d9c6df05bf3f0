// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/local_to_global.h"

#include <gtest/gtest.h>

#include "pmtr/core/random.h"
#include "pmtr/pose/procrustes.h"

namespace pmtr {
namespace {

/// Points scattered in a ball, and the same seen from another frame.
struct Scene {
  std::vector<Eigen::Vector3f> source;
  std::vector<Eigen::Vector3f> target;
  std::vector<Correspondence> correspondences;
  Rigid3 source_from_target;

  explicit Scene(std::uint64_t seed, int patches = 6, int per_patch = 4) {
    Random random(seed);
    source_from_target = {random.rotation(), {0.3, -0.2, 0.5}};
    for (int i = 0; i < patches * per_patch; ++i) {
      const Eigen::Vector3d point = random.rotation().col(0) * random.uniform(0.1, 0.5);
      target.push_back(point.cast<float>());
      source.push_back((source_from_target * point).cast<float>());
      correspondences.push_back({i, i, 0.5F, i / per_patch});
    }
  }

  std::optional<Registration> solve(const RegistrationOptions& options = {}) const {
    return register_local_to_global(source, target, correspondences, options);
  }
};

double error(const Rigid3& a, const Rigid3& b) {
  return rotation_angle(a.rotation, b.rotation) + (a.translation - b.translation).norm();
}

TEST(Procrustes, recovers_a_pose_from_weighted_points) {
  const Scene scene(1);
  std::vector<Eigen::Vector3d> a;
  std::vector<Eigen::Vector3d> b;
  std::vector<double> weights;
  for (std::size_t i = 0; i < scene.source.size(); ++i) {
    a.push_back(scene.source[i].cast<double>());
    b.push_back(scene.target[i].cast<double>());
    weights.push_back(1.0 + static_cast<double>(i));
  }
  const ProcrustesFit fit = fit_procrustes(a, b, weights);
  EXPECT_LT(error(fit.a_from_b, scene.source_from_target), 1e-5);
  EXPECT_GT(fit.rank_ratio(), 0.1);
  EXPECT_NEAR(fit.a_from_b.rotation.determinant(), 1.0, 1e-12);
}

TEST(Procrustes, points_on_a_line_have_no_rank) {
  std::vector<Eigen::Vector3d> a;
  for (int i = 0; i < 5; ++i) a.emplace_back(i, 2.0 * i, 0.0);
  EXPECT_LT(fit_procrustes(a, a, std::vector<double>(5, 1.0)).rank_ratio(), 1e-12);
  EXPECT_EQ(fit_procrustes({}, {}, {}).rank_ratio(), 0.0);
}

TEST(Procrustes, never_mirrors) {
  std::vector<Eigen::Vector3d> a;
  std::vector<Eigen::Vector3d> b;
  Random random(4);
  for (int i = 0; i < 10; ++i) {
    a.emplace_back(random.normal(), random.normal(), random.normal());
    b.emplace_back(a.back()[0], a.back()[1], -a.back()[2]);
  }
  EXPECT_NEAR(fit_procrustes(a, b, std::vector<double>(10, 1.0)).a_from_b.rotation.determinant(), 1.0, 1e-12);
}

TEST(LocalToGlobal, finds_the_pose_among_wrong_patches) {
  Scene scene(2, 10, 4);
  Random random(5);
  // Four of ten patches point anywhere.
  for (auto& c : scene.correspondences) {
    if (c.patch < 4) c.target = static_cast<std::int32_t>(random.below(scene.target.size()));
  }
  const auto found = scene.solve();
  ASSERT_TRUE(found.has_value());
  EXPECT_LT(error(found->a_from_b, scene.source_from_target), 1e-2);
  EXPECT_GE(found->inliers, 24);
  EXPECT_GT(found->inlier_share, 0.5);
}

TEST(LocalToGlobal, without_correspondences_there_is_no_pose) {
  EXPECT_FALSE(register_local_to_global({}, {}, {}, RegistrationOptions{}).has_value());
  const auto reference = register_local_to_global({}, {}, {}, RegistrationOptions::reference());
  ASSERT_TRUE(reference.has_value());  // the reference answers with the identity
  EXPECT_LT(error(reference->a_from_b, Rigid3{}), 1e-12);
}

TEST(LocalToGlobal, a_patch_along_a_line_makes_no_hypothesis) {
  std::vector<Eigen::Vector3f> points;
  std::vector<Correspondence> correspondences;
  for (int i = 0; i < 6; ++i) {
    points.emplace_back(0.1F * static_cast<float>(i), 0.0F, 0.0F);
    correspondences.push_back({i, i, 0.5F, 0});
  }
  EXPECT_FALSE(register_local_to_global(points, points, correspondences, RegistrationOptions{}).has_value());
  EXPECT_TRUE(register_local_to_global(points, points, correspondences, RegistrationOptions::reference())
                  .has_value());
}

TEST(LocalToGlobal, too_few_per_patch_is_no_pose) { EXPECT_FALSE(Scene(3, 8, 2).solve().has_value()); }

TEST(RegistrationOptions, are_checked) {
  RegistrationOptions options;
  EXPECT_TRUE(options.validate().ok());
  options.acceptance_radius = 0.0;
  EXPECT_FALSE(options.validate().ok());
  options = {};
  options.min_patch_correspondences = 2;
  EXPECT_FALSE(options.validate().ok());
}

}  // namespace
}  // namespace pmtr
