// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/merge/split_cells.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>

#include "pmtr/core/index.h"
#include "pmtr/fracture/merge/min_cut.h"

namespace pmtr {
namespace {}  // namespace

CellSplitter::CellSplitter(const CellGraph& graph, const Settings& settings, Random& random)
    : graph_(graph), settings_(settings), random_(random), strength_(graph.size()), local_(graph.size(), -1) {
  double unbreakable = 1;
  for (const auto& walls : graph.walls)
    for (const CellGraph::Wall& wall : walls) unbreakable += 1000 * wall.area;
  for (std::size_t a = 0; a < graph.size(); ++a) {
    for (const CellGraph::Wall& wall : graph.walls[a]) {
      if (wall.bridge) {
        strength_[a].push_back(unbreakable);
        continue;
      }
      if (at(wall.cell) > a) {
        strength_[a].push_back(wall.area * std::exp(settings.noise * random.normal()));
        continue;
      }
      // Seen from the other side before: both ends hold the same.
      const auto& back = graph.walls[at(wall.cell)];
      const auto found = std::lower_bound(back.begin(), back.end(), static_cast<std::int32_t>(a),
                                          [](const auto& w, std::int32_t c) { return w.cell < c; });
      strength_[a].push_back(strength_[at(wall.cell)][static_cast<std::size_t>(found - back.begin())]);
    }
  }
}

std::vector<CellSplitter::Cells> CellSplitter::components() const {
  std::vector<Cells> sets;
  std::vector<bool> seen(graph_.size());
  for (std::size_t start = 0; start < graph_.size(); ++start) {
    if (seen[start]) continue;
    Cells& set = sets.emplace_back(1, static_cast<std::int32_t>(start));
    seen[start] = true;
    for (std::size_t i = 0; i < set.size(); ++i) {
      for (const CellGraph::Wall& wall : graph_.walls[at(set[i])]) {
        if (seen[at(wall.cell)]) continue;
        seen[at(wall.cell)] = true;
        set.push_back(wall.cell);
      }
    }
  }
  return sets;
}

std::int32_t CellSplitter::draw(const Cells& cells, const std::vector<bool>& taken) {
  // By volume, so that clusters of small cells do not attract all cuts.
  double sum = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) sum += taken[i] ? 0 : graph_.volumes[at(cells[i])];
  double target = random_.uniform() * sum;
  std::int32_t chosen = -1;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (taken[i]) continue;
    chosen = cells[i];
    target -= graph_.volumes[at(chosen)];
    if (target < 0) break;
  }
  return chosen;
}

CellSplitter::Cells CellSplitter::grow(std::int32_t start, double volume, std::vector<bool>& taken) {
  // Nearest first, where strong walls are short ways: regions fill thick places before they cross necks.
  using Entry = std::pair<double, std::int32_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
  queue.emplace(0.0, start);
  Cells region;
  double sum = 0;
  while (!queue.empty() && sum < volume) {
    const auto [distance, cell] = queue.top();
    queue.pop();
    if (taken[at(local_[at(cell)])]) continue;
    taken[at(local_[at(cell)])] = true;
    region.push_back(cell);
    sum += graph_.volumes[at(cell)];
    for (std::size_t w = 0; w < graph_.walls[at(cell)].size(); ++w) {
      const std::int32_t next = graph_.walls[at(cell)][w].cell;
      if (local_[at(next)] < 0 || taken[at(local_[at(next)])]) continue;
      const double strength = this->strength(at(cell), w);
      if (strength > 0) queue.emplace(distance + 1 / std::sqrt(strength), next);
    }
  }
  if (sum < settings_.min_volume) region.clear();
  return region;
}

std::optional<CellSplitter::Proposal> CellSplitter::propose(const Cells& cells, double volume) {
  // Each region gets its least volume at once; what lies between goes where the cut is smallest.
  std::vector<bool> taken(cells.size());
  const double least = std::max(settings_.min_volume, random_.uniform(0.0, 0.07) * volume);
  const Cells source = grow(draw(cells, taken), least, taken);
  const std::int32_t second = source.empty() ? -1 : draw(cells, taken);
  if (second < 0) return std::nullopt;
  const Cells sink = grow(second, least, taken);
  if (sink.empty()) return std::nullopt;

  MinCut cut(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto& walls = graph_.walls[at(cells[i])];
    for (std::size_t w = 0; w < walls.size(); ++w) {
      const std::int32_t j = local_[at(walls[w].cell)];
      if (j > static_cast<std::int32_t>(i))
        cut.add_edge(static_cast<std::int32_t>(i), j, strength(at(cells[i]), w));
    }
  }
  const auto local = [&](const Cells& region) {
    Cells out;
    for (const std::int32_t c : region) out.push_back(local_[at(c)]);
    return out;
  };
  Proposal proposal{0, cut.separate(local(source), local(sink))};
  double area = 0;
  double volume_a = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!proposal.side[i]) continue;
    volume_a += graph_.volumes[at(cells[i])];
    const auto& walls = graph_.walls[at(cells[i])];
    for (std::size_t w = 0; w < walls.size(); ++w) {
      const std::int32_t j = local_[at(walls[w].cell)];
      if (j >= 0 && !proposal.side[at(j)]) area += strength(at(cells[i]), w);
    }
  }
  proposal.score = area / std::pow(std::min(volume_a, volume - volume_a) / volume, settings_.size_power);
  return proposal;
}

std::optional<std::pair<CellSplitter::Cells, CellSplitter::Cells>> CellSplitter::split(const Cells& cells) {
  double volume = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    local_[at(cells[i])] = static_cast<std::int32_t>(i);
    volume += graph_.volumes[at(cells[i])];
  }
  std::optional<Proposal> best;
  int good = 0;
  // Failed proposals cost little and are tried again.
  for (int i = 0; i < 8 * settings_.proposals && good < settings_.proposals; ++i) {
    std::optional<Proposal> proposal = propose(cells, volume);
    if (!proposal) continue;
    ++good;
    if (!best || proposal->score < best->score) best = std::move(proposal);
  }
  std::optional<std::pair<Cells, Cells>> halves;
  if (best) {
    halves.emplace();
    for (std::size_t i = 0; i < cells.size(); ++i)
      (best->side[i] ? halves->first : halves->second).push_back(cells[i]);
  }
  for (const std::int32_t c : cells) local_[at(c)] = -1;
  return halves;
}

}  // namespace pmtr
