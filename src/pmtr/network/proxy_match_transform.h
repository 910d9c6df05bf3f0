// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "pmtr/network/layers.h"
#include "pmtr/network/matcher.h"
#include "pmtr/network/network_options.h"

namespace pmtr {

/// Attention to neighbours from nothing but their distance: a perceptron 1 -> 4 -> heads, then a softmax.
struct DistanceAttention {
  Linear hidden;
  Linear out;

  explicit DistanceAttention(const ParameterScope& scope);
  /// values [n, width, heads] -> the mean of each point's neighbours, weighted by the attention of each head.
  torch::Tensor operator()(const torch::Tensor& values, const MatchSite& site,
                           const Execution& execution) const;
  /// How much each neighbour weighs: [n, neighbours, heads].
  torch::Tensor weights(const MatchSite& site) const;
};

/// One Proxy Match Transform layer, sum over heads h of  A^h F w^h P^h  (the paper's equation 6), where the
/// embedding is seen as factors x channels and the proxies P act on the factors. Everything is linear per
/// head, so the two projections merge into one and the attention is applied before the proxy, on fewer
/// values.
struct ProxyLayer {
  PerRole<torch::Tensor> proxies;  // [heads, factors in, factors out]; the same tensor twice where shared
  PerRole<Linear> project;
  PerRole<Linear> merge;

  ProxyLayer(const ParameterScope& scope, std::int64_t factors, std::int64_t channels,
             ProxyKind kind = ProxyKind::shared);

  /// x [n, factors, channels] -> [n, 4 factors, channels / 4]. `attend` mixes the values of neighbours, head
  /// by head, and keeps their shape [n, width, heads].
  torch::Tensor operator()(const torch::Tensor& x,
                           const std::function<torch::Tensor(const torch::Tensor&)>& attend, Role role,
                           const Execution& execution) const;
};

/// The matcher of the paper: two proxy layers with norms; at the coarse level a linear layer at the end.
class ProxyMatchTransform : public FragmentMatcher {
 public:
  enum class Level { coarse, fine };

  /// `width` is the length of the features, 64 times the number of factors. `reach`: attention is computed
  /// from distances in shares of this; 0: from those of the site as they are.
  ProxyMatchTransform(const ParameterScope& scope, std::int64_t width, Level level,
                      ProxyKind proxies = ProxyKind::shared, double reach = 0.0);

  torch::Tensor transform(const torch::Tensor& features, const MatchSite& site, Role role,
                          const Execution& execution) const override;

  /// The output of each layer before its norm: for tests.
  std::vector<torch::Tensor> layer_outputs(const torch::Tensor& features, const MatchSite& site, Role role,
                                           const Execution& execution) const;

  /// How much each neighbour weighs in each layer: [n, neighbours, heads].
  std::vector<torch::Tensor> attention(const MatchSite& site, Role role) const;

  const std::vector<ProxyLayer>& layers() const { return layers_; }

 private:
  struct Norm {
    torch::Tensor weight;
    torch::Tensor bias;
  };

  MatchSite seen(const MatchSite& site) const;
  torch::Tensor run(const torch::Tensor& features, const MatchSite& site, Role role,
                    const Execution& execution, std::vector<torch::Tensor>* outputs) const;

  std::vector<ProxyLayer> layers_;
  std::vector<Norm> norms_;
  std::vector<PerRole<DistanceAttention>> attention_;
  std::optional<Linear> out_;
  Level level_;
  double reach_;
};

}  // namespace pmtr
