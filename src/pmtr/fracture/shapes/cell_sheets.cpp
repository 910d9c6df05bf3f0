// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/shapes/cell_sheets.h"

#include <vector>

namespace pmtr {
namespace {

Sheets sheets_of(unsigned inner) {
  const auto inside = [&](unsigned corner) { return ((inner >> corner) & 1U) != 0; };
  const auto ends = [](std::size_t edge) {
    const unsigned low = edge_start[edge];
    return std::array<unsigned, 2>{low, low | (1U << edge_axis(edge))};
  };
  std::array<std::int8_t, 12> root{};
  for (std::size_t e = 0; e < 12; ++e)
    root[e] = inside(ends(e)[0]) != inside(ends(e)[1]) ? static_cast<std::int8_t>(e) : std::int8_t{-1};
  for (unsigned axis = 0; axis < 3; ++axis) {
    for (unsigned side = 0; side < 2; ++side) {
      std::vector<std::size_t> crossed;
      for (std::size_t e = 0; e < 12; ++e) {
        const auto on_side = [&](unsigned corner) { return ((corner >> axis) & 1U) == side; };
        if (root[e] >= 0 && on_side(ends(e)[0]) && on_side(ends(e)[1])) crossed.push_back(e);
      }
      const auto inner_end = [&](std::size_t e) { return inside(ends(e)[0]) ? ends(e)[0] : ends(e)[1]; };
      for (const std::size_t a : crossed) {
        for (const std::size_t b : crossed) {
          if (crossed.size() == 4 && inner_end(a) != inner_end(b)) continue;
          const std::int8_t from = root[a];
          const std::int8_t to = root[b];
          for (std::int8_t& r : root)
            if (r == from) r = to;
        }
      }
    }
  }
  Sheets sheets;
  sheets.of_edge.fill(-1);
  std::array<std::int8_t, 12> number{};
  number.fill(-1);
  for (std::size_t e = 0; e < 12; ++e) {
    if (root[e] < 0) continue;
    std::int8_t& n = number[static_cast<std::uint8_t>(root[e])];
    if (n < 0) n = sheets.count++;
    sheets.of_edge[e] = n;
  }
  return sheets;
}

}  // namespace

const std::array<Sheets, 256>& sheet_table() {
  static const std::array<Sheets, 256> table = [] {
    std::array<Sheets, 256> all;
    for (unsigned i = 0; i < 256; ++i) all[i] = sheets_of(i);
    return all;
  }();
  return table;
}

}  // namespace pmtr
