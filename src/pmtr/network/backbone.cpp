// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/backbone.h"

#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/network/break_embedding.h"
#include "pmtr/network/proxy_match_transform.h"
#include "pmtr/sample/surface_features.h"

namespace pmtr {

Backbone::Backbone(const ParameterScope& scope, const NetworkOptions& options) {
  using Level = ProxyMatchTransform::Level;
  matchers[0] = std::make_unique<ProxyMatchTransform>(scope / "pmt" / 0, 256, Level::fine, options.proxies);
  matchers[1] = std::make_unique<ProxyMatchTransform>(scope / "pmt" / 1, 128, Level::fine, options.proxies);
  residual = options.matcher_residual;

  const BlockKind kind{options.count_positive_neighbours, options.channel_norm};
  const auto encoder = scope / "encoders";
  // A strided block keeps the kernel of the finer level it reads from.
  const auto block = [&](int level, int index, std::int64_t in, std::int64_t out, int kernel_level) {
    const double scale = static_cast<double>(1 << kernel_level);
    encoders[static_cast<std::size_t>(level)].emplace_back(
        encoder / level / index, in, out, options.kernel_radius * scale, options.kernel_sigma * scale, kind);
  };
  std::int64_t inputs = 1;
  if (options.surface_input) inputs += SurfaceFeatures::width;
  if (options.break_cloud) inputs += BreakEmbedding::width;
  encoder00 = std::make_unique<ConvBlock>(encoder / 0 / 0, inputs, 64, options.kernel_radius,
                                          options.kernel_sigma, kind);
  encoders.resize(3);
  block(0, 1, 64, 128, 0);
  block(1, 0, 128, 128, 0);
  block(1, 1, 128, 256, 1);
  block(1, 2, 256, 256, 1);
  block(2, 0, 256, 256, 1);
  block(2, 1, 256, 512, 2);
  block(2, 2, 512, 512, 2);

  decoders.emplace_back(scope / "decoders" / 0, 512 + 256, 256, kind.groups(256), 0.1);
  decoders.emplace_back(scope / "decoders" / 1, 256 + 128, 128, 0, 1.0);
}

EncoderFeatures Backbone::encode(const PyramidBatch& batch, const Execution& execution) const {
  EncoderFeatures features;
  torch::Tensor x = torch::ones({batch.levels[0].points.size(0), 1}, batch.levels[0].points.options());
  const std::int64_t inputs = batch.inputs.defined() ? batch.inputs.size(1) : 0;
  PMTR_CHECK(encoder00->conv.weights.size(1) == 1 + inputs,
             "the network wants other inputs than the batch has");
  if (inputs > 0) x = torch::cat({x, batch.inputs}, 1);
  x = (*encoder00)(ConvolutionSite::at(batch, 0), x, execution);
  for (std::size_t level = 0; level < encoders.size(); ++level) {
    for (std::size_t i = 0; i < encoders[level].size(); ++i) {
      const bool strided = level > 0 && i == 0;
      const ConvolutionSite site =
          strided ? ConvolutionSite::down_to(batch, level) : ConvolutionSite::at(batch, level);
      x = encoders[level][i](site, x, execution);
    }
    features[level] = x;
  }
  return features;
}

torch::Tensor Backbone::match(std::size_t stage, const BatchLevel& level, const torch::Tensor& features,
                              const std::vector<Role>& roles, const Execution& execution) const {
  PMTR_CHECK(roles.size() == level.lengths.size(), "one role per fragment");
  std::vector<torch::Tensor> parts;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const FragmentRows rows = FragmentRows::of(level, i);
    const torch::Tensor own = features.narrow(0, rows.begin, rows.count);
    const torch::Tensor matched =
        matchers[stage]->transform(own, fine_match_site(level, i), roles[i], execution);
    parts.push_back(residual ? own + matched : matched);
  }
  return parts.size() == 1 ? parts[0] : torch::cat(parts, 0);
}

DecoderFeatures Backbone::decode(const PyramidBatch& batch, const EncoderFeatures& encoded,
                                 const std::vector<Role>& roles, const Execution& execution) const {
  return decode(batch, encoded, decode_shared(batch, encoded, execution), roles, execution);
}

torch::Tensor Backbone::decode_shared(const PyramidBatch& batch, const EncoderFeatures& encoded,
                                      const Execution& execution) const {
  return decoders[0].on_joined(encoded[2], batch.levels[1].up, encoded[1], execution);
}

DecoderFeatures Backbone::decode(const PyramidBatch& batch, const EncoderFeatures& encoded,
                                 const torch::Tensor& shared, const std::vector<Role>& roles,
                                 const Execution& execution) const {
  DecoderFeatures out;
  out.level1_before_match = shared;
  out.level1 = match(0, batch.levels[1], out.level1_before_match, roles, execution);
  out.level0_before_match = decoders[1].on_joined(out.level1, batch.levels[0].up, encoded[0], execution);
  out.fine = match(1, batch.levels[0], out.level0_before_match, roles, execution);
  return out;
}

}  // namespace pmtr
