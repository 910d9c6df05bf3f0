// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/matcher.h"

#include <algorithm>

#include <torch/types.h>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

/// This fragment's rows of the stacked table, as indices into its own points.
torch::Tensor own_table(const BatchLevel& level, const FragmentRows& rows) {
  const torch::Tensor table = level.neighbours.narrow(0, rows.begin, rows.count);
  return (table - rows.begin).clamp_max(rows.count).to(torch::kInt);
}

/// The points of each row of a table: [n, width, 3]. "None" gives some point.
torch::Tensor gather_points(const torch::Tensor& points, const torch::Tensor& table) {
  const torch::Tensor safe = table.clamp_max(points.size(0) - 1).flatten().to(torch::kLong);
  return points.index_select(0, safe).view({table.size(0), table.size(1), 3});
}

torch::Tensor squared_distances(const torch::Tensor& points, const torch::Tensor& table) {
  return (gather_points(points, table) - points.unsqueeze(1)).square().sum(2);
}

/// |a|^2 - 2 a.b + |b|^2 with the rounding of a matrix product with fused multiply-add, which is how the
/// reference gets it. Each step is exact in double and rounded to float once.
torch::Tensor squared_distances_by_product(const torch::Tensor& points, const torch::Tensor& table) {
  const torch::Tensor a = points.unsqueeze(1);
  const torch::Tensor b = gather_points(points, table);
  const torch::Tensor a_norm = a.square().sum(2);
  const torch::Tensor b_norm = b.square().sum(2);
  torch::Tensor sum = torch::zeros_like(b_norm);
  for (int k = 0; k < 3; ++k) {
    sum =
        (sum.to(torch::kDouble) - 2.0 * a.select(2, k).to(torch::kDouble) * b.select(2, k).to(torch::kDouble))
            .to(torch::kFloat);
  }
  return (sum + a_norm + b_norm).clamp_min(0.0);
}

}  // namespace

FragmentRows FragmentRows::of(const BatchLevel& level, std::size_t fragment) {
  PMTR_CHECK(fragment < level.lengths.size());
  FragmentRows rows;
  for (std::size_t i = 0; i < fragment; ++i) rows.begin += level.lengths[i];
  rows.count = level.lengths[fragment];
  return rows;
}

MatchSite fine_match_site(const BatchLevel& level, std::size_t fragment) {
  const FragmentRows rows = FragmentRows::of(level, fragment);
  MatchSite site;
  site.points = level.points.narrow(0, rows.begin, rows.count);
  site.table = own_table(level, rows);
  site.distances = squared_distances(site.points, site.table);
  return site;
}

MatchSite coarse_match_site(const BatchLevel& level, std::size_t fragment, double radius, bool by_product) {
  const FragmentRows rows = FragmentRows::of(level, fragment);
  const torch::Tensor points = level.points.narrow(0, rows.begin, rows.count);
  MatchSite site;
  site.points = points;
  // The level's neighbours reach much farther than `radius` and are sorted: what is wanted is among them.
  site.table = own_table(level, rows);
  site.distances =
      (by_product ? squared_distances_by_product(points, site.table) : squared_distances(points, site.table))
          .sqrt();
  site.table = site.table.masked_fill(site.distances > radius, rows.count);
  const torch::Tensor counts = (site.table < rows.count).sum(1);
  const auto width = std::max<std::int64_t>(1, counts.max().item<std::int64_t>());
  // By product the order by distance can be off by a rounding error, so a gap may stand before the last
  // entry.
  if (!by_product) {
    site.table = site.table.narrow(1, 0, width).contiguous();
    site.distances = site.distances.narrow(1, 0, width).contiguous();
  }
  return site;
}

std::vector<torch::Tensor> apply_matcher(const Matcher& matcher, std::span<const MatchSide> sides,
                                         bool residual, const Execution& execution) {
  std::vector<torch::Tensor> out;
  for (const MatchSide& side : sides) out.push_back(side.features);
  if (std::holds_alternative<std::monostate>(matcher)) return out;
  if (const auto* alone = std::get_if<std::unique_ptr<FragmentMatcher>>(&matcher)) {
    for (std::size_t i = 0; i < sides.size(); ++i)
      out[i] = (*alone)->transform(sides[i].features, sides[i].site, sides[i].role, execution);
  } else {
    PMTR_CHECK(sides.size() == 2 && sides[0].role == Role::source && sides[1].role == Role::target,
               "this matcher compares a source with a target");
    const auto both =
        std::get<std::unique_ptr<PairMatcher>>(matcher)->transform(sides[0], sides[1], execution);
    out.assign(both.begin(), both.end());
  }
  if (residual) {
    for (std::size_t i = 0; i < sides.size(); ++i) out[i] = sides[i].features + out[i];
  }
  return out;
}

torch::Tensor apply_matcher(const Matcher& matcher, const BatchLevel& level, const torch::Tensor& features,
                            const std::vector<Role>& roles,
                            const std::function<MatchSite(std::size_t fragment)>& site, bool residual,
                            const Execution& execution) {
  PMTR_CHECK(roles.size() == level.lengths.size(), "one role per fragment");
  if (std::holds_alternative<std::monostate>(matcher)) return features;
  std::vector<MatchSide> sides;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    const FragmentRows rows = FragmentRows::of(level, i);
    sides.push_back({features.narrow(0, rows.begin, rows.count), site(i), roles[i]});
  }
  const std::vector<torch::Tensor> parts = apply_matcher(matcher, sides, residual, execution);
  return parts.size() == 1 ? parts[0] : torch::cat(parts, 0);
}

}  // namespace pmtr
