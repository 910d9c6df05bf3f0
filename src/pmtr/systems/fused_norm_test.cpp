// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The kernels of training against what torch composes, forward and gradient.
#include "pmtr/systems/fused_norm.h"

#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/types.h>

#include "pmtr/systems/layers.h"
#include "pmtr/systems/systems_test_support.h"
#include "pmtr/systems/vector_neurons.h"

namespace pmtr {
namespace {

using torch::Tensor;

/// The result, gradients of the input and of all parameters, and the buffers afterwards.
template <class Layer>
std::vector<Tensor> everything(const Layer& layer, const Parameters& parameters, const Tensor& input) {
  Tensor x = input.clone().requires_grad_();
  Random random(9);
  const SystemPass pass{Execution{&Threads::none()}, true, nullptr};
  const Tensor out = layer(x, pass);
  const Tensor weight = test::random_double(random, out.sizes().vec()).to(out.scalar_type());
  std::vector<Tensor> inputs = parameters.learnt();
  inputs.push_back(x);
  std::vector<Tensor> found = torch::autograd::grad({(out * weight).sum()}, inputs);
  found.push_back(out.detach());
  for (const auto& entry : parameters.entries()) {
    if (!entry.learnt) found.push_back(entry.tensor.clone());
  }
  return found;
}

/// float takes the kernel, double the operators of torch.
template <class Make>
void expect_equal_in_float_and_double(const Make& make, const Tensor& input) {
  std::vector<std::vector<Tensor>> found;
  for (const bool in_double : {false, true}) {
    Parameters parameters;
    Random random(3);
    const auto layer = make(ParameterScope(parameters, random));
    // A norm that does something.
    for (const auto& entry : parameters.entries()) {
      if (entry.name.ends_with("norm.weight") || entry.name == "weight" || entry.name.ends_with("bias"))
        entry.tensor.detach().add_(uniform_tensor(random, entry.tensor.sizes().vec(), 0.5));
    }
    if (in_double) test::to_double(parameters);
    found.push_back(everything(layer, parameters, in_double ? input : input.to(torch::kFloat)));
  }
  ASSERT_EQ(found[0].size(), found[1].size());
  for (std::size_t i = 0; i < found[0].size(); ++i) {
    const double size = found[1][i].abs().max().item<double>();
    EXPECT_LT((found[0][i].to(torch::kDouble) - found[1][i]).abs().max().item<double>(), 2e-5 * (1.0 + size))
        << i;
  }
}

TEST(FusedNorm, is_what_torch_composes) {
  Random random(1);
  for (const auto& [rows, channels] :
       {std::pair(2, 1), std::pair(37, 5), std::pair(300, 40), std::pair(1000, 3)}) {
    for (const double slope : {0.0, 0.2, 1.0}) {
      expect_equal_in_float_and_double(
          [&, c = channels](const ParameterScope& scope) {
            return [norm = BatchNorm(scope, c), slope](const Tensor& x, const SystemPass& pass) {
              return norm(x, pass, slope);
            };
          },
          test::random_double(random, {rows, channels}) + 2.0);
    }
  }
}

TEST(FusedVectorNorm, is_what_torch_composes) {
  Random random(2);
  for (const auto& [rows, in, out] : {std::tuple(5, 2, 3), std::tuple(300, 4, 21), std::tuple(700, 3, 6)}) {
    for (const bool one_direction : {false, true}) {
      expect_equal_in_float_and_double(
          [&, i = in, o = out](const ParameterScope& scope) {
            return VectorLayer(scope, i, o, one_direction);
          },
          test::random_double(random, {rows, 3, in}));
    }
  }
}

}  // namespace
}  // namespace pmtr
