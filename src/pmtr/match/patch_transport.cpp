// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/match/patch_transport.h"

#include <cmath>

#include "pmtr/core/check.h"

namespace pmtr {

PatchTransport transport_patches(std::span<const SuperpointMatch> matches, const FeatureMatrix& source,
                                 const SuperpointPatches& source_patches, const FeatureMatrix& target,
                                 const SuperpointPatches& target_patches, float dustbin_score,
                                 const kernels::TransportOptions& options, Threads& threads) {
  PMTR_CHECK(source.columns == target.columns, "transport_patches: features differ in length");
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> columns;
  for (const SuperpointMatch& match : matches) {
    rows.push_back(static_cast<std::int32_t>(source_patches.of(match.source).size()));
    columns.push_back(static_cast<std::int32_t>(target_patches.of(match.target).size()));
  }
  PatchTransport transport;
  transport.patches = kernels::pack_transport_patches(rows, columns);
  if (transport.patches.empty()) return transport;
  const auto& last = transport.patches.back();
  transport.scores.resize(static_cast<std::size_t>(last.scores + std::int64_t{last.rows} * last.columns));
  transport.log_shares.resize(
      static_cast<std::size_t>(last.output + (std::int64_t{last.rows} + 1) * (last.columns + 1)));

  const float scale = 1.0F / std::sqrt(static_cast<float>(source.columns));
  threads.parallel_for(
      static_cast<std::int64_t>(matches.size()), 8, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const SuperpointMatch& match = matches[static_cast<std::size_t>(i)];
          float* out = transport.scores.data() + transport.patches[static_cast<std::size_t>(i)].scores;
          for (const std::int32_t p : source_patches.of(match.source)) {
            const float* f = source.row(p).data();
            for (const std::int32_t q : target_patches.of(match.target)) {
              const float* g = target.row(q).data();
              float sum = 0.0F;
              for (std::int64_t c = 0; c < source.columns; ++c) sum += f[c] * g[c];
              *out++ = sum * scale;
            }
          }
        }
      });
  kernels::optimal_transport_forward<float>(transport.patches, transport.scores, dustbin_score, options,
                                            threads, transport.log_shares);
  return transport;
}

}  // namespace pmtr
