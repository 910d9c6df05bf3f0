// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/patch_overlaps.h"

#include <gtest/gtest.h>

#include "pmtr/core/random.h"
#include "pmtr/core/threads.h"

namespace pmtr {
namespace {

std::vector<Eigen::Vector3f> random_points(std::size_t n, Random& random) {
  std::vector<Eigen::Vector3f> points;
  for (std::size_t i = 0; i < n; ++i)
    points.emplace_back(random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1), random.uniform(-0.1, 0.1));
  return points;
}

/// As the header says it, in three loops.
float overlap_by_hand(const std::vector<Eigen::Vector3f>& a, std::span<const std::int32_t> patch_a,
                      const std::vector<Eigen::Vector3f>& b, std::span<const std::int32_t> patch_b,
                      float radius, const std::vector<std::uint8_t>& mates_a,
                      const std::vector<std::uint8_t>& mates_b) {
  const auto share = [&](const auto& x, auto patch_x, const auto& y, auto patch_y, const auto& mates_x,
                         const auto& mates_y) {
    int with_partner = 0;
    for (const auto i : patch_x) {
      bool found = false;
      for (const auto j : patch_y) {
        const auto xi = static_cast<std::size_t>(i);
        const auto yj = static_cast<std::size_t>(j);
        found = found ||
                (mates_x[xi] == 1 && mates_y[yj] == 1 && (x[xi] - y[yj]).squaredNorm() < radius * radius);
      }
      with_partner += found ? 1 : 0;
    }
    return patch_x.empty() ? 0.0F : static_cast<float>(with_partner) / static_cast<float>(patch_x.size());
  };
  return 0.5F *
         (share(a, patch_a, b, patch_b, mates_a, mates_b) + share(b, patch_b, a, patch_a, mates_b, mates_a));
}

TEST(PatchOverlaps, AreWhatTheDefinitionSays) {
  Random random(11);
  for (int trial = 0; trial < 6; ++trial) {
    const auto source = random_points(200, random);
    const auto target = random_points(150, random);
    const auto source_patches = partition_points(source, random_points(12, random), Threads::none(), 9);
    const auto target_patches = partition_points(target, random_points(8, random), Threads::none(), 128);
    std::vector<std::uint8_t> mates_source(200, 1);
    std::vector<std::uint8_t> mates_target(150, 1);
    const bool labelled = trial % 2 == 1;
    if (labelled) {
      for (auto& m : mates_source) m = static_cast<std::uint8_t>(random.below(2));
      for (auto& m : mates_target) m = static_cast<std::uint8_t>(random.below(2));
    }
    const float radius = trial < 3 ? 0.03F : 0.01F;
    const PatchOverlaps overlaps =
        labelled ? patch_overlaps(source, source_patches, target, target_patches, radius, mates_source,
                                  mates_target)
                 : patch_overlaps(source, source_patches, target, target_patches, radius);
    ASSERT_EQ(overlaps.values.size(), 12U * 8U);
    int above_zero = 0;
    for (std::int64_t s = 0; s < 12; ++s) {
      for (std::int64_t t = 0; t < 8; ++t) {
        const float wanted = overlap_by_hand(source, source_patches.of(s), target, target_patches.of(t),
                                             radius, mates_source, mates_target);
        EXPECT_NEAR(overlaps.values[static_cast<std::size_t>(s * 8 + t)], wanted, 1e-5F);
        above_zero += wanted > 0 ? 1 : 0;
      }
    }
    EXPECT_GT(above_zero, 0);
  }
}

}  // namespace
}  // namespace pmtr
