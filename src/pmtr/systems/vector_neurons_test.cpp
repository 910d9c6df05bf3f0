// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/vector_neurons.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "pmtr/systems/rotations.h"
#include "pmtr/systems/systems_test_support.h"

namespace pmtr {
namespace {

torch::Tensor random_rotation(Random& random) {
  const Eigen::Matrix3d r = random.rotation();
  torch::Tensor out = torch::empty({3, 3}, torch::kDouble);
  for (int i = 0; i < 9; ++i) out.data_ptr<double>()[i] = r(i / 3, i % 3);
  return out;
}

class Equivariance : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(VectorNeurons, Equivariance, testing::Bool());

TEST_P(Equivariance, features_turn_with_the_part) {
  Parameters parameters;
  Random random(3);
  const VectorDgcnn encoder{ParameterScope(parameters, random)};
  test::to_double(parameters);
  const SystemPass pass{Execution{&Threads::none()}, GetParam()};
  const torch::Tensor points = test::random_double(random, {3, 60, 3});
  const torch::Tensor turn = random_rotation(random);
  const torch::Tensor here = encoder(points, pass);
  const torch::Tensor there = encoder(torch::matmul(points, turn.t()), pass);
  ASSERT_EQ(here.sizes().vec(), (std::vector<std::int64_t>{3, 3, VectorDgcnn::width}));
  EXPECT_GT(here.norm().item<double>(), 0.1);
  EXPECT_LT((there - torch::matmul(turn, here)).norm().item<double>(), 1e-9 * here.norm().item<double>());
  EXPECT_GT((there - here).norm().item<double>(), 0.1 * here.norm().item<double>());
}

/// A part's mixed features turn with it, and stay as they are when another part of its object is turned.
TEST_P(Equivariance, correlated_features_turn_with_their_own_part_alone) {
  Parameters parameters;
  Random random(3);
  const VectorCorrelation correlation{ParameterScope(parameters, random)};
  test::to_double(parameters);
  const SystemPass pass{Execution{&Threads::none()}, GetParam()};
  PartBatch batch;
  batch.counts = {2, 2};
  batch.points = torch::zeros({4, 1, 3}, torch::kDouble);
  const torch::Tensor features = test::random_double(random, {4, 3, VectorDgcnn::width});
  torch::Tensor turned = features.clone();
  const torch::Tensor turn = random_rotation(random);
  turned[0] = torch::matmul(turn, features[0]);
  const torch::Tensor here = correlation(features, batch, pass);
  const torch::Tensor there = correlation(turned, batch, pass);
  const double scale = 1e-9 * here.norm().item<double>();
  EXPECT_LT((there[0] - torch::matmul(turn, here[0])).norm().item<double>(), scale);
  for (const int other : {1, 2, 3}) EXPECT_LT((there[other] - here[other]).norm().item<double>(), scale);
  // And a part knows of the other one: it is not what it would be beside itself.
  torch::Tensor changed = features.clone();
  changed[1] = features[2];
  EXPECT_GT((correlation(changed, batch, pass)[0] - here[0]).norm().item<double>(), 1e3 * scale);
}

TEST(VectorNeurons, edges_are_computed_from_points_as_if_they_were_made) {
  Parameters parameters;
  Random random(3);
  const VectorLinear linear(ParameterScope(parameters, random), 8, 5);
  test::to_double(parameters);
  const torch::Tensor x = test::random_double(random, {4, 3, 4});
  const torch::Tensor table = torch::tensor({1, 2, 0, 3, 3, 2, 1, 0}, torch::kLong);
  const torch::Tensor own = x.repeat_interleave(2, 0);
  const torch::Tensor edges = torch::cat({x.index_select(0, table) - own, own}, 2);
  const Execution execution{&Threads::none()};
  EXPECT_LT((linear(edges, execution) - linear.on_edges(x, table, execution)).abs().max().item<double>(),
            1e-12);
}

}  // namespace
}  // namespace pmtr
