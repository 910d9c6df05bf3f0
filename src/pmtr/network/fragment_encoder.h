// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/match/fragment_features.h"
#include "pmtr/network/fragment_input.h"
#include "pmtr/network/network_options.h"
#include "pmtr/network/role.h"
#include "pmtr/weights/weight_file.h"

namespace pmtr {

class PmtrNetwork;

/// Superpoints of a fragment where the coarse matcher's proxies live: what its last layer makes of each,
/// before the norm, as one vector; and the proxies of that layer.
struct ProxySpace {
  FeatureMatrix superpoints;
  FeatureMatrix proxies;  ///< no rows where the coarse matcher has none
  /// Of each head of each layer: as how many neighbours, of those within reach, it looks at, as a share. 1:
  /// all weigh the same, and its attention is a mean.
  std::vector<double> attention_evenness;
};

/// The network as the other stages see it: geometry in, numbers out, no torch in this header.
class FragmentEncoder {
 public:
  /// With the weights and options of a file.
  static Result<FragmentEncoder> load(const WeightFile& weights, const std::string& name);
  /// With random weights, by seed: for tests and until there are trained ones.
  static Result<FragmentEncoder> untrained(const NetworkOptions& options, std::uint64_t seed);

  FragmentEncoder(FragmentEncoder&&) noexcept;
  FragmentEncoder& operator=(FragmentEncoder&&) noexcept;
  ~FragmentEncoder();

  const NetworkOptions& options() const;
  float dustbin_score() const;

  /// Whether features of a fragment are the same for all its partners. If not, encode() and encode_all()
  /// leave the roles empty, and match() finds them for each pair.
  bool encodes_alone() const;

  /// Features of a pair that was encoded by encode() or encode_all(), of the source and of the target.
  std::pair<RoleFeatures, RoleFeatures> match(const FragmentFeatures& source, const FragmentFeatures& target,
                                              Threads& threads) const;
  /// How many bytes that needs beside the features. 0 where fragments are encoded alone.
  double match_memory(const FragmentFeatures& source, const FragmentFeatures& target) const;

  /// One fragment in both of its roles, without knowing any partner. Needs NormScope::fragment.
  FragmentFeatures encode(const Pyramid& fragment, Threads& threads) const;
  /// Asks for breaks too, where the network sees any.
  FragmentFeatures encode(const FragmentInput& fragment, Threads& threads) const;

  /// To look at, not to match by. `fragment` has something broken where the network reads breaks. Needs
  /// NormScope::fragment.
  ProxySpace proxy_space(const FragmentInput& fragment, Role role, Threads& threads) const;

  /// Where the fragment is broken, for every point of the dense cloud; nothing where the network sees no
  /// breaks or the input has none.
  std::vector<float> see_breaks(const BreakInput& breaks, Threads& threads) const;

  /// All fragments of an object, as many at a time as there are threads. Needs NormScope::fragment.
  std::vector<FragmentFeatures> encode_all(std::span<const FragmentInput> fragments, Threads& threads,
                                           const Listener& listener) const;

  /// A pair, the first in the role of the source, the second in that of the target; the other roles stay
  /// empty. In NormScope::pair the features depend on both.
  std::pair<FragmentFeatures, FragmentFeatures> encode_pair(const Pyramid& source, const Pyramid& target,
                                                            Threads& threads) const;

 private:
  FragmentFeatures encode_breaks(const FragmentInput& fragment, Threads& threads) const;

  explicit FragmentEncoder(std::unique_ptr<PmtrNetwork> network);
  std::unique_ptr<PmtrNetwork> network_;
};

}  // namespace pmtr
