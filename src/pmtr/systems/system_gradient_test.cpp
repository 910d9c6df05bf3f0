// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Gradients of every layer and of whole systems, in double, against finite differences.
#include <cmath>
#include <functional>

#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/types.h>

#include "pmtr/systems/layers.h"
#include "pmtr/systems/nsm_layers.h"
#include "pmtr/systems/pose_loss.h"
#include "pmtr/systems/recurrent.h"
#include "pmtr/systems/rotations.h"
#include "pmtr/systems/systems_test_support.h"
#include "pmtr/systems/vector_neurons.h"

namespace pmtr {
namespace {

using torch::Tensor;

/// The slope of each tensor, from its gradient and from two evaluations, along the gradient with a random
/// direction added. The step is small because norms over a few rows bend much within a short way.
void expect_slopes(const std::vector<std::pair<std::string, Tensor>>& inputs,
                   const std::function<Tensor()>& loss) {
  constexpr double step = 2e-8;
  std::vector<Tensor> tensors;
  for (const auto& [name, tensor] : inputs) tensors.push_back(tensor);
  const Tensor here = loss();
  const double rounding = 1e-15 * (1.0 + std::abs(here.item<double>())) / step;
  const auto gradients = torch::autograd::grad({here}, tensors, {}, false, false, true);
  Random random(11);
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    ASSERT_TRUE(gradients[i].defined()) << inputs[i].first << " has no effect";
    const double length = gradients[i].norm().item<double>();
    Tensor direction = test::random_double(random, tensors[i].sizes().vec());
    direction = direction / direction.norm() + gradients[i] / (length + 1e-300);
    Tensor moved = tensors[i].detach();
    moved.add_(direction, step);
    const double above = loss().item<double>();
    moved.add_(direction, -2 * step);
    const double below = loss().item<double>();
    moved.add_(direction, step);
    EXPECT_NEAR((gradients[i] * direction).sum().item<double>(), (above - below) / (2 * step),
                3e-4 * length + 30 * rounding)
        << inputs[i].first;
  }
}

/// A layer in double: its own tensors and its input.
class LayerGradient : public testing::Test {
 protected:
  ParameterScope scope() { return {parameters_, random_}; }
  SystemPass pass() {
    pass_random_ = Random(5);
    return {Execution{&Threads::none()}, true, &pass_random_};
  }
  /// The result is weighted at random, so that every part of it counts.
  void check(const Tensor& input, const std::function<Tensor(const Tensor&)>& layer) {
    test::to_double(parameters_);
    Tensor x = input.clone().requires_grad_();
    Random weights(9);
    const Tensor weight = test::random_double(weights, layer(x).sizes().vec());
    std::vector<std::pair<std::string, Tensor>> inputs{{"input", x}};
    for (const auto& entry : parameters_.entries()) {
      if (entry.learnt) inputs.emplace_back(entry.name, entry.tensor);
    }
    expect_slopes(inputs, [&] { return (layer(x) * weight).sum(); });
  }
  Tensor input(std::vector<std::int64_t> shape) { return test::random_double(random_, std::move(shape)); }

  Parameters parameters_;
  Random random_{4};
  Random pass_random_{5};
};

TEST_F(LayerGradient, normed_layer) {
  const NormedLayer layer(scope(), 5, 7, 0.2);
  check(input({9, 5}), [&](const Tensor& x) { return layer(x, pass()); });
}

TEST_F(LayerGradient, plain_layers) {
  const PlainLayers layers(scope(), {5, 8, 3}, 0.2);
  check(input({4, 5}), [&](const Tensor& x) { return layers(x, pass()); });
}

TEST_F(LayerGradient, point_net) {
  const PointNet net(scope());
  check(input({3, 6, 3}), [&](const Tensor& x) { return net(x, pass()); });
}

TEST_F(LayerGradient, pose_head) {
  const PoseHead head(scope(), 6);
  check(input({3, 6}), [&](const Tensor& x) {
    const PartPoses poses = head(x, pass());
    return torch::cat({poses.rotation.flatten(), poses.translation.flatten()});
  });
}

TEST_F(LayerGradient, two_axes) {
  check(input({4, 6}), [&](const Tensor& x) { return matrices_of_axes(x); });
}

TEST_F(LayerGradient, gru_cell) {
  const GruCell cell(scope(), 4, 5);
  const Tensor state = input({3, 5});
  check(input({3, 4}),
        [&](const Tensor& x) { return cell(x, cell(x, state, pass().execution), pass().execution); });
}

TEST_F(LayerGradient, edge_encoder) {
  const EdgeEncoder encoder(scope());
  check(input({2, 8, 3}), [&](const Tensor& x) { return encoder(x, pass()); });
}

TEST_F(LayerGradient, attention) {
  const Attention attention(scope(), 8);
  const Tensor memory = input({2, 6, 8});
  check(input({2, 5, 8}), [&](const Tensor& x) { return attention(x, memory, pass()); });
}

TEST_F(LayerGradient, part_transformer) {
  const PartTransformer transformer(scope(), 8);
  const Tensor partner = input({2, 6, 8});
  check(input({2, 5, 8}), [&](const Tensor& x) { return transformer(x, partner, pass()); });
}

TEST_F(LayerGradient, vector_layer) {
  const VectorLayer layer(scope(), 4, 5);
  check(input({7, 3, 4}), [&](const Tensor& x) { return layer(x, pass()); });
}

TEST_F(LayerGradient, vector_layer_with_one_direction) {
  const VectorLayer layer(scope(), 4, 5, true);
  check(input({7, 3, 4}), [&](const Tensor& x) { return layer(x, pass()); });
}

TEST_F(LayerGradient, vector_layer_on_edges) {
  const VectorLayer layer(scope(), 8, 5);
  const Tensor table = torch::tensor({0, 1, 1, 2, 2, 0, 3, 1}, torch::kLong);
  check(input({4, 3, 4}), [&](const Tensor& x) { return layer.on_edges(x, table, pass()); });
}

TEST_F(LayerGradient, vector_dgcnn) {
  const VectorDgcnn encoder(scope());
  check(input({2, 8, 3}), [&](const Tensor& x) { return encoder(x, pass()); });
}

TEST_F(LayerGradient, vector_correlation) {
  const VectorCorrelation correlation(scope());
  PartBatch batch;
  batch.counts = {2, 3};
  batch.points = torch::zeros({5, 1, 3}, torch::kDouble);
  check(input({5, 3, VectorDgcnn::width}), [&](const Tensor& x) { return correlation(x, batch, pass()); });
}

/// Losses and everything that leads to them.
class SystemGradient : public testing::TestWithParam<const char*> {};

/// Whether a pass with this seed feeds the decoder of LSTM with features. Their gradient is then cut off on
/// purpose, and no finite difference would agree.
bool is_told(std::uint64_t seed, std::size_t objects) {
  Random random(seed);
  for (std::size_t i = 0; i < 16 * objects; ++i) random.normal();
  return random.uniform() < 0.5;
}

TEST_P(SystemGradient, is_that_of_finite_differences) {
  const System system = *System::create(GetParam(), 1);
  test::to_double(system.parameters());
  const bool pairs = system.info().most_parts == 2;
  const auto objects = test::two_bars(12, pairs ? std::vector<int>{2, 2} : std::vector<int>{3, 2});
  PartBatch batch = stack_objects(objects);
  batch.points = batch.points.to(torch::kDouble);
  PartPoses truth = stack_truth(objects);
  for (Tensor* tensor : {&truth.rotation, &truth.translation, &truth.quaternion})
    *tensor = tensor->to(torch::kDouble);
  std::uint64_t seed = 1;
  while (is_told(seed, objects.size())) ++seed;
  std::vector<std::pair<std::string, Tensor>> inputs;
  for (const auto& entry : system.parameters().entries()) {
    if (entry.learnt) inputs.emplace_back(entry.name, entry.tensor);
  }
  expect_slopes(inputs, [&] {
    Random random(seed);
    const SystemPass pass{Execution{&Threads::none()}, true, &random};
    const auto found = system.model().forward(batch, pass);
    return system.model().loss(found, truth, batch, Threads::none()).total;
  });
}

INSTANTIATE_TEST_SUITE_P(Systems, SystemGradient, test::every_system(), test::system_word);

}  // namespace
}  // namespace pmtr
