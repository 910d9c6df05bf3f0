// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/backbone.h"

#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/network/break_embedding.h"
#include "pmtr/network/make_matcher.h"
#include "pmtr/sample/surface_features.h"

namespace pmtr {

Backbone::Backbone(const ParameterScope& scope, const NetworkOptions& options) {
  // Named after the reference's, whatever they are.
  matchers[0] = make_fine_matcher(scope / "pmt" / 0, 1, options);
  matchers[1] = make_fine_matcher(scope / "pmt" / 1, 0, options);
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
  return apply_matcher(
      matchers[stage], level, features, roles, [&](std::size_t i) { return fine_match_site(level, i); },
      residual, execution);
}

std::array<DecoderFeatures, 2> Backbone::decode_pair(const Undecoded& source, const Undecoded& target,
                                                     const Execution& execution) const {
  const auto match_both = [&](std::size_t stage, std::size_t level, const torch::Tensor& a,
                              const torch::Tensor& b) {
    return apply_matcher(
        matchers[stage],
        std::array{MatchSide{a, fine_match_site(source.batch.levels[level], 0), Role::source},
                   MatchSide{b, fine_match_site(target.batch.levels[level], 0), Role::target}},
        residual, execution);
  };
  std::array<DecoderFeatures, 2> out;
  const std::vector<torch::Tensor> middle = match_both(0, 1, source.shared, target.shared);
  for (std::size_t i = 0; i < 2; ++i) {
    const Undecoded& side = i == 0 ? source : target;
    out[i].level1_before_match = side.shared;
    out[i].level1 = middle[i];
    out[i].level0_before_match =
        decoders[1].on_joined(middle[i], side.batch.levels[0].up, side.encoded[0], execution);
  }
  const std::vector<torch::Tensor> fine =
      match_both(1, 0, out[0].level0_before_match, out[1].level0_before_match);
  for (std::size_t i = 0; i < 2; ++i) out[i].fine = fine[i];
  return out;
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
