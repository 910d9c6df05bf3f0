// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/merge/refracture.h"

#include <gtest/gtest.h>

#include <set>

#include "pmtr/core/random.h"
#include "pmtr/fracture/merge/min_cut.h"

namespace pmtr {
namespace {

void add_wall(CellGraph& graph, std::int32_t a, std::int32_t b, double area) {
  graph.walls[static_cast<std::size_t>(a)].push_back({b, area, false});
  graph.walls[static_cast<std::size_t>(b)].push_back({a, area, false});
}

/// A bar of 4 x 4 x n cubes of side 1 whose middle is thin: one cube wide between layers n/2-1 and n/2.
CellGraph bar_with_neck(int n) {
  CellGraph graph;
  const auto index = [](int x, int y, int z) { return (z * 4 + y) * 4 + x; };
  const int count = 16 * n;
  graph.volumes.assign(static_cast<std::size_t>(count), 1.0);
  graph.outer_areas.assign(static_cast<std::size_t>(count), 1.0);
  graph.walls.resize(static_cast<std::size_t>(count));
  for (int z = 0; z < n; ++z) {
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 4; ++x) {
        if (x < 3) add_wall(graph, index(x, y, z), index(x + 1, y, z), 1);
        if (y < 3) add_wall(graph, index(x, y, z), index(x, y + 1, z), 1);
        const bool neck = z == n / 2 - 1;
        if (z + 1 < n && (!neck || (x == 1 && y == 1)))
          add_wall(graph, index(x, y, z), index(x, y, z + 1), 1);
      }
    }
  }
  for (auto& walls : graph.walls)
    std::sort(walls.begin(), walls.end(), [](const auto& a, const auto& b) { return a.cell < b.cell; });
  return graph;
}

bool connected(const CellGraph& graph, const std::vector<std::int32_t>& labels, std::int32_t piece) {
  std::vector<std::size_t> queue;
  std::set<std::size_t> seen;
  std::size_t size = 0;
  for (std::size_t c = 0; c < labels.size(); ++c) {
    if (labels[c] != piece) continue;
    ++size;
    if (queue.empty()) queue.push_back(c), seen.insert(c);
  }
  for (std::size_t i = 0; i < queue.size(); ++i) {
    for (const auto& wall : graph.walls[queue[i]]) {
      const auto next = static_cast<std::size_t>(wall.cell);
      if (labels[next] == piece && seen.insert(next).second) queue.push_back(next);
    }
  }
  return size > 0 && queue.size() == size;
}

TEST(MinCut, FindsTheNeck) {
  MinCut cut(6);  // two triangles and a weak edge between them
  for (const auto& [a, b] : {std::pair{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}}) cut.add_edge(a, b, 5);
  cut.add_edge(2, 3, 1);
  const auto side = cut.separate(std::vector<std::int32_t>{0}, std::vector<std::int32_t>{5});
  EXPECT_EQ(side, (std::vector<bool>{true, true, true, false, false, false}));
}

TEST(MinCut, TheCutIsTheSmallestOfAll) {
  Random random(3);
  for (int trial = 0; trial < 50; ++trial) {
    constexpr int n = 9;
    std::vector<std::tuple<int, int, double>> edges;
    for (int a = 0; a < n; ++a)
      for (int b = a + 1; b < n; ++b)
        if (random.uniform() < 0.5) edges.emplace_back(a, b, random.uniform());
    const auto weight = [&](unsigned mask) {
      double sum = 0;
      for (const auto& [a, b, w] : edges) sum += ((mask >> a) & 1U) != ((mask >> b) & 1U) ? w : 0;
      return sum;
    };
    double best = 1e9;  // over all sets with node 0 and without node 8
    for (unsigned mask = 0; mask < 256; ++mask)
      if ((mask & 1U) != 0) best = std::min(best, weight(mask));
    MinCut cut(n);
    for (const auto& [a, b, w] : edges) cut.add_edge(a, b, w);
    const auto side = cut.separate(std::vector<std::int32_t>{0}, std::vector<std::int32_t>{8});
    unsigned mask = 0;
    for (unsigned i = 0; i < n; ++i) mask |= side[i] ? 1U << i : 0U;
    EXPECT_EQ(mask & 257U, 1U);
    EXPECT_NEAR(weight(mask), best, 1e-12);
  }
}

TEST(Refracture, TwoPiecesMeetAtTheNeck) {
  const CellGraph graph = bar_with_neck(12);
  RefractureOptions options;
  options.min_volume_share = 0.3;
  int at_the_neck = 0;
  for (options.seed = 0; options.seed < 20; ++options.seed) {
    const auto labels = refracture(graph, options);
    ASSERT_TRUE(labels.ok()) << labels.error().text();
    bool neck = true;
    for (std::size_t c = 0; c < labels->size(); ++c)
      neck = neck && ((*labels)[c] == (*labels)[0]) == (c < labels->size() / 2);
    at_the_neck += neck ? 1 : 0;
  }
  EXPECT_EQ(at_the_neck, 20);
}

TEST(Refracture, PiecesAreConnectedAndLargeEnough) {
  const CellGraph graph = bar_with_neck(12);
  RefractureOptions options;
  for (const int pieces : {2, 3, 5, 8, 20}) {
    options.pieces = pieces;
    options.seed = static_cast<std::uint64_t>(pieces);
    const auto labels = refracture(graph, options);
    ASSERT_TRUE(labels.ok()) << labels.error().text();
    for (int p = 0; p < pieces; ++p) {
      EXPECT_TRUE(connected(graph, *labels, p)) << pieces;
      const auto size = std::count(labels->begin(), labels->end(), p);
      EXPECT_GE(static_cast<double>(size), options.volume_share() * 16 * 12) << pieces;
    }
    EXPECT_EQ(*labels, *refracture(graph, options)) << "the same seed, other pieces";
  }
}

TEST(Refracture, WhatCannotBeIsSaid) {
  const CellGraph graph = bar_with_neck(2);
  RefractureOptions options;
  for (const int pieces : {-1, 0, 1}) {
    options.pieces = pieces;
    EXPECT_EQ(refracture(graph, options).error().cause, Cause::invalid_option);
  }
  options.pieces = 33;
  EXPECT_EQ(refracture(graph, options).error().cause, Cause::degenerate);
  options.pieces = 3;
  options.min_volume_share = 0.34;
  EXPECT_EQ(refracture(graph, options).error().cause, Cause::invalid_option);
}

TEST(Refracture, SolidsThatDoNotTouchStayTogether) {
  CellGraph graph = bar_with_neck(4);
  graph.volumes.push_back(0.01);
  graph.outer_areas.push_back(1);
  graph.walls.emplace_back();
  const auto last = static_cast<std::int32_t>(graph.size() - 1);
  graph.walls[5].push_back({last, 0, true});
  graph.walls.back().push_back({5, 0, true});
  RefractureOptions options;
  options.pieces = 4;
  const auto labels = refracture(graph, options);
  ASSERT_TRUE(labels.ok());
  EXPECT_EQ(labels->back(), (*labels)[5]);
}

}  // namespace
}  // namespace pmtr
