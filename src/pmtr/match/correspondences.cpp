// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/match/correspondences.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

/// Marks the k largest of a strided list; of equal ones the first.
void mark_best(const float* values, std::int64_t count, std::int64_t stride, int k, std::uint8_t* marks) {
  std::array<std::int64_t, 16> best{};
  const auto kept = std::min<std::int64_t>({k, count, static_cast<std::int64_t>(best.size())});
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t place = found;
    while (place > 0 && values[i * stride] > values[best[static_cast<std::size_t>(place - 1)] * stride])
      --place;
    if (place >= kept) continue;
    found = std::min(found + 1, kept);
    for (std::int64_t j = found - 1; j > place; --j) {
      best[static_cast<std::size_t>(j)] = best[static_cast<std::size_t>(j - 1)];
    }
    best[static_cast<std::size_t>(place)] = i;
  }
  for (std::int64_t i = 0; i < found; ++i) ++marks[best[static_cast<std::size_t>(i)] * stride];
}

}  // namespace

std::vector<Correspondence> mutual_correspondences(std::span<const SuperpointMatch> matches,
                                                   const SuperpointPatches& source_patches,
                                                   const SuperpointPatches& target_patches,
                                                   const PatchTransport& transport,
                                                   const CorrespondenceOptions& options) {
  PMTR_CHECK(matches.size() == transport.patches.size() && options.mutual >= 1);
  std::vector<Correspondence> found;
  std::vector<float> shares;
  std::vector<std::uint8_t> marks;
  for (std::size_t b = 0; b < matches.size(); ++b) {
    const auto& patch = transport.patches[b];
    const std::int64_t m = patch.rows;
    const std::int64_t n = patch.columns;
    if (m == 0 || n == 0) continue;
    const auto source_points = source_patches.of(matches[b].source);
    const auto target_points = target_patches.of(matches[b].target);
    shares.resize(static_cast<std::size_t>(m * n));
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        const float log_share =
            transport.log_shares[static_cast<std::size_t>(patch.output + i * (n + 1) + j)];
        shares[static_cast<std::size_t>(i * n + j)] = std::exp(log_share);
      }
    }
    // Counts from how many sides a pair is among the best.
    marks.assign(shares.size(), 0);
    for (std::int64_t i = 0; i < m; ++i)
      mark_best(shares.data() + i * n, n, 1, options.mutual, marks.data() + i * n);
    for (std::int64_t j = 0; j < n; ++j) mark_best(shares.data() + j, m, n, options.mutual, marks.data() + j);
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        const auto at = static_cast<std::size_t>(i * n + j);
        if (marks[at] < 2 || shares[at] <= options.min_score) continue;
        found.push_back({source_points[static_cast<std::size_t>(i)],
                         target_points[static_cast<std::size_t>(j)], shares[at],
                         static_cast<std::int32_t>(b)});
      }
    }
  }
  return found;
}

}  // namespace pmtr
