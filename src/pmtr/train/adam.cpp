// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/adam.h"

#include <cmath>

#include <torch/types.h>

#include "pmtr/core/check.h"

namespace pmtr {

Adam::Adam(std::vector<torch::Tensor> parameters, const AdamOptions& options)
    : parameters_(std::move(parameters)), options_(options) {
  for (const torch::Tensor& parameter : parameters_) {
    PMTR_CHECK(parameter.is_contiguous() && parameter.scalar_type() == torch::kFloat,
               "Adam works on contiguous floats");
    state_.mean.push_back(torch::zeros(parameter.sizes(), parameter.options().requires_grad(false)));
    state_.square.push_back(torch::zeros(parameter.sizes(), parameter.options().requires_grad(false)));
  }
}

void Adam::restore(State state) {
  PMTR_CHECK(state.mean.size() == parameters_.size() && state.square.size() == parameters_.size(),
             "a state of another network");
  state_ = std::move(state);
}

void Adam::step(std::span<const torch::Tensor> gradients, double learning_rate, Threads& threads) {
  PMTR_CHECK(gradients.size() == parameters_.size(), "one gradient per parameter");
  ++state_.steps;
  const auto steps = static_cast<double>(state_.steps);
  const double rate = learning_rate / (1.0 - std::pow(options_.beta1, steps));
  const double root_correction = std::sqrt(1.0 - std::pow(options_.beta2, steps));
  const auto beta1 = static_cast<float>(options_.beta1);
  const auto beta2 = static_cast<float>(options_.beta2);
  const auto rest1 = static_cast<float>(1.0 - options_.beta1);
  const auto rest2 = static_cast<float>(1.0 - options_.beta2);
  const auto epsilon = static_cast<float>(options_.epsilon * root_correction);
  const auto decay = static_cast<float>(options_.weight_decay);
  const auto scaled_rate = static_cast<float>(rate * root_correction);
  for (std::size_t k = 0; k < parameters_.size(); ++k) {
    if (!gradients[k].defined()) continue;
    const torch::Tensor gradient = gradients[k].contiguous();
    PMTR_CHECK(gradient.numel() == parameters_[k].numel(), "a gradient of another shape");
    const float* g = gradient.data_ptr<float>();
    float* p = parameters_[k].data_ptr<float>();
    float* m = state_.mean[k].data_ptr<float>();
    float* v = state_.square[k].data_ptr<float>();
    threads.parallel_for(gradient.numel(), 1 << 15, [=](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        // Without decay the bits are those of the gradient alone.
        const float slope = decay > 0.0F ? g[i] + decay * p[i] : g[i];
        m[i] = beta1 * m[i] + rest1 * slope;
        v[i] = beta2 * v[i] + rest2 * slope * slope;
        // m / (sqrt(v) / c + e) with both corrections moved out of the loop.
        p[i] -= scaled_rate * m[i] / (std::sqrt(v[i]) + epsilon);
      }
    });
  }
}

double gradient_norm(std::span<const torch::Tensor> gradients) {
  double sum = 0.0;
  for (const torch::Tensor& gradient : gradients) {
    if (!gradient.defined()) continue;
    const double norm = gradient.norm().item<double>();
    sum += norm * norm;
  }
  return std::sqrt(sum);
}

}  // namespace pmtr
