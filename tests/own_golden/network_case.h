// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include <torch/types.h>

#include "own_golden/value_file.h"
#include "pmtr/core/stable_hash.h"
#include "pmtr/train/batch_gradient.h"

namespace pmtr::test {

/// The two networks that are compared: what the authors' release computes and what else ours can do.
/// Distances are taken as they are: by product they are mostly rounding error, which no two precisions share.
inline const std::vector<std::string> modes = {"reference", "default"};

inline NetworkOptions options_of(const std::string& mode) {
  NetworkOptions options = NetworkOptions::reference();
  options.distances_by_product = false;
  if (mode == "reference") return options;
  options.norm_scope = NormScope::fragment;
  options.count_positive_neighbours = false;
  options.surface_input = options.fracture_head = options.channel_norm = true;
  options.matcher_residual = options.centred_features = true;
  return options;
}

/// Every number is said here: these values must not change with what is thought best.
inline LossOptions losses_of(const std::string& mode) {
  LossOptions options = LossOptions::reference();
  options.coarse = options.fine = options.fracture = 1.0;
  options.orthonormal = options.zero = 10.0;
  options.contrast = mode == "default";
  options.fracture_positive = 2.0;
  options.fine_radius = 0.05;
  return options;
}

/// Numbers in [-1, 1) that depend on a name alone, so that neither the order in which a network makes its
/// parameters nor how it fills them matters here.
inline torch::Tensor numbers_of(const std::string& name, at::IntArrayRef shape) {
  torch::Tensor out = torch::empty(shape);
  Random random(stable_hash(name));
  for (std::int64_t i = 0; i < out.numel(); ++i)
    out.data_ptr<float>()[i] = static_cast<float>(random.uniform(-1.0, 1.0));
  return out;
}

/// Every weight is something else than what a new network has: a bias that is 0 could be forgotten, and an
/// attention that is the same everywhere has no gradient.
inline torch::Tensor weights_of(const std::string& name, const std::string& seed, const torch::Tensor& like) {
  const torch::Tensor numbers = numbers_of(seed + name, like.sizes());
  const bool attention = name.find("att") != std::string::npos;
  if (like.dim() == 0) return 0.7 + 0.1 * numbers;
  if (like.dim() == 1) return name.ends_with("norm.weight") ? 1.0 + 0.2 * numbers : 0.1 * numbers;
  if (attention) return (like.size(1) == 1 ? 20.0 : 3.0) * numbers;
  return numbers / std::sqrt(static_cast<double>(like.size(1)));
}

/// Kernel points are buffers and stand in the file, as does the seed.
inline PmtrNetwork make_network(const std::string& mode, const ValueFile& values) {
  auto network = PmtrNetwork::create(options_of(mode), 0);
  if (!network.ok()) throw std::runtime_error(network.error().text());
  const torch::NoGradGuard no_grad;
  for (const auto& entry : network->parameters().entries()) {
    if (entry.learnt) {
      entry.tensor.copy_(weights_of(entry.name, values.file().metadata.at("seed"), entry.tensor));
    } else {
      const std::vector<float> points = values.get<float>("buffer." + entry.name);
      std::memcpy(entry.tensor.data_ptr<float>(), points.data(), points.size() * sizeof(float));
    }
  }
  return *std::move(network);
}

inline std::vector<Eigen::Vector3f> points_of(const ValueFile& values, const std::string& name) {
  const std::vector<float> flat = values.get<float>(name);
  std::vector<Eigen::Vector3f> points(flat.size() / 3);
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = Eigen::Map<const Eigen::Vector3f>(&flat[3 * i]);
  return points;
}

/// A fragment from its stored points and surface features, so that neither sampling nor features matter here.
inline FragmentSample make_fragment(const ValueFile& pair, const std::string& name,
                                    const NetworkOptions& options) {
  FragmentSample fragment;
  const auto points = points_of(pair, name + ".points");
  fragment.input.pyramid = *build_pyramid(points, options.pyramid, Threads::none());
  const std::vector<float> features = pair.get<float>(name + ".features");
  if (options.surface_input) {
    fragment.input.pyramid.inputs = features;
    fragment.input.pyramid.input_channels = SurfaceFeatures::width;
  }
  if (options.fracture_head) {
    fragment.input.dense.features = {static_cast<std::int64_t>(points.size()), features};
    fragment.input.dense.nearest.resize(points.size());
    std::iota(fragment.input.dense.nearest.begin(), fragment.input.dense.nearest.end(), 0);
    fragment.fracture = pair.get<float>(name + ".broken");
  }
  return fragment;
}

inline PairSample make_sample(const ValueFile& pair, const NetworkOptions& options) {
  PairSample sample{make_fragment(pair, "source", options), make_fragment(pair, "target", options), {}};
  PairTruthOptions truth;
  truth.radius = 0.02;
  truth.min_overlap = 0.1;
  truth.superpoint_pairs = 100'000;  // all of them, so that nothing is drawn
  Random random(0);
  sample.truth = find_pair_truth(sample.source.input.pyramid, sample.target.input.pyramid,
                                 points_of(pair, "source.assembled"), points_of(pair, "target.assembled"),
                                 truth, random, Threads::none());
  return sample;
}

/// What is compared, by name. Tensors of the two fragments of a pair stand one behind the other.
using Features = std::map<std::string, torch::Tensor>;

inline Features name_features(const NetworkOutput& output) {
  return {{"encoder0", output.encoded[0]},     {"encoder1", output.encoded[1]},
          {"encoder2", output.encoded[2]},     {"level1_before_match", output.decoded.level1_before_match},
          {"level1", output.decoded.level1},   {"fine", output.decoded.fine},
          {"coarse", output.coarse_normalised}};
}

/// Four sums over the channels with random signs: a thirtieth of the numbers, and all of them matter.
inline torch::Tensor digest(const torch::Tensor& features) {
  const torch::Tensor wide = features.detach().to(torch::kDouble);
  if (wide.dim() == 1) return wide.unsqueeze(1);
  const torch::Tensor signs = numbers_of("channels", {wide.size(1), 4}).sign().to(torch::kDouble);
  return torch::matmul(wide, signs);
}

/// How far one gradient is from another, over its length. Of gradients that are next to nothing beside the
/// longest rounding leaves less; those below a millionth of it, of a bias before a norm, are rounding alone
/// and are not compared.
struct GradientScale {
  double longest = 0.0;

  explicit GradientScale(std::span<const double> rows) {
    for (std::size_t i = 0; i < rows.size(); i += 3) longest = std::max(longest, rows[i]);
  }
  bool is_rounding(double length) const { return length < 1e-6 * longest; }
  double away(double found, double golden, double length) const {
    return std::abs(found - golden) / std::max(length, 1e-4 * longest);
  }
};

/// Length of a gradient and two sums of it with random signs, which are about as large.
inline std::array<double, 3> gradient_digest(const std::string& name, const torch::Tensor& gradient) {
  if (!gradient.defined()) return {0.0, 0.0, 0.0};
  const torch::Tensor wide = gradient.detach().to(torch::kDouble);
  const auto sum = [&](const char* which) {
    return (wide * numbers_of(name + which, wide.sizes()).sign()).sum().item<double>();
  };
  return {wide.norm().item<double>(), sum("+"), sum("-")};
}

}  // namespace pmtr::test
