// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/render/contact_sheet.h"

#include <gtest/gtest.h>

#include "pmtr/render/bitmap_font.h"

namespace pmtr {
namespace {

/// The picture as text: '#' where it is not white.
std::string dots(const Image& image) {
  std::string text;
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) text += image.pixel(x, y) == Rgb{255, 255, 255} ? '.' : '#';
    text += '\n';
  }
  return text;
}

TEST(BitmapFont, DrawsLettersWhereTheyBelong) {
  Image image(13, 8);
  draw_text(image, 1, 1, "L7", {0, 0, 0});
  EXPECT_EQ(dots(image),
            ".............\n"
            ".#.....#####.\n"
            ".#.........#.\n"
            ".#........#..\n"
            ".#.......#...\n"
            ".#......#....\n"
            ".#......#....\n"
            ".#####..#....\n");
}

TEST(BitmapFont, ScalesAndCutsAtTheBorder) {
  Image image(4, 4);
  draw_text(image, -2, 0, "T", {0, 0, 0}, 2);
  EXPECT_EQ(dots(image), "####\n####\n..##\n..##\n");
}

TEST(BitmapFont, OneBoxForACharacterOfManyBytes) {
  EXPECT_EQ(text_length("\xC3\xA9"
                        "t\xE2\x82\xAC"),
            3);
  EXPECT_EQ(text_width("ab", 3), 33);
  EXPECT_EQ(text_width("", 3), 0);
  Image image(6, 7);
  draw_text(image, 0, 0, "\xE2\x82\xAC", {0, 0, 0});
  EXPECT_EQ(image.pixel(0, 6), (Rgb{0, 0, 0}));
  EXPECT_EQ(image.pixel(2, 3), (Rgb{255, 255, 255}));
}

TEST(ContactSheet, LaysImagesOutWithCaptionsBelow) {
  std::vector<SheetCell> cells;
  cells.push_back({Image(20, 10, {255, 0, 0}), "I"});
  cells.push_back({Image(10, 4, {0, 255, 0}), ""});
  cells.push_back({Image(20, 10, {0, 0, 255}), "far too long for it"});
  ContactSheetOptions options;
  options.gap = 2;
  options.text_scale = 1;
  options.text = {0, 0, 0};
  const auto sheet = contact_sheet(cells, options);
  ASSERT_TRUE(sheet.ok());
  EXPECT_EQ(sheet->width, 2 + 2 * 22);
  EXPECT_EQ(sheet->height, 2 + 2 * (10 + 10 + 2));
  EXPECT_EQ(sheet->pixel(2, 2), (Rgb{255, 0, 0}));
  EXPECT_EQ(sheet->pixel(29, 5), (Rgb{0, 255, 0}));  // in the middle of its cell
  EXPECT_EQ(sheet->pixel(28, 5), (Rgb{255, 255, 255}));
  EXPECT_EQ(sheet->pixel(2, 24), (Rgb{0, 0, 255}));
  // The stem of the I: in the middle of the cell, two pixels below the image.
  EXPECT_EQ(sheet->pixel(2 + 7 + 2, 16), (Rgb{0, 0, 0}));
  // The long caption stays within its cell.
  for (int y = 34; y < sheet->height; ++y) {
    for (int x = 22; x < sheet->width; ++x) EXPECT_EQ(sheet->pixel(x, y), (Rgb{255, 255, 255}));
  }
}

TEST(ContactSheet, BadInputIsAnError) {
  EXPECT_EQ(contact_sheet({}, {}).error().cause, Cause::empty);
  ContactSheetOptions options;
  options.text_scale = 0;
  const std::vector<SheetCell> one = {{Image(2, 2), ""}};
  EXPECT_EQ(contact_sheet(one, options).error().cause, Cause::invalid_option);
}

}  // namespace
}  // namespace pmtr
