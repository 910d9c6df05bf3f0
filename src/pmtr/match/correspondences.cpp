// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/match/correspondences.h"

#include <algorithm>
#include <cmath>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

/// The k-th largest of a strided list: entries at least this large are among the best k.
float kth_largest(const float* values, std::int64_t count, std::int64_t stride, int k,
                  std::vector<float>& scratch) {
  scratch.clear();
  for (std::int64_t i = 0; i < count; ++i) scratch.push_back(values[i * stride]);
  const auto rank = std::min<std::int64_t>(k, count) - 1;
  std::nth_element(scratch.begin(), scratch.begin() + rank, scratch.end(), std::greater<>());
  return scratch[static_cast<std::size_t>(rank)];
}

}  // namespace

std::vector<Correspondence> mutual_correspondences(std::span<const NodeMatch> matches,
                                                   const NodePatches& source_patches,
                                                   const NodePatches& target_patches,
                                                   const PatchTransport& transport,
                                                   const CorrespondenceOptions& options) {
  PMTR_CHECK(matches.size() == transport.patches.size() && options.mutual >= 1);
  std::vector<Correspondence> found;
  std::vector<float> shares;
  std::vector<float> scratch;
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
    std::vector<float> column_limit(static_cast<std::size_t>(n));
    for (std::int64_t j = 0; j < n; ++j) {
      column_limit[static_cast<std::size_t>(j)] =
          kth_largest(shares.data() + j, m, n, options.mutual, scratch);
    }
    for (std::int64_t i = 0; i < m; ++i) {
      const float row_limit = kth_largest(shares.data() + i * n, n, 1, options.mutual, scratch);
      for (std::int64_t j = 0; j < n; ++j) {
        const float share = shares[static_cast<std::size_t>(i * n + j)];
        if (share > options.min_score && share >= row_limit &&
            share >= column_limit[static_cast<std::size_t>(j)]) {
          found.push_back({source_points[static_cast<std::size_t>(i)],
                           target_points[static_cast<std::size_t>(j)], share, static_cast<std::int32_t>(b)});
        }
      }
    }
  }
  return found;
}

}  // namespace pmtr
