// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/merge/refracture.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "pmtr/core/random.h"
#include "pmtr/fracture/merge/split_cells.h"

namespace pmtr {
namespace {

double volume_of(const CellGraph& graph, const std::vector<std::int32_t>& cells) {
  double sum = 0;
  for (const std::int32_t c : cells) sum += graph.volumes[static_cast<std::size_t>(c)];
  return sum;
}

/// Pieces that may still be split, drawn with a chance that grows with their volume.
class Candidates {
 public:
  Candidates(const CellGraph& graph, double min_volume) : graph_(graph), min_volume_(min_volume) {}

  void add(std::size_t piece, const std::vector<std::int32_t>& cells) {
    const double volume = volume_of(graph_, cells);
    if (cells.size() >= 2 && volume >= 2 * min_volume_) list_.push_back({piece, volume});
  }
  bool empty() const { return list_.empty(); }
  std::size_t take(Random& random) {
    double sum = 0;
    for (const auto& [piece, volume] : list_) sum += volume;
    double target = random.uniform() * sum;
    std::size_t i = 0;
    while (i + 1 < list_.size() && target >= list_[i].second) target -= list_[i++].second;
    const std::size_t piece = list_[i].first;
    list_.erase(list_.begin() + static_cast<std::ptrdiff_t>(i));
    return piece;
  }

 private:
  const CellGraph& graph_;
  double min_volume_;
  std::vector<std::pair<std::size_t, double>> list_;
};

}  // namespace

Status RefractureOptions::validate() const {
  if (pieces < 2)
    return invalid_option(fmt::format("{} pieces asked for; a fracture has at least 2", pieces));
  if (min_volume_share && !(*min_volume_share >= 0 && *min_volume_share * pieces <= 1))
    return invalid_option(
        fmt::format("{} pieces cannot each hold {} of the volume", pieces, *min_volume_share));
  if (proposals < 1) return invalid_option("at least one proposal per cut is needed");
  if (!(noise >= 0 && noise <= 10)) return invalid_option("the noise of the walls must be from 0 to 10");
  if (!(size_power >= 0 && size_power <= 4)) return invalid_option("the size power must be from 0 to 4");
  return {};
}

double RefractureOptions::volume_share() const {
  return min_volume_share ? *min_volume_share : std::min(1.0 / 40, 0.3 / pieces);
}

Result<std::vector<std::int32_t>> refracture(const CellGraph& graph, const RefractureOptions& options) {
  PMTR_TRY_STATUS(options.validate());
  if (graph.size() < static_cast<std::size_t>(options.pieces)) {
    return Error{
        Cause::degenerate, fmt::format("{} cells cannot make {} pieces", graph.size(), options.pieces), {}};
  }
  const double total = std::accumulate(graph.volumes.begin(), graph.volumes.end(), 0.0);
  const double min_volume = options.volume_share() * total;
  // A first choice of cuts may leave nothing that can be split again: start anew, with other cuts.
  constexpr std::uint64_t attempts = 12;
  for (std::uint64_t attempt = 0; attempt < attempts; ++attempt) {
    Random random(options.seed, attempt);
    CellSplitter splitter(graph, {min_volume, options.proposals, options.noise, options.size_power}, random);
    std::vector<std::vector<std::int32_t>> pieces = splitter.components();
    if (pieces.size() > static_cast<std::size_t>(options.pieces)) break;
    Candidates candidates(graph, min_volume);
    for (std::size_t p = 0; p < pieces.size(); ++p) candidates.add(p, pieces[p]);
    while (pieces.size() < static_cast<std::size_t>(options.pieces) && !candidates.empty()) {
      const std::size_t p = candidates.take(random);
      auto halves = splitter.split(pieces[p]);
      if (!halves) continue;
      pieces[p] = std::move(halves->first);
      pieces.push_back(std::move(halves->second));
      candidates.add(p, pieces[p]);
      candidates.add(pieces.size() - 1, pieces.back());
    }
    if (pieces.size() < static_cast<std::size_t>(options.pieces)) continue;
    std::vector<std::int32_t> labels(graph.size());
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      for (const std::int32_t c : pieces[p])
        labels[static_cast<std::size_t>(c)] = static_cast<std::int32_t>(p);
    }
    return labels;
  }
  return Error{Cause::degenerate,
               fmt::format("no way was found to merge {} cells to {} pieces of at least {:.4f} of the volume",
                           graph.size(), options.pieces, options.volume_share()),
               {}};
}

}  // namespace pmtr
