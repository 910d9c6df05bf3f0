// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The kernels behind autograd against the composition of ATen operators: values and gradients.
#include "pmtr/network/ops.h"

#include <functional>
#include <vector>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "pmtr/network/parameters.h"

namespace pmtr {
namespace {

class Ops : public testing::Test {
 protected:
  torch::Tensor values(std::vector<std::int64_t> shape) {
    return uniform_tensor(random_, std::move(shape), 1.0);
  }

  /// Neighbour indices into `supports` rows, some of them missing.
  torch::Tensor table(std::int64_t rows, std::int64_t width, std::int64_t supports) {
    torch::Tensor t = torch::empty({rows, width}, torch::kInt);
    auto* out = t.data_ptr<std::int32_t>();
    for (std::int64_t i = 0; i < t.numel(); ++i) {
      out[i] = static_cast<std::int32_t>(random_.below(static_cast<std::uint64_t>(supports) + 1));
    }
    return t;
  }

  using Operation = std::function<torch::Tensor(const std::vector<torch::Tensor>&, const Execution&)>;

  /// Runs both ways and compares the output and the gradient of every input.
  void compare(const std::vector<torch::Tensor>& inputs, const Operation& operation) {
    std::vector<torch::Tensor> results[2];
    torch::Tensor direction;
    for (const bool composed : {true, false}) {
      std::vector<torch::Tensor> leaves;
      for (const auto& input : inputs) leaves.push_back(input.clone().set_requires_grad(true));
      const torch::Tensor out = operation(leaves, Execution{&threads_, composed});
      if (!direction.defined()) direction = values(out.sizes().vec());
      (out * direction).sum().backward();
      auto& result = results[composed ? 0 : 1];
      result.push_back(out.detach());
      for (const auto& leaf : leaves) result.push_back(leaf.grad());
    }
    for (std::size_t i = 0; i < results[0].size(); ++i) {
      ASSERT_TRUE(results[1][i].defined()) << i;
      // The floor is for gradients that are zero but for rounding, such as that of a bias before a softmax.
      const double size = results[0][i].abs().max().item<double>();
      const double difference = (results[0][i] - results[1][i]).abs().max().item<double>();
      EXPECT_LE(difference, 2e-5 * std::max(size, 0.02)) << (i == 0 ? "output" : "gradient of input ") << i;
    }
  }

  Random random_{11};
  Threads threads_{2};
};

TEST_F(Ops, kpconv) {
  for (const std::int64_t channels : {1, 5, 32}) {
    const torch::Tensor queries = values({40, 3});
    const torch::Tensor supports = values({50, 3});
    const torch::Tensor neighbours = table(40, 9, 50);
    const torch::Tensor kernel_points = values({15, 3});
    for (const bool count_positive : {true, false}) {
      compare({values({50, channels}), values({15, channels, 12}), values({12})},
              [&](const auto& x, const Execution& e) {
                return ops::kpconv(queries, supports, neighbours, x[0], kernel_points, 1.2, x[1], x[2],
                                   count_positive, e);
              });
    }
  }
}

TEST_F(Ops, max_pool) {
  const torch::Tensor neighbours = table(30, 6, 50);
  compare({values({50, 7})},
          [&](const auto& x, const Execution& e) { return ops::max_pool(x[0], neighbours, e); });
}

TEST_F(Ops, upsample) {
  const torch::Tensor index = table(60, 1, 20).flatten();
  compare({values({20, 9})},
          [&](const auto& x, const Execution& e) { return ops::upsample(x[0], index, e); });
}

TEST_F(Ops, group_norm_with_activation_and_shortcut) {
  compare(
      {values({33, 64}), values({64}), values({64}), values({33, 64})},
      [](const auto& x, const Execution& e) { return ops::group_norm(x[0], 32, x[1], x[2], x[3], 0.1, e); });
  compare({values({33, 12}), values({12}), values({12})},
          [](const auto& x, const Execution& e) { return ops::group_norm(x[0], 4, x[1], x[2], {}, 1.0, e); });
}

TEST_F(Ops, linear_on_the_last_dimension) {
  compare({values({10, 3, 8}), values({5, 8}), values({5})},
          [](const auto& x, const Execution& e) { return ops::linear(x[0], x[1], x[2], e); });
}

TEST_F(Ops, neighbour_attention) {
  torch::Tensor neighbours = table(25, 7, 25);
  neighbours.select(1, 0).copy_(torch::arange(25, torch::kInt));  // a point is its own neighbour, at least
  const torch::Tensor distances = values({25, 7}).abs();
  compare({values({25, 12, 4}), values({4, 1}), values({4}), values({4, 4}), values({4})},
          [&](const auto& x, const Execution& e) {
            return ops::neighbour_attention(x[0], distances, neighbours, x[1], x[2], x[3], x[4], e);
          });
}

TEST_F(Ops, factor_norm) {
  compare({values({20, 8, 16}), values({16}), values({16})},
          [](const auto& x, const Execution& e) { return ops::factor_norm(x[0], x[1], x[2], 0.01, e); });
}

TEST_F(Ops, edge_pool) {
  const torch::Tensor neighbours = table(40, 6, 25);
  const torch::Tensor edges = values({40, 6, 8});
  compare({values({25, 32}), values({40, 32}), values({8, 32})}, [&](const auto& x, const Execution& e) {
    return ops::edge_pool(x[0], x[1], neighbours, edges, x[2], e);
  });
}

TEST_F(Ops, l2_normalise) {
  compare({values({20, 6, 16})},
          [](const auto& x, const Execution& e) { return ops::l2_normalise(x[0], e); });
}

TEST_F(Ops, gradients_are_the_same_bytes_with_any_team) {
  const torch::Tensor queries = values({300, 3});
  const torch::Tensor neighbours = table(300, 12, 300);
  const torch::Tensor kernel_points = values({15, 3});
  const torch::Tensor features = values({300, 16});
  const torch::Tensor weights = values({15, 16, 16});
  const torch::Tensor bias = values({16});
  std::vector<torch::Tensor> gradients;
  for (const int count : {1, 2, 3}) {
    Threads team(count);
    const torch::Tensor leaf = features.clone().set_requires_grad(true);
    ops::kpconv(queries, queries, neighbours, leaf, kernel_points, 1.0, weights, bias, true, Execution{&team})
        .square()
        .sum()
        .backward();
    gradients.push_back(leaf.grad());
  }
  EXPECT_TRUE(torch::equal(gradients[0], gradients[1]));
  EXPECT_TRUE(torch::equal(gradients[0], gradients[2]));
}

}  // namespace
}  // namespace pmtr
