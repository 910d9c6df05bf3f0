// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/core/random.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

#include "pmtr/core/rigid3.h"

namespace pmtr {
namespace {

// From a separate implementation of splitmix64 and xoshiro256**. If these change, every seeded result does.
TEST(Random, FirstValuesAreFixed) {
  const std::array<std::uint64_t, 3> seed_0 = {0xfb5405f7bd79c540, 0x780c98e26cea5883, 0x2a146e0980febc66};
  const std::array<std::uint64_t, 3> seed_0_stream_1 = {0xef75d62a19ba94ed, 0x8e9490536375f270,
                                                        0xc05630b1c614195d};
  const std::array<std::uint64_t, 3> seed_42 = {0x19e479e2aaa77bfb, 0x5e3efe753be27527, 0xc3ed7125b780200a};
  Random a(0);
  Random b(0, 1);
  Random c(42);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(a.bits(), seed_0[i]);
    EXPECT_EQ(b.bits(), seed_0_stream_1[i]);
    EXPECT_EQ(c.bits(), seed_42[i]);
  }
  Random uniform(1);
  EXPECT_EQ(uniform.uniform(), 0.9299697815615794);
  EXPECT_EQ(uniform.uniform(), 0.8392768398135517);
  Random normal(7);
  EXPECT_NEAR(normal.normal(), 0.8334958818766102, 1e-14);
  EXPECT_NEAR(normal.normal(), 0.5043055090260591, 1e-14);
}

TEST(Random, StateIsAllThereIs) {
  Random a(3);
  (void)a.normal();
  Random b(99);
  b.restore(a.state());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(a.normal(), b.normal());
}

TEST(Random, StreamsAndSeedsDiffer) {
  std::set<std::uint64_t> firsts;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    for (std::uint64_t stream = 0; stream < 100; ++stream) firsts.insert(Random(seed, stream).bits());
  }
  EXPECT_EQ(firsts.size(), 10000U);
}

TEST(Random, StreamsAreNotCorrelated) {
  Random a(5, 0);
  Random b(5, 1);
  const int n = 100000;
  double product = 0.0;
  for (int i = 0; i < n; ++i) product += (a.uniform() - 0.5) * (b.uniform() - 0.5);
  EXPECT_NEAR(product / n, 0.0, 5.0 / 12.0 / std::sqrt(n));  // five standard deviations
}

TEST(Random, UniformIsUniform) {
  Random random(11);
  const int n = 100000;
  std::array<int, 10> histogram{};
  for (int i = 0; i < n; ++i) {
    const double x = random.uniform();
    ASSERT_GE(x, 0.0);
    ASSERT_LT(x, 1.0);
    ++histogram[static_cast<std::size_t>(10.0 * x)];
  }
  double chi2 = 0.0;
  for (const int count : histogram) chi2 += (count - n / 10.0) * (count - n / 10.0) / (n / 10.0);
  EXPECT_LT(chi2, 27.9);  // 9 degrees of freedom, 0.1 %
  for (int i = 0; i < 1000; ++i) {
    const double x = random.uniform(-3.0, -1.0);
    ASSERT_GE(x, -3.0);
    ASSERT_LT(x, -1.0);
  }
}

TEST(Random, BelowIsUniformAndInRange) {
  Random random(12);
  const int n = 70000;
  std::array<int, 7> histogram{};
  for (int i = 0; i < n; ++i) ++histogram.at(random.below(7));
  double chi2 = 0.0;
  for (const int count : histogram) chi2 += (count - n / 7.0) * (count - n / 7.0) / (n / 7.0);
  EXPECT_LT(chi2, 22.5);  // 6 degrees of freedom, 0.1 %
  EXPECT_EQ(random.below(1), 0U);
  // Three quarters of the range: a plain remainder would return the first third twice as often.
  const std::uint64_t large = UINT64_C(3) << 62;
  int low = 0;
  for (int i = 0; i < 30000; ++i) low += random.below(large) < (UINT64_C(1) << 62) ? 1 : 0;
  EXPECT_NEAR(low / 30000.0, 1.0 / 3.0, 0.015);
}

TEST(RandomDeathTest, BelowZeroIsABug) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH((void)Random(0).below(0), "n > 0");
}

TEST(Random, NormalHasItsMoments) {
  Random random(13);
  const int n = 200000;
  double sum = 0.0;
  double squares = 0.0;
  double fourths = 0.0;
  for (int i = 0; i < n; ++i) {
    const double x = random.normal();
    ASSERT_TRUE(std::isfinite(x));
    sum += x;
    squares += x * x;
    fourths += x * x * x * x;
  }
  EXPECT_NEAR(sum / n, 0.0, 0.012);
  EXPECT_NEAR(squares / n, 1.0, 0.016);
  EXPECT_NEAR(fourths / n, 3.0, 0.11);
}

TEST(Random, RotationsAreUniform) {
  Random random(14);
  const int n = 20000;
  Eigen::Matrix3d mean = Eigen::Matrix3d::Zero();
  Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();
  double traces = 0.0;
  int small_angles = 0;
  for (int i = 0; i < n; ++i) {
    const Eigen::Matrix3d r = random.rotation();
    ASSERT_LT((r * r.transpose() - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff(), 1e-14);
    ASSERT_NEAR(r.determinant(), 1.0, 1e-14);
    mean += r;
    squares += r.cwiseProduct(r);
    traces += r.trace() * r.trace();
    small_angles += rotation_angle(Eigen::Matrix3d::Identity(), r) < std::numbers::pi / 2 ? 1 : 0;
  }
  // Under the uniform measure: E[R] = 0, E[R_ij^2] = 1/3, E[tr^2] = 1, P(angle < t) = (t - sin t) / pi.
  EXPECT_LT((mean / n).cwiseAbs().maxCoeff(), 0.02);
  EXPECT_LT((squares / n - Eigen::Matrix3d::Constant(1.0 / 3.0)).cwiseAbs().maxCoeff(), 0.012);
  EXPECT_NEAR(traces / n, 1.0, 0.05);
  EXPECT_NEAR(static_cast<double>(small_angles) / n, 0.5 - 1.0 / std::numbers::pi, 0.015);
}

}  // namespace
}  // namespace pmtr
