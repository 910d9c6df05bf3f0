// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/merge/min_cut.h"

#include <algorithm>
#include <limits>

#include "pmtr/core/check.h"
#include "pmtr/core/index.h"

namespace pmtr {
void MinCut::add_edge(std::int32_t a, std::int32_t b, double weight) {
  const auto first = static_cast<std::int32_t>(arcs_.size());
  arcs_.push_back({b, weight});
  arcs_.push_back({a, weight});
  arcs_of_[at(a)].push_back(first);
  arcs_of_[at(b)].push_back(first + 1);
}

bool MinCut::find_levels(std::span<const std::int32_t> sources) {
  level_.assign(arcs_of_.size(), -1);
  std::vector<std::int32_t> queue(sources.begin(), sources.end());
  for (const std::int32_t s : queue) level_[at(s)] = 0;
  bool reached = false;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::int32_t node = queue[i];
    if (is_sink_[at(node)]) {
      reached = true;
      continue;
    }
    for (const std::int32_t arc : arcs_of_[at(node)]) {
      const auto& [to, capacity] = arcs_[at(arc)];
      if (capacity <= 0 || level_[at(to)] >= 0) continue;
      level_[at(to)] = level_[at(node)] + 1;
      queue.push_back(to);
    }
  }
  return reached;
}

double MinCut::push(std::int32_t node, double flow) {
  if (is_sink_[at(node)]) return flow;
  double sent = 0;
  for (std::size_t& i = next_[at(node)]; i < arcs_of_[at(node)].size(); ++i) {
    const std::int32_t arc = arcs_of_[at(node)][i];
    const auto [to, capacity] = arcs_[at(arc)];
    if (capacity <= 0 || level_[at(to)] != level_[at(node)] + 1) continue;
    const double got = push(to, std::min(flow - sent, capacity));
    arcs_[at(arc)].capacity -= got;
    arcs_[at(arc ^ 1)].capacity += got;
    sent += got;
    // The arc is left only when it is full or leads nowhere; by min(), equal means exactly equal.
    if (sent >= flow) return sent;
  }
  return sent;
}

std::vector<bool> MinCut::separate(std::span<const std::int32_t> sources,
                                   std::span<const std::int32_t> sinks) {
  is_sink_.assign(arcs_of_.size(), false);
  for (const std::int32_t t : sinks) is_sink_[at(t)] = true;
  for (const std::int32_t s : sources) PMTR_CHECK(!is_sink_[at(s)], "a node on both sides");
  while (find_levels(sources)) {
    next_.assign(arcs_of_.size(), 0);
    double sent = 0;
    for (const std::int32_t s : sources) sent += push(s, std::numeric_limits<double>::max());
    if (sent <= 0) break;  // only rounding is left
  }
  std::vector<bool> side(arcs_of_.size());
  for (std::size_t i = 0; i < side.size(); ++i) side[i] = level_[i] >= 0 && !is_sink_[i];
  return side;
}

}  // namespace pmtr
