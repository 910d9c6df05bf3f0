// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/core/threads.h"

namespace pmtr::kernels {

/// One patch pair: `rows` source points against `columns` target points, each count 0 or more.
struct TransportPatch {
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  std::int64_t scores = 0;  ///< where its [rows, columns] block starts in the flat scores
  std::int64_t output = 0;  ///< where its [rows + 1, columns + 1] block starts in the flat output
};

/// Patches of these sizes, packed one behind the other in both arrays.
std::vector<TransportPatch> pack_transport_patches(std::span<const std::int32_t> rows,
                                                   std::span<const std::int32_t> columns);

struct TransportOptions {
  /// Sinkhorn iterations; one updates the rows, then the columns.
  int iterations = 100;
  /// Stops a patch when no log scaling moved by more than this in an iteration; 0 runs all iterations, as the
  /// reference does. The log update does not expand distances, so what is left out moves an output by at most
  /// 2 * iterations * tolerance.
  double tolerance = 1e-9;
};

/// The value of the corner of a patch with points on one side only, where the mass is 0 and its log infinite.
inline constexpr double no_mass_log = -1e12;

/// Log-domain optimal transport with a dustbin, each patch on its own. With m rows, n columns and
/// norm = -log(m + n): Z is the scores with one more row and column of `alpha`; the row masses are exp(norm),
/// the dustbin's n exp(norm), likewise the columns'; from u = v = 0 an iteration sets
/// u = log_mu - logsumexp_j(Z + v), then v = log_nu - logsumexp_i(Z + u); output = Z + u + v - norm.
/// The output of a point is the log of its share that goes to each partner. A patch with points on one side
/// only sends all of them to the dustbin (log 0), its corner is `no_mass_log`; an empty patch outputs 0.
/// These are constants: no gradient. Scores may be -infinity (never matched); NaN gives NaN in its own patch.
template <class Real>
void optimal_transport_forward(std::span<const TransportPatch> patches, std::span<const Real> scores,
                               Real alpha, const TransportOptions& options, Threads& threads,
                               std::span<Real> output);

/// The exact gradient of the iterations that the forward performed (they are repeated here, nothing is kept).
/// Overwrites the patches' blocks of `d_scores` (the layout of scores) and returns the gradient of alpha.
template <class Real>
double optimal_transport_backward(std::span<const TransportPatch> patches, std::span<const Real> scores,
                                  Real alpha, std::span<const Real> d_output, const TransportOptions& options,
                                  Threads& threads, std::span<Real> d_scores);

}  // namespace pmtr::kernels
