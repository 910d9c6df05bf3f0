// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string_view>

#include "pmtr/render/image.h"

namespace pmtr {

/// Small text for captions: every character is 5 dots wide and 7 high, with one dot between. Characters other
/// than printable ASCII show as a box (one for each UTF-8 character).
struct BitmapFont {
  static constexpr int width = 5;
  static constexpr int height = 7;
  static constexpr int advance = 6;
};

/// Characters as they are drawn: UTF-8 sequences count once.
int text_length(std::string_view text);

/// Width in pixels, without the space after the last character.
int text_width(std::string_view text, int scale);

/// Draws with the upper left corner at (x, y); a dot is `scale` pixels on a side. Cut off at the border.
void draw_text(Image& image, int x, int y, std::string_view text, Rgb colour, int scale = 1);

}  // namespace pmtr
