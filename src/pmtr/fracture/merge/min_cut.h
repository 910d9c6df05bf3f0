// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace pmtr {

/// An undirected graph whose edges hold a weight, for the cheapest separation of two sets of nodes.
class MinCut {
 public:
  explicit MinCut(std::size_t nodes) : arcs_of_(nodes) {}

  void add_edge(std::int32_t a, std::int32_t b, double weight);

  /// The side of every node (true: with the sources) in a cut of least weight. Both sets are kept whole; they
  /// must not meet. Where each set is connected, so is each side. The edges are used up: call it once.
  std::vector<bool> separate(std::span<const std::int32_t> sources, std::span<const std::int32_t> sinks);

 private:
  struct Arc {
    std::int32_t to;
    double capacity;
  };
  bool find_levels(std::span<const std::int32_t> sources);
  double push(std::int32_t node, double flow);

  std::vector<Arc> arcs_;  ///< arc i and its reverse i ^ 1
  std::vector<std::vector<std::int32_t>> arcs_of_;
  std::vector<std::int32_t> level_;
  std::vector<std::size_t> next_;
  std::vector<bool> is_sink_;
};

}  // namespace pmtr
