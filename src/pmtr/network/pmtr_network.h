// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pmtr/network/backbone.h"
#include "pmtr/network/network_options.h"
#include "pmtr/network/parameters.h"

namespace pmtr {

/// What a pass over a batch gives, as tensors that carry gradients.
struct NetworkOutput {
  EncoderFeatures encoded;
  DecoderFeatures decoded;
  torch::Tensor coarse;             // [nodes, 512]
  torch::Tensor coarse_normalised;  // [nodes, 512], unit rows
};

/// The Proxy Match TransformeR. Parameter names are those of the authors' release.
class PmtrNetwork {
 public:
  /// Freshly initialised, by seed.
  static Result<PmtrNetwork> create(const NetworkOptions& options, std::uint64_t seed);
  /// With the weights and options of a file. Files without options (the authors') are read in reference mode.
  static Result<PmtrNetwork> load(const WeightFile& file, const std::string& name);

  /// Everything, from points to features. One role per fragment of the batch.
  NetworkOutput forward(const PyramidBatch& batch, const std::vector<Role>& roles,
                        const Execution& execution) const;
  /// The second half alone: what depends on the role.
  NetworkOutput forward(const PyramidBatch& batch, const EncoderFeatures& encoded,
                        const std::vector<Role>& roles, const Execution& execution) const;

  /// Superpoint features of each fragment in its role, not yet normalised.
  torch::Tensor match_coarse(const BatchLevel& level, const torch::Tensor& features,
                             const std::vector<Role>& roles, const Execution& execution) const;

  const NetworkOptions& options() const { return options_; }
  const Parameters& parameters() const { return *parameters_; }
  const Backbone& backbone() const { return *backbone_; }
  const Matcher& coarse_matcher() const { return *coarse_matcher_; }
  const torch::Tensor& dustbin_score() const { return dustbin_score_; }

  WeightFile save() const;

 private:
  PmtrNetwork(const NetworkOptions& options, std::uint64_t seed);

  NetworkOptions options_;
  std::unique_ptr<Parameters> parameters_;
  std::unique_ptr<Backbone> backbone_;
  torch::Tensor dustbin_score_;
  std::unique_ptr<Matcher> coarse_matcher_;
};

}  // namespace pmtr
