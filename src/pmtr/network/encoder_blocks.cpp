// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/encoder_blocks.h"

#include "pmtr/network/ops.h"

namespace pmtr {

ConvolutionSite ConvolutionSite::at(const PyramidBatch& batch, std::size_t level) {
  const BatchLevel& here = batch.levels[level];
  return {here.points, here.points, here.neighbours, false};
}

ConvolutionSite ConvolutionSite::down_to(const PyramidBatch& batch, std::size_t level) {
  const BatchLevel& finer = batch.levels[level - 1];
  return {batch.levels[level].points, finer.points, finer.down, true};
}

ConvBlock::ConvBlock(const ParameterScope& scope, std::int64_t in, std::int64_t out, double radius,
                     double sigma, const BlockKind& kind)
    : conv(scope / "KPConv", in, out, radius, sigma, kind.count_positive),
      norm(scope / "norm" / "norm", kind.groups(out), out) {}

torch::Tensor ConvBlock::operator()(const ConvolutionSite& site, const torch::Tensor& features,
                                    const Execution& execution) const {
  return norm(conv(site.queries, site.supports, site.table, features, execution), execution, leaky_slope);
}

ResidualBlock::ResidualBlock(const ParameterScope& scope, std::int64_t in, std::int64_t out, double radius,
                             double sigma, const BlockKind& kind)
    : unary1(scope / "unary1", in, out / 4, kind.groups(out / 4), leaky_slope),
      conv(scope / "KPConv", out / 4, out / 4, radius, sigma, kind.count_positive),
      norm_conv(scope / "norm_conv" / "norm", kind.groups(out / 4), out / 4),
      unary2(scope / "unary2", out / 4, out, kind.groups(out), leaky_slope) {
  if (in != out) unary_shortcut.emplace(scope / "unary_shortcut", in, out, kind.groups(out), 1.0);
}

torch::Tensor ResidualBlock::operator()(const ConvolutionSite& site, const torch::Tensor& features,
                                        const Execution& execution) const {
  torch::Tensor x = unary1(features, execution);
  x = norm_conv(conv(site.queries, site.supports, site.table, x, execution), execution, leaky_slope);
  torch::Tensor shortcut = site.strided ? ops::max_pool(features, site.table, execution) : features;
  if (unary_shortcut) shortcut = (*unary_shortcut)(shortcut, execution);
  return unary2(x, execution, shortcut);
}

}  // namespace pmtr
