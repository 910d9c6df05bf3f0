// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace pmtr {

/// The edges of a cell: edge 4 a + i runs along axis a from its corner edge_start. Corners have bit 0 for x,
/// 1 for y, 2 for z.
inline constexpr std::array<std::uint8_t, 12> edge_start{0, 2, 4, 6, 0, 1, 4, 5, 0, 1, 2, 3};
constexpr std::size_t edge_axis(std::size_t edge) { return edge / 4; }

/// For every pattern of inner corners, the sheet of surface that each edge belongs to: sheets are not
/// connected within the cell. Where a side of the cell has two inner corners across, they stay apart.
struct Sheets {
  std::array<std::int8_t, 12> of_edge{};  ///< -1: not crossed
  std::int8_t count = 0;
};

/// By the pattern: bit c is set where corner c is inside.
const std::array<Sheets, 256>& sheet_table();

}  // namespace pmtr
