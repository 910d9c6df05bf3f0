// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "pmtr/network/execution.h"
#include "pmtr/network/pyramid_batch.h"
#include "pmtr/network/role.h"
#include "pmtr/network/tensor.h"

namespace pmtr {

/// One fragment at one level, as a matcher sees it.
struct MatchSite {
  torch::Tensor points;     ///< [points, 3]
  torch::Tensor table;      ///< [points, width] int32, rows of this fragment; the number of points = none
  torch::Tensor distances;  ///< [points, width] what the attention of Proxy Match Transforms is computed from
};

/// Which rows of a stacked batch belong to one fragment.
struct FragmentRows {
  std::int64_t begin = 0;
  std::int64_t count = 0;
  static FragmentRows of(const BatchLevel& level, std::size_t fragment);
};

/// For fine matching: the level's own neighbours, by squared distance.
MatchSite fine_match_site(const BatchLevel& level, std::size_t fragment);

/// For coarse matching: the superpoints within `radius`, by distance. `by_product`: see NetworkOptions.
MatchSite coarse_match_site(const BatchLevel& level, std::size_t fragment, double radius, bool by_product);

/// Features of one fragment, where they are, and its role.
struct MatchSide {
  torch::Tensor features;  ///< [points, channels]
  MatchSite site;
  Role role = Role::source;
};

/// Turns features of one fragment into features that can be compared with another fragment's. It sees one
/// fragment only: source and target meet in shared parameters and nowhere else, so a fragment is encoded once
/// for all its partners.
class FragmentMatcher {
 public:
  virtual ~FragmentMatcher() = default;
  virtual torch::Tensor transform(const torch::Tensor& features, const MatchSite& site, Role role,
                                  const Execution& execution) const = 0;
};

/// The same with a look at the other fragment: its output is worth something for this pair alone.
class PairMatcher {
 public:
  virtual ~PairMatcher() = default;
  /// Of the source, then of the target.
  virtual std::array<torch::Tensor, 2> transform(const MatchSide& source, const MatchSide& target,
                                                 const Execution& execution) const = 0;
  /// How much memory that takes at its peak, in bytes, for fragments of so many points; in training with what
  /// is kept for the gradients. Such matchers look at all pairs of points, and it can be more than there is.
  virtual double memory(std::int64_t source, std::int64_t target, bool training) const = 0;
};

/// Which of the two says whether a fragment can be encoded alone; none leaves features as they are.
using Matcher = std::variant<std::monostate, std::unique_ptr<FragmentMatcher>, std::unique_ptr<PairMatcher>>;

inline bool needs_both_sides(const Matcher& matcher) {
  return std::holds_alternative<std::unique_ptr<PairMatcher>>(matcher);
}

/// Any number of fragments, each in its role; source and target where the matcher needs both. With
/// `residual`, what goes into the matcher is added to what comes out.
std::vector<torch::Tensor> apply_matcher(const Matcher& matcher, std::span<const MatchSide> sides,
                                         bool residual, const Execution& execution);

/// The same for fragments that are stacked in a batch; `site` makes that of each.
torch::Tensor apply_matcher(const Matcher& matcher, const BatchLevel& level, const torch::Tensor& features,
                            const std::vector<Role>& roles,
                            const std::function<MatchSite(std::size_t fragment)>& site, bool residual,
                            const Execution& execution);

}  // namespace pmtr
