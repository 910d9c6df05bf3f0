// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/formats/number_text.h"

#include <cmath>

#include <gtest/gtest.h>

namespace pmtr {
namespace {

TEST(ParseNumber, ReadsWhatFilesContain) {
  EXPECT_EQ(parse_number("1.5"), 1.5);
  EXPECT_EQ(parse_number("+1.5e2"), 150.0);
  EXPECT_EQ(parse_number("-.5"), -0.5);
  EXPECT_EQ(parse_number("3."), 3.0);
  EXPECT_TRUE(std::isnan(*parse_number("NaN")));
  EXPECT_TRUE(std::isinf(*parse_number("-inf")));
  for (const char* bad : {"", "+", "-", "+-1", "1,5", "0x10", "1.5f", "abc", "1 "})
    EXPECT_FALSE(parse_number(bad)) << bad;
}

TEST(ParseNumber, TellsTooLargeFromTooSmall) {
  EXPECT_EQ(parse_number("1e400"), INFINITY);
  EXPECT_EQ(parse_number("-1e400"), -INFINITY);
  EXPECT_EQ(parse_number("1e-400"), 0.0);
  EXPECT_EQ(parse_number("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(parse_number("1" + std::string(400, '0') + ".0"), INFINITY);
  EXPECT_EQ(parse_number("1" + std::string(400, '0') + "e-5"), INFINITY);
  EXPECT_EQ(parse_number("1e99999999999999999999"), INFINITY);
  EXPECT_EQ(parse_number("1e-99999999999999999999"), 0.0);
  EXPECT_EQ(parse_number("0e99999999999999999999"), 0.0);
  EXPECT_EQ(parse_number<float>("-1e39"), -INFINITY);
  EXPECT_EQ(parse_number<float>("1" + std::string(39, '0') + "e-100"), 0.0F);
}

TEST(AppendNumber, IsShortestAndExact) {
  std::string text;
  append_number(text, 0.1);
  text += ' ';
  append_number(text, 0.1F);
  text += ' ';
  append_number(text, 1.0 / 3);
  EXPECT_EQ(text, "0.1 0.1 0.3333333333333333");
  text.clear();
  append_number(text, -0.0);
  append_number(text, std::uint64_t{18446744073709551615U});
  EXPECT_EQ(text, "018446744073709551615");
}

}  // namespace
}  // namespace pmtr
