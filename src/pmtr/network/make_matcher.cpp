// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/make_matcher.h"

#include "pmtr/core/check.h"
#include "pmtr/network/correlation_convolution.h"
#include "pmtr/network/geometric_transformer.h"
#include "pmtr/network/point_matchers.h"
#include "pmtr/network/proxy_match_transform.h"

namespace pmtr {
namespace {

using AnyLevel = ProxyMatchTransform::Level;

Matcher make_matcher(MatcherKind kind, const ParameterScope& scope, std::int64_t width, AnyLevel level,
                     double reach, const NetworkOptions& options) {
  using Alone = std::unique_ptr<FragmentMatcher>;
  using Both = std::unique_ptr<PairMatcher>;
  switch (kind) {
    case MatcherKind::none:
      return std::monostate{};
    case MatcherKind::linear:
      return Alone(std::make_unique<PerceptronMatcher>(scope, width, 1));
    case MatcherKind::mlp:
      return Alone(std::make_unique<PerceptronMatcher>(scope, width, 2));
    case MatcherKind::pmt:
      return Alone(std::make_unique<ProxyMatchTransform>(scope, width, level, options.proxies,
                                                         options.relative_attention ? reach : 0.0));
    case MatcherKind::hdc:
      return Both(std::make_unique<CorrelationConvolution>(scope, width, reach));
    case MatcherKind::geotr:
      return Both(std::make_unique<GeometricTransformer>(scope, width, width));
  }
  PMTR_CHECK(false, "a matcher of a new kind");
  return std::monostate{};
}

}  // namespace

Matcher make_coarse_matcher(const ParameterScope& scope, const NetworkOptions& options) {
  return make_matcher(options.coarse_matcher, scope, 512, AnyLevel::coarse, options.coarse_attention_radius,
                      options);
}

Matcher make_fine_matcher(const ParameterScope& scope, std::size_t level, const NetworkOptions& options) {
  PMTR_CHECK(level < 2, "fine levels are 0 and 1");
  return make_matcher(options.fine_matcher, scope, level == 1 ? 256 : 128, AnyLevel::fine,
                      options.pyramid.radius[level], options);
}

}  // namespace pmtr
