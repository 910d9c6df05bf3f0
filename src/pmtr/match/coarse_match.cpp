// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/match/coarse_match.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::vector<std::int32_t> owning_nodes(const NodePatches& patches) {
  std::vector<std::int32_t> nodes;
  for (std::int64_t i = 0; i < patches.nodes(); ++i) {
    if (!patches.of(i).empty()) nodes.push_back(static_cast<std::int32_t>(i));
  }
  return nodes;
}

Matrix gather_rows(const FeatureMatrix& features, const std::vector<std::int32_t>& rows) {
  Matrix out(rows.size(), features.columns);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out.row(static_cast<Eigen::Index>(i)) =
        Eigen::Map<const Eigen::RowVectorXf>(features.row(rows[i]).data(), features.columns);
  }
  return out;
}

}  // namespace

std::vector<NodeMatch> match_nodes(const FeatureMatrix& source, const NodePatches& source_patches,
                                   const FeatureMatrix& target, const NodePatches& target_patches,
                                   const CoarseMatchOptions& options, Threads& /*threads*/) {
  PMTR_CHECK(source.columns == target.columns && source.rows == source_patches.nodes() &&
                 target.rows == target_patches.nodes(),
             "match_nodes: features and patches differ in size");
  const std::vector<std::int32_t> source_nodes = owning_nodes(source_patches);
  const std::vector<std::int32_t> target_nodes = owning_nodes(target_patches);
  if (source_nodes.empty() || target_nodes.empty()) return {};

  const Matrix f = gather_rows(source, source_nodes);
  const Matrix g = gather_rows(target, target_nodes);
  Matrix scores = f * g.transpose();
  // Rows are unit vectors, so |f - g|^2 = 2 - 2 f.g; rounding must not make it negative.
  scores = (-(2.0F - 2.0F * scores.array()).max(0.0F)).exp();
  const Eigen::VectorXf row_sums = scores.rowwise().sum();
  const Eigen::RowVectorXf column_sums = scores.colwise().sum();

  std::vector<NodeMatch> matches;
  matches.reserve(static_cast<std::size_t>(scores.size()));
  for (Eigen::Index i = 0; i < scores.rows(); ++i) {
    for (Eigen::Index j = 0; j < scores.cols(); ++j) {
      const float s = scores(i, j);
      matches.push_back({source_nodes[static_cast<std::size_t>(i)], target_nodes[static_cast<std::size_t>(j)],
                         (s / row_sums[i]) * (s / column_sums[j])});
    }
  }
  const auto kept = std::min(matches.size(), static_cast<std::size_t>(std::max(options.count, 0)));
  // Ties go to the smaller indices, so that the result does not depend on the sorting algorithm.
  std::partial_sort(matches.begin(), matches.begin() + static_cast<std::ptrdiff_t>(kept), matches.end(),
                    [](const NodeMatch& a, const NodeMatch& b) {
                      if (a.score != b.score) return a.score > b.score;
                      return a.source != b.source ? a.source < b.source : a.target < b.target;
                    });
  matches.resize(kept);
  return matches;
}

}  // namespace pmtr
