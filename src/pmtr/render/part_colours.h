// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "pmtr/render/image.h"

namespace pmtr {

/// The colour of part `index`: always the same, and told apart by people with any of the common forms of
/// colour blindness. The first eight are the palette of Okabe and Ito with a grey in place of its black, in
/// an order that sets neighbours apart; after that they come again, lighter and darker in turn.
inline Rgb part_colour(std::size_t index) {
  constexpr std::array<Rgb, 8> palette = {{{0, 114, 178},    // blue
                                           {230, 159, 0},    // orange
                                           {0, 158, 115},    // green
                                           {240, 228, 66},   // yellow
                                           {213, 94, 0},     // vermilion
                                           {86, 180, 233},   // sky
                                           {204, 121, 167},  // purple
                                           {90, 90, 90}}};   // grey
  const Rgb base = palette[index % palette.size()];
  const std::size_t round = (index / palette.size()) % 5;
  // Shares of white (positive) or black (negative) that the rounds mix in.
  constexpr std::array<double, 5> mix = {0.0, 0.45, -0.35, 0.7, -0.6};
  Rgb colour;
  for (std::size_t c = 0; c < 3; ++c) {
    const double goal = mix[round] > 0 ? 255.0 : 0.0;
    const double share = mix[round] > 0 ? mix[round] : -mix[round];
    colour[c] = static_cast<std::uint8_t>(std::lround(base[c] + (goal - base[c]) * share));
  }
  return colour;
}

}  // namespace pmtr
