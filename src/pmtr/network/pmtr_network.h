// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pmtr/network/backbone.h"
#include "pmtr/network/break_embedding.h"
#include "pmtr/network/break_network.h"
#include "pmtr/network/fracture_head.h"
#include "pmtr/network/network_options.h"
#include "pmtr/network/parameters.h"

namespace pmtr {

/// Points of a fragment at each level of its pyramid.
using LevelSizes = std::array<std::int64_t, PyramidOptions::levels>;
LevelSizes level_sizes(const Pyramid& pyramid);

/// In the metadata of a weight file: the name of the system (systems/) whose weights they are. Files of this
/// network do not have it.
inline constexpr const char* system_key = "system";

/// What is the same for both roles of a fragment.
struct SharedFeatures {
  EncoderFeatures encoded;
  torch::Tensor level1;  ///< [n1, 256], the decoder before its first matcher
};

/// A fragment before any matcher has seen it: nothing here depends on a partner.
struct Unmatched {
  PyramidBatch batch;  ///< of this fragment alone
  SharedFeatures shared;
  torch::Tensor described;  ///< the embedding of its breaks (NetworkOptions::break_cloud); else undefined
};

/// What a pass over a batch gives, as tensors that carry gradients.
struct NetworkOutput {
  EncoderFeatures encoded;
  DecoderFeatures decoded;
  torch::Tensor coarse;             // [superpoints, 512]
  torch::Tensor coarse_normalised;  // [superpoints, 512], unit rows
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
  /// What does not depend on the role: the encoder and the decoder up to the first matcher.
  SharedFeatures encode(const PyramidBatch& batch, const Execution& execution) const;
  /// The rest.
  NetworkOutput forward(const PyramidBatch& batch, const SharedFeatures& shared,
                        const std::vector<Role>& roles, const Execution& execution) const;

  /// Of a fragment's breaks in one role (NetworkOptions::break_cloud). `input` is not empty.
  NetworkOutput forward(const MatchInput& input, Role role, const Execution& execution) const;

  /// A fragment can be encoded without knowing its partner: norms and matchers see one at a time.
  bool encodes_alone() const;
  /// Both steps of encoding, apart: what a fragment is, and its features beside a partner's. In fragment
  /// scope. Where fragments can be encoded alone, a pair's features are the bits of each alone.
  Unmatched begin(const Pyramid& pyramid, const Execution& execution) const;
  Unmatched begin(const MatchInput& input, Role role, const Execution& execution) const;
  NetworkOutput finish(const Unmatched& fragment, Role role, const Execution& execution) const;
  std::array<NetworkOutput, 2> finish_pair(const Unmatched& source, const Unmatched& target,
                                           const Execution& execution) const;

  /// Bytes that matchers which look at all pairs of points need for two fragments with so many points at each
  /// level; 0 where there is none.
  double matcher_memory(const LevelSizes& source, const LevelSizes& target, bool training) const;

  /// Superpoint features of each fragment in its role, not yet normalised.
  torch::Tensor match_coarse(const BatchLevel& level, const torch::Tensor& features,
                             const std::vector<Role>& roles, const Execution& execution) const;

  const NetworkOptions& options() const { return options_; }
  const Parameters& parameters() const { return *parameters_; }
  const Backbone& backbone() const { return *backbone_; }
  const Matcher& coarse_matcher() const { return coarse_matcher_; }
  const torch::Tensor& dustbin_score() const { return dustbin_score_; }
  /// Null without one (NetworkOptions::fracture_head).
  const FractureHead* fracture_head() const { return fracture_head_.get(); }

  /// Null without one (NetworkOptions::break_network).
  const BreakNetwork* break_network() const { return break_network_.get(); }

  /// Null without one (NetworkOptions::break_cloud).
  const BreakEmbedding* break_embedding() const { return break_embedding_.get(); }

  WeightFile save() const;

 private:
  PmtrNetwork(const NetworkOptions& options, std::uint64_t seed);

  /// The last step of each fragment: features as they are compared.
  void normalise(NetworkOutput& output, const PyramidBatch& batch, const torch::Tensor& described,
                 const Execution& execution) const;

  NetworkOptions options_;
  std::unique_ptr<Parameters> parameters_;
  std::unique_ptr<Backbone> backbone_;
  torch::Tensor dustbin_score_;
  Matcher coarse_matcher_;
  std::unique_ptr<FractureHead> fracture_head_;
  std::unique_ptr<BreakNetwork> break_network_;
  std::unique_ptr<BreakEmbedding> break_embedding_;
};

}  // namespace pmtr
