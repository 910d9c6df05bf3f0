// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/network/execution.h"
#include "pmtr/network/pyramid_batch.h"
#include "pmtr/network/tensor.h"

namespace pmtr {

/// A fragment is the source of some pairs and the target of others; some weights differ between the two.
enum class Role { source, target };

/// Something there is one of per role.
template <class T>
struct PerRole {
  T source;
  T target;
  const T& operator[](Role role) const { return role == Role::source ? source : target; }
};

/// One fragment at one level, as a matcher sees it.
struct MatchSite {
  torch::Tensor table;      ///< [points, width] int32, rows of this fragment; the number of points = none
  torch::Tensor distances;  ///< [points, width] what the attention is computed from
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

/// Turns features of one fragment into features that can be compared with another fragment's. It sees one
/// fragment only: source and target meet in shared parameters and nowhere else.
class Matcher {
 public:
  virtual ~Matcher() = default;
  virtual torch::Tensor transform(const torch::Tensor& features, const MatchSite& site, Role role,
                                  const Execution& execution) const = 0;
};

}  // namespace pmtr
