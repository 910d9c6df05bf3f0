// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/fused_ops.h"

#include <cstring>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/kernels/attention_edges.h"
#include "pmtr/kernels/edge_pool.h"
#include "pmtr/kernels/gather.h"
#include "pmtr/kernels/group_norm.h"
#include "pmtr/kernels/kpconv.h"
#include "pmtr/kernels/linear.h"
#include "pmtr/kernels/pmt_attention.h"
#include "pmtr/kernels/point_norm.h"
#include "pmtr/network/tensor_view.h"

namespace pmtr::fused {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

/// A tensor to receive a gradient, or none where it is not wanted.
Tensor gradient_like(const AutogradContext* ctx, std::size_t input, const Tensor& tensor) {
  return ctx->needs_input_grad(input) ? torch::empty_like(tensor, torch::MemoryFormat::Contiguous) : Tensor();
}

// The team outlives every graph that is made with it: it is set up once, in main.
void keep_threads(AutogradContext* ctx, Threads& threads) {
  ctx->saved_data["threads"] = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(&threads));
}
Threads& kept_threads(AutogradContext* ctx) {
  return *reinterpret_cast<Threads*>(static_cast<std::intptr_t>(ctx->saved_data["threads"].toInt()));
}

bool wants_gradient(const Tensor& a, const Tensor& b = {}, const Tensor& c = {}) {
  const auto asks = [](const Tensor& t) { return t.defined() && t.requires_grad(); };
  return torch::GradMode::is_enabled() && (asks(a) || asks(b) || asks(c));
}

kernels::Kpconv<float> kpconv_of(const Tensor& queries, const Tensor& supports, const Tensor& table,
                                 const Tensor& features, const Tensor& kernel_points, const Tensor& weights,
                                 const Tensor& bias, double sigma, bool count_positive) {
  kernels::Kpconv<float> conv;
  conv.queries = queries.size(0);
  conv.supports = supports.size(0);
  conv.width = table.size(1);
  conv.kernel_points = kernel_points.size(0);
  conv.channels_in = weights.size(1);
  conv.channels_out = weights.size(2);
  conv.query_positions = view(queries);
  conv.support_positions = view(supports);
  conv.neighbours = view<std::int32_t>(table);
  conv.kernel_point_positions = view(kernel_points);
  conv.sigma = static_cast<float>(sigma);
  conv.features = view(features);
  conv.weights = view(weights);
  conv.bias = view(bias);
  conv.count_all_neighbours = !count_positive;
  return conv;
}

struct KpconvFunction : torch::autograd::Function<KpconvFunction> {
  static Tensor forward(AutogradContext* ctx, const Tensor& features, const Tensor& weights,
                        const Tensor& bias, const Tensor& queries, const Tensor& supports,
                        const Tensor& table, const Tensor& kernel_points, double sigma, bool count_positive,
                        bool keep, Threads* threads) {
    const auto conv =
        kpconv_of(queries, supports, table, features, kernel_points, weights, bias, sigma, count_positive);
    Tensor out = torch::empty({conv.queries, conv.channels_out}, features.options());
    Tensor aggregate;
    if (keep)
      aggregate = torch::empty({conv.queries, conv.kernel_points * conv.channels_in}, features.options());
    kernels::kpconv_forward<float>(conv, mutable_view(out), mutable_view(aggregate), *threads);
    if (keep) {
      ctx->save_for_backward({features, weights, bias, queries, supports, table, kernel_points, aggregate});
      ctx->saved_data["sigma"] = sigma;
      ctx->saved_data["count_positive"] = count_positive;
      keep_threads(ctx, *threads);
    }
    return out;
  }

  static tensor_list backward(AutogradContext* ctx, const tensor_list& grads) {
    const auto saved = ctx->get_saved_variables();
    const auto conv =
        kpconv_of(saved[3], saved[4], saved[5], saved[0], saved[6], saved[1], saved[2],
                  ctx->saved_data["sigma"].toDouble(), ctx->saved_data["count_positive"].toBool());
    const Tensor d_out = grads[0].contiguous();
    tensor_list result(11);
    for (std::size_t i = 0; i < 3; ++i) result[i] = gradient_like(ctx, i, saved[i]);
    kernels::kpconv_backward<float>(
        conv, view(d_out), view(saved[7]),
        {mutable_view(result[0]), mutable_view(result[1]), mutable_view(result[2])}, kept_threads(ctx));
    return result;
  }
};

kernels::GatherTable table_of(const Tensor& table, std::int64_t supports) {
  return {table.size(0), supports, table.dim() == 2 ? table.size(1) : 1, view<std::int32_t>(table)};
}

struct MaxPoolFunction : torch::autograd::Function<MaxPoolFunction> {
  static Tensor forward(AutogradContext* ctx, const Tensor& features, const Tensor& table, bool keep,
                        Threads* threads) {
    const std::int64_t channels = features.size(1);
    Tensor out = torch::empty({table.size(0), channels}, features.options());
    Tensor winner;
    if (keep) winner = torch::empty({table.size(0), channels}, table.options());
    kernels::max_pool_forward<float>(table_of(table, features.size(0)), view(features), channels,
                                     mutable_view(out), mutable_view<std::int32_t>(winner), *threads);
    if (keep) {
      ctx->save_for_backward({table, winner});
      ctx->saved_data["supports"] = features.size(0);
      keep_threads(ctx, *threads);
    }
    return out;
  }

  static tensor_list backward(AutogradContext* ctx, const tensor_list& grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor d_out = grads[0].contiguous();
    const std::int64_t supports = ctx->saved_data["supports"].toInt();
    Tensor d_features = torch::empty({supports, d_out.size(1)}, d_out.options());
    kernels::max_pool_backward<float>(table_of(saved[0], supports), view<std::int32_t>(saved[1]), view(d_out),
                                      d_out.size(1), mutable_view(d_features), kept_threads(ctx));
    return {d_features, Tensor(), Tensor(), Tensor()};
  }
};

kernels::EdgePool<float> edge_pool_of(const Tensor& from, const Tensor& to, const Tensor& table,
                                      const Tensor& edges, const Tensor& weight) {
  kernels::EdgePool<float> pool;
  pool.table = table_of(table, from.size(0));
  pool.channels = from.size(1);
  pool.from = view(from);
  pool.to = view(to);
  pool.edges = view(edges);
  pool.weight = view(weight);
  return pool;
}

struct EdgePoolFunction : torch::autograd::Function<EdgePoolFunction> {
  static Tensor forward(AutogradContext* ctx, const Tensor& from, const Tensor& to, const Tensor& weight,
                        const Tensor& table, const Tensor& edges, Threads* threads) {
    Tensor out = torch::empty_like(to);
    const Tensor winner = torch::empty({to.size(0), to.size(1) / 2}, table.options());
    kernels::edge_pool_forward<float>(edge_pool_of(from, to, table, edges, weight), mutable_view(out),
                                      mutable_view<std::int32_t>(winner), *threads);
    ctx->save_for_backward({from, to, weight, table, edges, out, winner});
    keep_threads(ctx, *threads);
    return out;
  }

  static tensor_list backward(AutogradContext* ctx, const tensor_list& grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor d_out = grads[0].contiguous();
    tensor_list result(6);
    for (std::size_t i = 0; i < 3; ++i)
      result[i] = torch::empty_like(saved[i], torch::MemoryFormat::Contiguous);
    kernels::edge_pool_backward<float>(
        edge_pool_of(saved[0], saved[1], saved[3], saved[4], saved[2]), view(saved[5]),
        view<std::int32_t>(saved[6]), view(d_out),
        {mutable_view(result[0]), mutable_view(result[1]), mutable_view(result[2])}, kept_threads(ctx));
    return result;
  }
};

struct UpsampleFunction : torch::autograd::Function<UpsampleFunction> {
  static Tensor forward(AutogradContext* ctx, const Tensor& features, const Tensor& index, Threads* threads) {
    const std::int64_t channels = features.size(1);
    Tensor out = torch::empty({index.size(0), channels}, features.options());
    kernels::nearest_forward<float>(table_of(index, features.size(0)), view(features), channels,
                                    {out.data_ptr<float>(), channels}, false, *threads);
    ctx->save_for_backward({index});
    ctx->saved_data["supports"] = features.size(0);
    keep_threads(ctx, *threads);
    return out;
  }

  static tensor_list backward(AutogradContext* ctx, const tensor_list& grads) {
    const Tensor index = ctx->get_saved_variables()[0];
    const Tensor d_out = grads[0].contiguous();
    const std::int64_t supports = ctx->saved_data["supports"].toInt();
    Tensor d_features = torch::empty({supports, d_out.size(1)}, d_out.options());
    kernels::nearest_backward<float>(table_of(index, supports), {d_out.data_ptr<float>(), d_out.size(1)},
                                     d_out.size(1), mutable_view(d_features), kept_threads(ctx));
    return {d_features, Tensor(), Tensor()};
  }
};

kernels::GroupNorm<float> group_norm_of(const Tensor& x, std::int64_t groups, const Tensor& weight,
                                        const Tensor& bias, double slope) {
  kernels::GroupNorm<float> norm;
  norm.rows = x.size(0);
  norm.channels = x.size(1);
  norm.groups = groups;
  norm.slope = static_cast<float>(slope);
  norm.gamma = view(weight);
  norm.beta = view(bias);
  return norm;
}

struct GroupNormFunction : torch::autograd::Function<GroupNormFunction> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& weight, const Tensor& bias,
                        const Tensor& shortcut, std::int64_t groups, double slope, Threads* threads) {
    Tensor out = torch::empty_like(x);
    Tensor statistics = torch::empty({2, groups}, x.options());
    kernels::group_norm_forward<float>(group_norm_of(x, groups, weight, bias, slope), view(x), view(shortcut),
                                       mutable_view(out),
                                       {mutable_view(statistics[0]), mutable_view(statistics[1])}, *threads);
    ctx->save_for_backward({x, weight, bias, out, statistics});
    ctx->saved_data["groups"] = groups;
    ctx->saved_data["slope"] = slope;
    ctx->saved_data["shortcut"] = shortcut.numel() > 0;
    keep_threads(ctx, *threads);
    return out;
  }

  static tensor_list backward(AutogradContext* ctx, const tensor_list& grads) {
    const auto saved = ctx->get_saved_variables();
    const auto norm = group_norm_of(saved[0], ctx->saved_data["groups"].toInt(), saved[1], saved[2],
                                    ctx->saved_data["slope"].toDouble());
    const Tensor d_out = grads[0].contiguous();
    tensor_list result(7);
    for (std::size_t i = 0; i < 3; ++i) result[i] = gradient_like(ctx, i, saved[i]);
    if (ctx->saved_data["shortcut"].toBool()) result[3] = gradient_like(ctx, 3, saved[0]);
    const Tensor mean = saved[4][0];
    const Tensor rstd = saved[4][1];
    kernels::group_norm_backward<float>(
        norm, view(saved[0]), view(saved[3]), {view(mean), view(rstd)}, view(d_out),
        {mutable_view(result[0]), mutable_view(result[1]), mutable_view(result[2]), mutable_view(result[3])},
        kept_threads(ctx));
    return result;
  }
};

kernels::Linear<float> linear_of(const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return {x.numel() / weight.size(1), weight.size(1), weight.size(0), view(x), view(weight), view(bias)};
}

struct LinearFunction : torch::autograd::Function<LinearFunction> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& weight, const Tensor& bias,
                        Threads* threads) {
    auto shape = x.sizes().vec();
    shape.back() = weight.size(0);
    Tensor y = torch::empty(shape, x.options());
    kernels::linear_forward<float>(linear_of(x, weight, bias), mutable_view(y), *threads);
    ctx->save_for_backward({x, weight, bias});
    keep_threads(ctx, *threads);
    return y;
  }

  static tensor_list backward(AutogradContext* ctx, const tensor_list& grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor d_y = grads[0].contiguous();
    tensor_list result(4);
    for (std::size_t i = 0; i < 3; ++i) result[i] = gradient_like(ctx, i, saved[i]);
    kernels::linear_backward<float>(
        linear_of(saved[0], saved[1], saved[2]), view(d_y),
        {mutable_view(result[0]), mutable_view(result[1]), mutable_view(result[2])}, kept_threads(ctx));
    return result;
  }
};

kernels::PmtAttentionMlp<float> mlp_of(const Tensor& hidden_weight, const Tensor& hidden_bias,
                                       const Tensor& out_weight, const Tensor& out_bias) {
  PMTR_CHECK(hidden_weight.numel() == 4 && out_weight.numel() == 16, "the attention kernel has 4 heads");
  kernels::PmtAttentionMlp<float> mlp;
  std::memcpy(mlp.weight1, hidden_weight.data_ptr<float>(), sizeof mlp.weight1);
  std::memcpy(mlp.bias1, hidden_bias.data_ptr<float>(), sizeof mlp.bias1);
  std::memcpy(mlp.weight2, out_weight.data_ptr<float>(), sizeof mlp.weight2);
  std::memcpy(mlp.bias2, out_bias.data_ptr<float>(), sizeof mlp.bias2);
  return mlp;
}

Tensor tensor_of(const float* values, torch::IntArrayRef shape) {
  Tensor tensor = torch::empty(shape, torch::kFloat);
  std::memcpy(tensor.data_ptr<float>(), values, static_cast<std::size_t>(tensor.numel()) * sizeof(float));
  return tensor;
}

struct AttentionFunction : torch::autograd::Function<AttentionFunction> {
  static Tensor forward(AutogradContext* ctx, const Tensor& values, const Tensor& hidden_weight,
                        const Tensor& hidden_bias, const Tensor& out_weight, const Tensor& out_bias,
                        const Tensor& distances, const Tensor& table, Threads* threads) {
    const auto edges =
        kernels::AttentionEdges::table(table.size(0), table.size(1), table.data_ptr<std::int32_t>());
    const std::int64_t width = values.numel() / std::max<std::int64_t>(1, values.size(0));
    Tensor attention = torch::empty({table.size(0), table.size(1), kernels::pmt_heads}, values.options());
    Tensor out = torch::empty_like(values);
    kernels::pmt_attention_forward<float>(
        edges, view(distances), mlp_of(hidden_weight, hidden_bias, out_weight, out_bias), view(values), width,
        *threads, mutable_view(attention), mutable_view(out));
    ctx->save_for_backward(
        {values, hidden_weight, hidden_bias, out_weight, out_bias, distances, table, attention});
    keep_threads(ctx, *threads);
    return out;
  }

  static tensor_list backward(AutogradContext* ctx, const tensor_list& grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor& values = saved[0];
    const Tensor& table = saved[6];
    const auto edges =
        kernels::AttentionEdges::table(table.size(0), table.size(1), table.data_ptr<std::int32_t>());
    const std::int64_t width = values.numel() / std::max<std::int64_t>(1, values.size(0));
    const Tensor d_out = grads[0].contiguous();
    Tensor d_values = torch::empty_like(values);
    const auto d_mlp = kernels::pmt_attention_backward<float>(
        edges, kernels::invert_edges(edges), view(saved[5]), mlp_of(saved[1], saved[2], saved[3], saved[4]),
        view(saved[7]), view(values), width, view(d_out), kept_threads(ctx), mutable_view(d_values));
    return {d_values,
            tensor_of(d_mlp.weight1, saved[1].sizes()),
            tensor_of(d_mlp.bias1, saved[2].sizes()),
            tensor_of(&d_mlp.weight2[0][0], saved[3].sizes()),
            tensor_of(d_mlp.bias2, saved[4].sizes()),
            Tensor(),
            Tensor(),
            Tensor()};
  }
};

kernels::PointNormShape point_norm_shape(const Tensor& x, double slope) {
  kernels::PointNormShape shape;
  shape.factors = x.size(1);
  shape.channels = x.size(2);
  shape.slope = slope;
  return shape;
}

struct FactorNormFunction : torch::autograd::Function<FactorNormFunction> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& weight, const Tensor& bias,
                        double slope, Threads* threads) {
    Tensor out = torch::empty_like(x);
    kernels::point_norm_forward<float>(point_norm_shape(x, slope), view(x), view(weight), view(bias),
                                       *threads, mutable_view(out));
    ctx->save_for_backward({x, weight, bias});
    ctx->saved_data["slope"] = slope;
    keep_threads(ctx, *threads);
    return out;
  }

  static tensor_list backward(AutogradContext* ctx, const tensor_list& grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor d_out = grads[0].contiguous();
    Tensor d_x = torch::empty_like(saved[0]);
    Tensor d_weight = torch::empty_like(saved[1]);
    Tensor d_bias = torch::empty_like(saved[2]);
    kernels::point_norm_backward<float>(point_norm_shape(saved[0], ctx->saved_data["slope"].toDouble()),
                                        view(saved[0]), view(saved[1]), view(saved[2]), view(d_out),
                                        kept_threads(ctx), mutable_view(d_x), mutable_view(d_weight),
                                        mutable_view(d_bias));
    return {d_x, d_weight, d_bias, Tensor(), Tensor()};
  }
};

struct L2NormaliseFunction : torch::autograd::Function<L2NormaliseFunction> {
  static Tensor forward(AutogradContext* ctx, const Tensor& x, Threads* threads) {
    Tensor out = torch::empty_like(x);
    kernels::l2_normalise_forward<float>(view(x), x.size(-1), *threads, mutable_view(out));
    ctx->save_for_backward({x});
    keep_threads(ctx, *threads);
    return out;
  }

  static tensor_list backward(AutogradContext* ctx, const tensor_list& grads) {
    const Tensor x = ctx->get_saved_variables()[0];
    const Tensor d_out = grads[0].contiguous();
    Tensor d_x = torch::empty_like(x);
    kernels::l2_normalise_backward<float>(view(x), x.size(-1), view(d_out), kept_threads(ctx),
                                          mutable_view(d_x));
    return {d_x, Tensor()};
  }
};

}  // namespace

Tensor kpconv(const Tensor& queries, const Tensor& supports, const Tensor& table, const Tensor& features,
              const Tensor& kernel_points, double sigma, const Tensor& weights, const Tensor& bias,
              bool count_positive_neighbours, Threads& threads) {
  return KpconvFunction::apply(features.contiguous(), weights, bias, queries.contiguous(),
                               supports.contiguous(), table.contiguous(), kernel_points, sigma,
                               count_positive_neighbours, wants_gradient(features, weights, bias), &threads);
}

Tensor max_pool(const Tensor& features, const Tensor& table, Threads& threads) {
  return MaxPoolFunction::apply(features.contiguous(), table.contiguous(), wants_gradient(features),
                                &threads);
}

Tensor edge_pool(const Tensor& from, const Tensor& to, const Tensor& table, const Tensor& edges,
                 const Tensor& weight, Threads& threads) {
  return EdgePoolFunction::apply(from.contiguous(), to.contiguous(), weight.contiguous(), table.contiguous(),
                                 edges.contiguous(), &threads);
}

Tensor upsample(const Tensor& features, const Tensor& index, Threads& threads) {
  return UpsampleFunction::apply(features.contiguous(), index.contiguous(), &threads);
}

Tensor group_norm(const Tensor& x, std::int64_t groups, const Tensor& weight, const Tensor& bias,
                  const Tensor& shortcut, double slope, Threads& threads) {
  return GroupNormFunction::apply(x.contiguous(), weight, bias,
                                  shortcut.defined() ? shortcut.contiguous() : torch::empty({0}, x.options()),
                                  groups, slope, &threads);
}

Tensor linear(const Tensor& x, const Tensor& weight, const Tensor& bias, Threads& threads) {
  return LinearFunction::apply(x.contiguous(), weight.contiguous(), bias.contiguous(), &threads);
}

Tensor neighbour_attention(const Tensor& values, const Tensor& distances, const Tensor& table,
                           const Tensor& hidden_weight, const Tensor& hidden_bias, const Tensor& out_weight,
                           const Tensor& out_bias, Threads& threads) {
  return AttentionFunction::apply(values.contiguous(), hidden_weight, hidden_bias, out_weight, out_bias,
                                  distances.contiguous(), table.contiguous(), &threads);
}

Tensor factor_norm(const Tensor& x, const Tensor& weight, const Tensor& bias, double slope,
                   Threads& threads) {
  return FactorNormFunction::apply(x.contiguous(), weight, bias, slope, &threads);
}

Tensor l2_normalise(const Tensor& x, Threads& threads) {
  return L2NormaliseFunction::apply(x.contiguous(), &threads);
}

}  // namespace pmtr::fused
