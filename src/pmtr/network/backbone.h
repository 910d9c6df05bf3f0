// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "pmtr/network/encoder_blocks.h"
#include "pmtr/network/matcher.h"
#include "pmtr/network/network_options.h"

namespace pmtr {

/// Features of each level after the encoder: 128, 256 and 512 channels.
using EncoderFeatures = std::array<torch::Tensor, PyramidOptions::levels>;

/// Everything the decoder computes; `fine` is what matching uses.
struct DecoderFeatures {
  torch::Tensor level1_before_match;  // [n1, 256]
  torch::Tensor level1;               // [n1, 256]
  torch::Tensor level0_before_match;  // [n0, 128]
  torch::Tensor fine;                 // [n0, 128]
};

/// KPConv-FPN with the fine matchers inside its decoder.
struct Backbone {
  std::array<Matcher, 2> matchers;  ///< after decoder stage 0 (level 1) and 1 (level 0)
  std::unique_ptr<ConvBlock> encoder00;
  std::vector<std::vector<ResidualBlock>> encoders;  ///< per level; level 0 has one after encoder00
  std::vector<UnaryBlock> decoders;
  bool residual = false;  ///< NetworkOptions::matcher_residual

  Backbone(const ParameterScope& scope, const NetworkOptions& options);

  /// The same for both roles.
  EncoderFeatures encode(const PyramidBatch& batch, const Execution& execution) const;
  /// The part of the decoder before any matcher, the same for both roles: [n1, 256].
  torch::Tensor decode_shared(const PyramidBatch& batch, const EncoderFeatures& encoded,
                              const Execution& execution) const;
  /// The rest, one role per fragment of the batch.
  DecoderFeatures decode(const PyramidBatch& batch, const EncoderFeatures& encoded,
                         const torch::Tensor& shared, const std::vector<Role>& roles,
                         const Execution& execution) const;
  /// Both.
  DecoderFeatures decode(const PyramidBatch& batch, const EncoderFeatures& encoded,
                         const std::vector<Role>& roles, const Execution& execution) const;

  /// A fragment up to its first matcher.
  struct Undecoded {
    const PyramidBatch& batch;  ///< of this fragment alone
    const EncoderFeatures& encoded;
    const torch::Tensor& shared;
  };
  /// The rest for a source and a target that were encoded each by itself.
  std::array<DecoderFeatures, 2> decode_pair(const Undecoded& source, const Undecoded& target,
                                             const Execution& execution) const;

  /// The fine matcher after decoder stage `stage`, applied to each fragment in its role.
  torch::Tensor match(std::size_t stage, const BatchLevel& level, const torch::Tensor& features,
                      const std::vector<Role>& roles, const Execution& execution) const;
};

}  // namespace pmtr
