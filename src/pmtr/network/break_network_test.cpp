// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/break_network.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "pmtr/network/pmtr_network.h"

namespace pmtr {
namespace {

PointCloud bumpy_ball(float radius, int count) {
  Random random(3);
  PointCloud cloud;
  for (int i = 0; i < count; ++i) {
    const Eigen::Vector3f n = random.rotation().col(0).cast<float>();
    cloud.points.push_back(radius * (1.0F + 0.1F * std::sin(9.0F * n.x())) * n);
    cloud.normals.push_back(n);
  }
  return cloud;
}

constexpr double area = 4.0 * M_PI * 0.3 * 0.3;

PmtrNetwork untrained() {
  NetworkOptions options;
  options.fracture_head = options.fracture_context = false;
  options.break_network = true;
  return PmtrNetwork::create(options, 7).value();
}

TEST(BreakInput, every_level_is_some_points_of_the_one_before_and_all_are_heard) {
  const BreakInput input = find_break_input(bumpy_ball(0.3F, 3000), area, 1.0, Threads::none());
  EXPECT_EQ(input.sizes[0], 3000);
  for (std::size_t k = 1; k < BreakInput::levels; ++k) {
    EXPECT_LT(input.sizes[k], input.sizes[k - 1]);
    EXPECT_EQ(static_cast<std::int64_t>(input.chosen[k].size()), input.sizes[k]);
    for (const std::int32_t i : input.chosen[k]) ASSERT_LT(i, input.sizes[k - 1]);
    EXPECT_EQ(input.up[k].table.rows, input.sizes[k]);
    EXPECT_EQ(input.down[k - 1].table.rows, input.sizes[k - 1]);
  }
  for (const float value : input.within[0].values) ASSERT_TRUE(std::isfinite(value));
}

TEST(BreakInput, is_the_same_in_any_unit_when_the_size_of_the_object_is_told) {
  const PointCloud cloud = bumpy_ball(0.3F, 500);
  PointCloud larger = cloud;
  for (Eigen::Vector3f& point : larger.points) point *= 4.0F;
  const BreakInput one = find_break_input(cloud, area, 1.0, Threads::none());
  const BreakInput other = find_break_input(larger, 16.0 * area, 4.0, Threads::none());
  EXPECT_EQ(one.features.values, other.features.values);
  EXPECT_EQ(one.sizes, other.sizes);
  EXPECT_EQ(one.within[1].values, other.within[1].values);
  EXPECT_NE(one.features.values, find_break_input(larger, 16.0 * area, 1.0, Threads::none()).features.values);
}

TEST(BreakNetwork, on_our_kernels_says_what_plain_operators_say) {
  const PmtrNetwork network = untrained();
  const BreakInput input = find_break_input(bumpy_ball(0.3F, 700), area, 1.0, Threads::none());
  Threads two(2);
  const torch::NoGradGuard no_grad;
  const torch::Tensor a = (*network.break_network())(input, Execution{&two, true});
  const torch::Tensor b = (*network.break_network())(input, Execution{&two, false});
  EXPECT_EQ(a.sizes(), (torch::IntArrayRef{700}));
  EXPECT_LT((a - b).abs().max().item<double>(), 1e-4 * (1.0 + a.abs().max().item<double>()));
}

TEST(BreakNetwork, has_the_same_bytes_with_any_team) {
  const PmtrNetwork network = untrained();
  const PointCloud cloud = bumpy_ball(0.3F, 900);
  Threads three(3);
  const torch::NoGradGuard no_grad;
  const torch::Tensor a = (*network.break_network())(find_break_input(cloud, area, 1.0, Threads::none()),
                                                     Execution{&Threads::none()});
  const torch::Tensor b =
      (*network.break_network())(find_break_input(cloud, area, 1.0, three), Execution{&three});
  EXPECT_TRUE(torch::equal(a, b));
}

TEST(BreakNetwork, says_something_finite_of_the_smallest_clouds) {
  const PmtrNetwork network = untrained();
  const torch::NoGradGuard no_grad;
  for (const int count : {1, 2, 5, 30}) {
    const BreakInput input = find_break_input(bumpy_ball(0.3F, count), area, 1.0, Threads::none());
    const torch::Tensor logits = (*network.break_network())(input, Execution{&Threads::none()});
    EXPECT_EQ(logits.numel(), count);
    EXPECT_TRUE(torch::isfinite(logits).all().item<bool>());
  }
}

}  // namespace
}  // namespace pmtr
