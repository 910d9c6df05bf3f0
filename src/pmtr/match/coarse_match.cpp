// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/match/coarse_match.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Core>

#include "pmtr/core/check.h"
#include "pmtr/kernels/gemm.h"

namespace pmtr {
namespace {

std::vector<std::int32_t> owning_nodes(const NodePatches& patches) {
  std::vector<std::int32_t> nodes;
  for (std::int64_t i = 0; i < patches.nodes(); ++i) {
    if (!patches.of(i).empty()) nodes.push_back(static_cast<std::int32_t>(i));
  }
  return nodes;
}

std::vector<float> gather_rows(const FeatureMatrix& features, const std::vector<std::int32_t>& rows) {
  std::vector<float> out;
  out.reserve(rows.size() * static_cast<std::size_t>(features.columns));
  for (const std::int32_t row : rows) {
    const auto values = features.row(row);
    out.insert(out.end(), values.begin(), values.end());
  }
  return out;
}

// Ties go to the smaller indices, so that the result does not depend on the sorting algorithm.
bool better(const NodeMatch& a, const NodeMatch& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.source != b.source ? a.source < b.source : a.target < b.target;
}

// The best `count` of those pushed. Most pairs are refused by one comparison.
class Best {
 public:
  explicit Best(std::size_t count) : count_(count) { kept_.reserve(2 * count); }
  void push(const NodeMatch& match) {
    if (full_ && !better(match, worst_)) return;
    kept_.push_back(match);
    if (kept_.size() >= 2 * count_) shrink();
  }
  std::vector<NodeMatch> sorted() && {
    if (kept_.size() > count_) shrink();
    std::sort(kept_.begin(), kept_.end(), better);
    return std::move(kept_);
  }

 private:
  void shrink() {
    const auto last = kept_.begin() + static_cast<std::ptrdiff_t>(count_) - 1;
    std::nth_element(kept_.begin(), last, kept_.end(), better);
    kept_.resize(count_);
    worst_ = kept_.back();
    full_ = true;
  }
  std::size_t count_;
  std::vector<NodeMatch> kept_;
  NodeMatch worst_;
  bool full_ = false;
};

}  // namespace

std::vector<NodeMatch> match_nodes(const FeatureMatrix& source, const NodePatches& source_patches,
                                   const FeatureMatrix& target, const NodePatches& target_patches,
                                   const CoarseMatchOptions& options, Threads& threads) {
  PMTR_CHECK(source.columns == target.columns && source.rows == source_patches.nodes() &&
                 target.rows == target_patches.nodes(),
             "match_nodes: features and patches differ in size");
  const std::vector<std::int32_t> source_nodes = owning_nodes(source_patches);
  const std::vector<std::int32_t> target_nodes = owning_nodes(target_patches);
  if (source_nodes.empty() || target_nodes.empty()) return {};

  if (options.count <= 0) return {};

  const auto rows = static_cast<std::int64_t>(source_nodes.size());
  const auto columns = static_cast<std::int64_t>(target_nodes.size());
  const std::vector<float> f = gather_rows(source, source_nodes);
  const std::vector<float> g = gather_rows(target, target_nodes);
  std::vector<float> scores(static_cast<std::size_t>(rows * columns));
  kernels::gemm<float>(kernels::row_major(f.data(), rows, source.columns),
                       kernels::row_major(g.data(), columns, target.columns).transposed(),
                       {scores.data(), columns}, threads);

  // Rows are unit vectors, so |f - g|^2 = 2 - 2 f.g; rounding must not make it negative. Column sums are
  // taken per chunk of rows and added in order: the same bits with any team.
  using Row = Eigen::Map<Eigen::ArrayXf>;
  constexpr std::int64_t chunk = 64;
  const std::int64_t chunks = (rows + chunk - 1) / chunk;
  Eigen::VectorXf row_sums(rows);
  Eigen::MatrixXf chunk_sums = Eigen::MatrixXf::Zero(columns, chunks);
  threads.parallel_for(chunks, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin * chunk; i < std::min(rows, end * chunk); ++i) {
      Row row(scores.data() + i * columns, columns);
      row = (-(2.0F - 2.0F * row).max(0.0F)).exp();
      row_sums[i] = row.sum();
      chunk_sums.col(i / chunk).array() += row;
    }
  });
  const Eigen::ArrayXf column_shares = chunk_sums.rowwise().sum().array().inverse();

  const auto kept = static_cast<std::size_t>(std::min<std::int64_t>(options.count, rows * columns));
  std::vector<std::vector<NodeMatch>> best_of_chunk(static_cast<std::size_t>(chunks));
  threads.parallel_for(chunks, 1, [&](std::int64_t c, std::int64_t) {
    Best best(kept);
    Eigen::ArrayXf row_scores(columns);
    for (std::int64_t i = c * chunk; i < std::min(rows, (c + 1) * chunk); ++i) {
      const Row row(scores.data() + i * columns, columns);
      row_scores = row * (1.0F / row_sums[i]) * (row * column_shares);
      for (std::int64_t j = 0; j < columns; ++j) {
        best.push({source_nodes[static_cast<std::size_t>(i)], target_nodes[static_cast<std::size_t>(j)],
                   row_scores[j]});
      }
    }
    best_of_chunk[static_cast<std::size_t>(c)] = std::move(best).sorted();
  });
  Best best(kept);
  for (const auto& matches : best_of_chunk)
    for (const NodeMatch& match : matches) best.push(match);
  return std::move(best).sorted();
}

}  // namespace pmtr
