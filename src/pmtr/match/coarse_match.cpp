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

std::vector<std::int32_t> owning_superpoints(const SuperpointPatches& patches) {
  std::vector<std::int32_t> superpoints;
  for (std::int64_t i = 0; i < patches.superpoints(); ++i) {
    if (!patches.of(i).empty()) superpoints.push_back(static_cast<std::int32_t>(i));
  }
  return superpoints;
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

// [source superpoints, target superpoints], of features of unit length.
std::vector<float> cosines(const FeatureMatrix& source, const std::vector<std::int32_t>& source_superpoints,
                           const FeatureMatrix& target, const std::vector<std::int32_t>& target_superpoints,
                           Threads& threads) {
  const auto rows = static_cast<std::int64_t>(source_superpoints.size());
  const auto columns = static_cast<std::int64_t>(target_superpoints.size());
  const std::vector<float> f = gather_rows(source, source_superpoints);
  const std::vector<float> g = gather_rows(target, target_superpoints);
  std::vector<float> scores(static_cast<std::size_t>(rows * columns));
  kernels::gemm<float>(kernels::row_major(f.data(), rows, source.columns),
                       kernels::row_major(g.data(), columns, target.columns).transposed(),
                       {scores.data(), columns}, threads);
  return scores;
}

// Ties go to the smaller indices, so that the result does not depend on the sorting algorithm.
bool better(const SuperpointMatch& a, const SuperpointMatch& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.source != b.source ? a.source < b.source : a.target < b.target;
}

// The best `count` of those pushed. Most pairs are refused by one comparison.
class Best {
 public:
  explicit Best(std::size_t count) : count_(count) { kept_.reserve(2 * count); }
  void push(const SuperpointMatch& match) {
    if (full_ && !better(match, worst_)) return;
    kept_.push_back(match);
    if (kept_.size() >= 2 * count_) shrink();
  }
  std::vector<SuperpointMatch> sorted() && {
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
  std::vector<SuperpointMatch> kept_;
  SuperpointMatch worst_;
  bool full_ = false;
};

}  // namespace

std::vector<SuperpointMatch> match_superpoints(const FeatureMatrix& source,
                                               const SuperpointPatches& source_patches,
                                               const FeatureMatrix& target,
                                               const SuperpointPatches& target_patches,
                                               const CoarseMatchOptions& options, Threads& threads) {
  PMTR_CHECK(source.columns == target.columns && source.rows == source_patches.superpoints() &&
                 target.rows == target_patches.superpoints(),
             "match_superpoints: features and patches differ in size");
  const std::vector<std::int32_t> source_superpoints = owning_superpoints(source_patches);
  const std::vector<std::int32_t> target_superpoints = owning_superpoints(target_patches);
  if (source_superpoints.empty() || target_superpoints.empty() || options.count <= 0) return {};

  const auto rows = static_cast<std::int64_t>(source_superpoints.size());
  const auto columns = static_cast<std::int64_t>(target_superpoints.size());
  std::vector<float> scores = cosines(source, source_superpoints, target, target_superpoints, threads);

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
  std::vector<std::vector<SuperpointMatch>> best_of_chunk(static_cast<std::size_t>(chunks));
  threads.parallel_for(chunks, 1, [&](std::int64_t c, std::int64_t) {
    Best best(kept);
    Eigen::ArrayXf row_scores(columns);
    for (std::int64_t i = c * chunk; i < std::min(rows, (c + 1) * chunk); ++i) {
      const Row row(scores.data() + i * columns, columns);
      row_scores = row * (1.0F / row_sums[i]) * (row * column_shares);
      for (std::int64_t j = 0; j < columns; ++j) {
        best.push({source_superpoints[static_cast<std::size_t>(i)],
                   target_superpoints[static_cast<std::size_t>(j)], row_scores[j]});
      }
    }
    best_of_chunk[static_cast<std::size_t>(c)] = std::move(best).sorted();
  });
  Best best(kept);
  for (const auto& matches : best_of_chunk)
    for (const SuperpointMatch& match : matches) best.push(match);
  return std::move(best).sorted();
}

}  // namespace pmtr
