// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cmath>
#include <cstdint>
#include <vector>

#include <torch/csrc/autograd/custom_function.h>
#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/systems/fused_norm.h"

namespace pmtr {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::tensor_list;

// Sums are made per chunk and then in the order of the chunks: the same bits with any number of threads.
constexpr std::int64_t vector_chunk = 256;
constexpr auto floor_square = static_cast<float>(least_square);

/// What one channel of one row is on the way to the result.
struct VectorValue {
  float f[3];  // feature
  float d[3];  // direction
  float length, normed, scale;
  float along, square;
};

struct VectorNormShape {
  std::int64_t rows, channels, directions;
  const float* features;
  const float* direction;
  const float* weight;
  const float* bias;
  const float* mean;
  const float* rstd;

  float length(std::int64_t row, std::int64_t c) const {
    const float* f = features + row * 3 * channels + c;
    return std::sqrt(f[0] * f[0] + f[channels] * f[channels] + f[2 * channels] * f[2 * channels] +
                     floor_square);
  }
  VectorValue at(std::int64_t row, std::int64_t c) const {
    VectorValue v;
    const float* f = features + row * 3 * channels + c;
    const float* d = direction + row * 3 * directions + (directions == 1 ? 0 : c);
    for (int i = 0; i < 3; ++i) {
      v.f[i] = f[i * channels];
      v.d[i] = d[i * directions];
    }
    v.length = std::sqrt(v.f[0] * v.f[0] + v.f[1] * v.f[1] + v.f[2] * v.f[2] + floor_square);
    v.normed = (v.length - mean[c]) * rstd[c];
    v.scale = (v.normed * weight[c] + bias[c]) / v.length;
    v.along = v.scale * (v.f[0] * v.d[0] + v.f[1] * v.d[1] + v.f[2] * v.d[2]);
    v.square = v.d[0] * v.d[0] + v.d[1] * v.d[1] + v.d[2] * v.d[2] + floor_square;
    return v;
  }
};

std::int64_t chunks_of(std::int64_t rows) { return (rows + vector_chunk - 1) / vector_chunk; }

/// Calls body(chunk, first row, end).
template <class Body>
void over_chunks(std::int64_t rows, Threads& threads, const Body& body) {
  threads.parallel_for(chunks_of(rows), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t chunk = begin; chunk < end; ++chunk)
      body(chunk, chunk * vector_chunk, std::min(rows, (chunk + 1) * vector_chunk));
  });
}

/// The sums of all chunks' [2, channels].
std::vector<double> add_chunks(const std::vector<double>& sums, std::int64_t chunks, std::int64_t channels) {
  std::vector<double> total(static_cast<std::size_t>(2 * channels));
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    for (std::int64_t c = 0; c < 2 * channels; ++c)
      total[static_cast<std::size_t>(c)] += sums[static_cast<std::size_t>(chunk * 2 * channels + c)];
  }
  return total;
}

/// Mean of lengths and 1 / root of their variance.
void length_statistics(const VectorNormShape& shape, float* mean, float* rstd, Threads& threads) {
  const std::int64_t channels = shape.channels;
  std::vector<double> sums(static_cast<std::size_t>(chunks_of(shape.rows) * 2 * channels));
  over_chunks(shape.rows, threads, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
    double* own = sums.data() + chunk * 2 * channels;
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::int64_t c = 0; c < channels; ++c) {
        const double length = shape.length(row, c);
        own[c] += length;
        own[channels + c] += length * length;
      }
    }
  });
  const std::vector<double> total = add_chunks(sums, chunks_of(shape.rows), channels);
  const auto count = static_cast<double>(shape.rows);
  for (std::int64_t c = 0; c < channels; ++c) {
    const double middle = total[static_cast<std::size_t>(c)] / count;
    const double square = total[static_cast<std::size_t>(channels + c)] / count;
    mean[c] = static_cast<float>(middle);
    rstd[c] = static_cast<float>(1.0 / std::sqrt(std::max(0.0, square - middle * middle) + norm_epsilon));
  }
}

VectorNormShape shape_of(const Tensor& features, const Tensor& directions, const Tensor& weight,
                         const Tensor& bias, const Tensor& mean, const Tensor& rstd) {
  return {features.size(0),
          features.size(2),
          directions.size(2),
          features.data_ptr<float>(),
          directions.data_ptr<float>(),
          weight.data_ptr<float>(),
          bias.data_ptr<float>(),
          mean.data_ptr<float>(),
          rstd.data_ptr<float>()};
}

/// The slope of the loss by the scaled feature and by the direction, given that by the result.
void turn_back(const VectorValue& v, const float* d_out, std::int64_t step, float removed, float* d_scaled,
               float* d_direction) {
  const float g[3] = {d_out[0], d_out[step], d_out[2 * step]};
  if (!(v.along < 0.0F)) {
    for (int i = 0; i < 3; ++i) {
      d_scaled[i] = g[i];
      d_direction[i] = 0.0F;
    }
    return;
  }
  const float share = removed / v.square;
  const float against = g[0] * v.d[0] + g[1] * v.d[1] + g[2] * v.d[2];
  for (int i = 0; i < 3; ++i) {
    d_scaled[i] = g[i] - share * against * v.d[i];
    d_direction[i] =
        -share * (against * v.scale * v.f[i] + v.along * g[i] - 2.0F * v.along * against / v.square * v.d[i]);
  }
}

struct VectorNormFunction : torch::autograd::Function<VectorNormFunction> {
  static tensor_list forward(AutogradContext* ctx, const Tensor& features, const Tensor& directions,
                             const Tensor& weight, const Tensor& bias, double removed, Threads* threads) {
    Tensor out = torch::empty_like(features);
    Tensor mean = torch::empty({features.size(2)}, features.options());
    Tensor rstd = torch::empty({features.size(2)}, features.options());
    const VectorNormShape shape = shape_of(features, directions, weight, bias, mean, rstd);
    length_statistics(shape, mean.data_ptr<float>(), rstd.data_ptr<float>(), *threads);
    auto* to = out.data_ptr<float>();
    const auto share = static_cast<float>(removed);
    over_chunks(shape.rows, *threads, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      for (std::int64_t row = begin; row < end; ++row) {
        for (std::int64_t c = 0; c < shape.channels; ++c) {
          const VectorValue v = shape.at(row, c);
          const float away = share * std::min(v.along, 0.0F) / v.square;
          for (std::int64_t i = 0; i < 3; ++i)
            to[(row * 3 + i) * shape.channels + c] = v.scale * v.f[i] - away * v.d[i];
        }
      }
    });
    ctx->save_for_backward({features, directions, weight, bias, mean, rstd});
    ctx->saved_data["removed"] = removed;
    // The team outlives every graph that is made with it.
    ctx->saved_data["threads"] = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(threads));
    ctx->mark_non_differentiable({mean, rstd});
    return {out, mean, rstd};
  }

  static tensor_list backward(AutogradContext* ctx, const tensor_list& grads) {
    const auto saved = ctx->get_saved_variables();
    const VectorNormShape shape = shape_of(saved[0], saved[1], saved[2], saved[3], saved[4], saved[5]);
    Threads& threads =
        *reinterpret_cast<Threads*>(static_cast<std::intptr_t>(ctx->saved_data["threads"].toInt()));
    const auto removed = static_cast<float>(ctx->saved_data["removed"].toDouble());
    const Tensor d_out = grads[0].contiguous();
    Tensor d_features = torch::empty_like(saved[0]);
    Tensor d_directions = torch::empty_like(saved[1]);
    const std::int64_t channels = shape.channels;
    const auto* from = d_out.data_ptr<float>();
    // First the sums that every row's gradient needs, then the gradients.
    std::vector<double> sums(static_cast<std::size_t>(chunks_of(shape.rows) * 2 * channels));
    over_chunks(shape.rows, threads, [&](std::int64_t chunk, std::int64_t begin, std::int64_t end) {
      double* own = sums.data() + chunk * 2 * channels;
      float d_scaled[3], d_direction[3];
      for (std::int64_t row = begin; row < end; ++row) {
        for (std::int64_t c = 0; c < channels; ++c) {
          const VectorValue v = shape.at(row, c);
          turn_back(v, from + row * 3 * channels + c, channels, removed, d_scaled, d_direction);
          const float d_normed =
              (d_scaled[0] * v.f[0] + d_scaled[1] * v.f[1] + d_scaled[2] * v.f[2]) / v.length;
          own[c] += static_cast<double>(d_normed);
          own[channels + c] += static_cast<double>(d_normed * v.normed);
        }
      }
    });
    const std::vector<double> total = add_chunks(sums, chunks_of(shape.rows), channels);
    auto* to_features = d_features.data_ptr<float>();
    auto* to_directions = d_directions.data_ptr<float>();
    const auto count = static_cast<double>(shape.rows);
    over_chunks(shape.rows, threads, [&](std::int64_t, std::int64_t begin, std::int64_t end) {
      float d_scaled[3], d_direction[3];
      for (std::int64_t row = begin; row < end; ++row) {
        float shared[3] = {0.0F, 0.0F, 0.0F};
        for (std::int64_t c = 0; c < channels; ++c) {
          const VectorValue v = shape.at(row, c);
          turn_back(v, from + row * 3 * channels + c, channels, removed, d_scaled, d_direction);
          const float d_scale = d_scaled[0] * v.f[0] + d_scaled[1] * v.f[1] + d_scaled[2] * v.f[2];
          const float d_normed = d_scale / v.length;
          const auto mean_normed = static_cast<float>(total[static_cast<std::size_t>(c)] / count);
          const auto mean_product = static_cast<float>(total[static_cast<std::size_t>(channels + c)] / count);
          const float d_length =
              shape.weight[c] * shape.rstd[c] * (d_normed - mean_normed - v.normed * mean_product) -
              d_normed * v.scale;
          for (std::int64_t i = 0; i < 3; ++i) {
            to_features[(row * 3 + i) * channels + c] = d_scaled[i] * v.scale + d_length * v.f[i] / v.length;
            if (shape.directions == 1) {
              shared[i] += d_direction[i];
            } else {
              to_directions[(row * 3 + i) * channels + c] = d_direction[i];
            }
          }
        }
        if (shape.directions == 1) std::copy_n(shared, 3, to_directions + row * 3);
      }
    });
    Tensor d_weight = torch::empty_like(saved[2]);
    Tensor d_bias = torch::empty_like(saved[3]);
    for (std::int64_t c = 0; c < channels; ++c) {
      d_bias.data_ptr<float>()[c] = static_cast<float>(total[static_cast<std::size_t>(c)]);
      d_weight.data_ptr<float>()[c] = static_cast<float>(total[static_cast<std::size_t>(channels + c)]);
    }
    return {d_features, d_directions, d_weight, d_bias, Tensor(), Tensor()};
  }
};

}  // namespace

FusedVectorNorm fused_vector_norm(const Tensor& features, const Tensor& directions, const Tensor& weight,
                                  const Tensor& bias, double removed, Threads& threads) {
  PMTR_CHECK(features.dim() == 3 && features.size(1) == 3 && directions.size(0) == features.size(0) &&
                 (directions.size(2) == 1 || directions.size(2) == features.size(2)),
             "features [rows, 3, channels] and a direction for each, or one for all");
  const tensor_list found = VectorNormFunction::apply(features.contiguous(), directions.contiguous(), weight,
                                                      bias, removed, &threads);
  return {found[0], found[1], found[2].pow(-2) - norm_epsilon};
}

}  // namespace pmtr
