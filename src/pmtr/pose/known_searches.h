// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "pmtr/pose/pose_search.h"

namespace pmtr {

/// Searches that were made before. A search is a function of two clouds, hints and options, so what it found
/// then is what it would find now: who asks here saves the time and gets the same bits. All of it is called
/// from many threads at once.
class KnownSearches {
 public:
  KnownSearches() = default;
  KnownSearches(const KnownSearches&) = delete;
  KnownSearches& operator=(const KnownSearches&) = delete;
  virtual ~KnownSearches() = default;

  using Search = std::function<std::vector<PoseCandidate>()>;
  /// What `search` finds, or found when it was asked for the last time. The clouds by their digests.
  virtual std::vector<PoseCandidate> find(std::uint64_t a, std::uint64_t b, std::span<const Rigid3> hints,
                                          const PoseSearchOptions& options, const Search& search) = 0;
};

/// Of all that a search reads of a cloud. It looks at every point: to be asked once for a cloud.
std::uint64_t search_digest(const OrientedCloud& cloud);

}  // namespace pmtr
