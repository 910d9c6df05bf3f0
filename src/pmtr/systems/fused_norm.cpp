// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/fused_norm.h"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include "pmtr/kernels/group_norm.h"
#include "pmtr/network/tensor_view.h"

namespace pmtr {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// A group norm in which every channel is a group.
kernels::GroupNorm<float> channel_norm_of(const Tensor& x, const Tensor& weight, const Tensor& bias,
                                          double epsilon, double slope) {
  kernels::GroupNorm<float> norm;
  norm.rows = x.size(0);
  norm.channels = norm.groups = x.size(1);
  norm.epsilon = static_cast<float>(epsilon);
  norm.slope = static_cast<float>(slope);
  norm.gamma = view(weight);
  norm.beta = view(bias);
  return norm;
}

struct ChannelNormFunction : torch::autograd::Function<ChannelNormFunction> {
  static tensor_list forward(AutogradContext* ctx, const Tensor& x, const Tensor& weight, const Tensor& bias,
                             double epsilon, double slope, Threads* threads) {
    Tensor out = torch::empty_like(x);
    Tensor mean = torch::empty({x.size(1)}, x.options());
    Tensor rstd = torch::empty({x.size(1)}, x.options());
    kernels::group_norm_forward<float>(channel_norm_of(x, weight, bias, epsilon, slope), view(x), {},
                                       mutable_view(out), {mutable_view(mean), mutable_view(rstd)}, *threads);
    ctx->save_for_backward({x, weight, bias, out, mean, rstd});
    ctx->saved_data["epsilon"] = epsilon;
    ctx->saved_data["slope"] = slope;
    // The team outlives every graph that is made with it.
    ctx->saved_data["threads"] = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(threads));
    ctx->mark_non_differentiable({mean, rstd});
    return {out, mean, rstd};
  }

  static tensor_list backward(AutogradContext* ctx, const tensor_list& grads) {
    const auto saved = ctx->get_saved_variables();
    const double slope = ctx->saved_data["slope"].toDouble();
    const auto norm =
        channel_norm_of(saved[0], saved[1], saved[2], ctx->saved_data["epsilon"].toDouble(), slope);
    const Tensor d_out = grads[0].contiguous();
    tensor_list result(6);
    for (std::size_t i = 0; i < 3; ++i) {
      if (ctx->needs_input_grad(i)) result[i] = torch::empty_like(saved[i]);
    }
    kernels::group_norm_backward<float>(
        norm, view(saved[0]), slope == 1.0 ? std::span<const float>{} : view(saved[3]),
        {view(saved[4]), view(saved[5])}, view(d_out),
        {mutable_view(result[0]), mutable_view(result[1]), mutable_view(result[2]), {}},
        *reinterpret_cast<Threads*>(static_cast<std::intptr_t>(ctx->saved_data["threads"].toInt())));
    return result;
  }
};

}  // namespace

FusedNorm fused_batch_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double epsilon,
                           double slope, Threads& threads) {
  const tensor_list found =
      ChannelNormFunction::apply(x.contiguous(), weight, bias, epsilon, slope, &threads);
  return {found[0], found[1], found[2].pow(-2) - epsilon};
}

}  // namespace pmtr
