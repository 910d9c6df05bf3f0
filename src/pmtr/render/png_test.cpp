// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/render/png.h"

#include <gtest/gtest.h>

#include "pmtr/core/random.h"
#include "support/png_reader.h"
#include "support/temporary_folder.h"

namespace pmtr {
namespace {

TEST(Png, ReadsBackWithEveryFilter) {
  Random random(3);
  for (const auto& [width, height] : {std::pair{1, 1}, {7, 3}, {64, 40}}) {
    // Noise keeps the bytes as they are; gradients take the other filters.
    Image noise(width, height);
    for (auto& byte : noise.rgb) byte = static_cast<std::uint8_t>(random.below(256));
    Image gradient(width, height);
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) {
        gradient.set_pixel(x, y,
                           {static_cast<std::uint8_t>(3 * x + 2 * y), static_cast<std::uint8_t>(x * y), 9});
      }
    }
    for (const Image& image : {noise, gradient}) {
      const auto file = encode_png(image);
      ASSERT_TRUE(file.ok());
      const Image back = test::read_png(*file);
      EXPECT_EQ(back.width, width);
      EXPECT_EQ(back.height, height);
      EXPECT_EQ(back.rgb, image.rgb);
    }
  }
}

TEST(Png, WritesAFile) {
  const test::TemporaryFolder folder;
  const Image image(5, 4, {1, 2, 3});
  ASSERT_TRUE(write_png(folder / "a.png", image).ok());
  const auto bytes = read_file(folder / "a.png");
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(test::read_png(*bytes).rgb, image.rgb);
  EXPECT_EQ(write_png(folder / "no" / "a.png", image).error().cause, Cause::unwritable);
}

TEST(Png, AnEmptyImageIsAnError) {
  const auto file = encode_png(Image(0, 4));
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().cause, Cause::empty);
}

}  // namespace
}  // namespace pmtr
