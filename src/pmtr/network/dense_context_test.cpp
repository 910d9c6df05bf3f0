// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/dense_context.h"

#include <cmath>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "pmtr/network/pmtr_network.h"

namespace pmtr {
namespace {

/// The corner of a step: points of the upper face (y < 0) and of the wall below its edge (y = 0).
PointCloud step() {
  PointCloud cloud;
  for (int i = 0; i < 20; ++i) {
    for (int k = 0; k < 20; ++k) {
      cloud.points.emplace_back(0.01F * static_cast<float>(i), -0.005F - 0.01F * static_cast<float>(k), 0.0F);
      cloud.normals.emplace_back(0.0F, 0.0F, 1.0F);
      cloud.points.emplace_back(0.01F * static_cast<float>(i), 0.0F, -0.005F - 0.01F * static_cast<float>(k));
      cloud.normals.emplace_back(0.0F, 1.0F, 0.0F);
    }
  }
  return cloud;
}

TEST(DenseContext, tells_faces_apart) {
  const PointCloud cloud = step();
  const SurfaceFeatures features = find_surface_features(cloud, cloud, Threads::none());
  const DenseContext context = find_dense_context(cloud, 200, features, Threads::none());
  std::vector<float> logits;  // the wall is broken, and the first look knows it
  for (const auto& n : cloud.normals) logits.push_back(n.y() > 0.5F ? 4.0F : -4.0F);
  const std::vector<float> columns = context_columns(context, features, logits, Threads::none());
  ASSERT_EQ(columns.size(), logits.size() * static_cast<std::size_t>(DenseContext::width));
  constexpr std::size_t scales = 2 * SurfaceFeatures::width + 2;
  const float high = 2.0F / (1.0F + std::exp(-4.0F)) - 1.0F;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const float* row = columns.data() + i * static_cast<std::size_t>(DenseContext::width);
    const float sign = cloud.normals[i].y() > 0.5F ? 1.0F : -1.0F;
    EXPECT_NEAR(row[scales], sign * high, 1e-5F) << "same face, one opinion";
    EXPECT_NEAR(row[scales + 1], 0.0F, 1e-2F);
    if (row[scales + 3] > -0.99F) {
      EXPECT_NEAR(row[scales + 2], -sign * high, 1e-5F) << "the other face";
    }
  }
}

TEST(DenseContext, does_not_depend_on_threads) {
  const PointCloud cloud = step();
  const SurfaceFeatures features = find_surface_features(cloud, cloud, Threads::none());
  Threads two(2);
  const DenseContext a = find_dense_context(cloud, 200, features, Threads::none());
  const DenseContext b = find_dense_context(cloud, 200, features, two);
  EXPECT_EQ(a.mean_features, b.mean_features);
  for (std::size_t s = 0; s < a.scale.size(); ++s) EXPECT_EQ(a.scale[s].neighbours, b.scale[s].neighbours);
}

TEST(FractureHead, the_second_look_says_nothing_new_before_it_was_taught) {
  NetworkOptions options = NetworkOptions::plain();
  options.surface_input = options.fracture_head = options.fracture_context = true;
  const auto network = PmtrNetwork::create(options, 3);
  ASSERT_TRUE(network.ok());
  const PointCloud cloud = step();
  const auto input = prepare_input(cloud, cloud, 1.0, 1.0, options, SIZE_MAX, Threads::none());
  ASSERT_TRUE(input.ok());
  const PyramidBatch batch = stack_pyramids(std::array{&input->pyramid});
  const Execution execution{&Threads::none()};
  const SharedFeatures shared = network->encode(batch, execution);
  const auto logits =
      (*network->fracture_head())(batch, shared.encoded, shared.level1, input->dense, execution);
  EXPECT_TRUE(torch::equal(logits.first, logits.last));
  // Its loss trains the second look alone.
  logits.last.sum().backward();
  EXPECT_FALSE(network->fracture_head()->out.weight.grad().defined());
  EXPECT_TRUE(network->fracture_head()->second->out.weight.grad().defined());
}

TEST(NetworkOptions, a_context_needs_a_head) {
  NetworkOptions options;
  options.fracture_head = false;
  EXPECT_FALSE(options.validate().ok());
}

}  // namespace
}  // namespace pmtr
