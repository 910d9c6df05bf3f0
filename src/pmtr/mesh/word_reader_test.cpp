// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/word_reader.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace pmtr {
namespace {

TEST(WordReader, KnowsPlacesWithAnyLineEnd) {
  const std::string_view text = "a  b\r\nc\rd # e\n\n  f#g\n";
  WordReader words(text, 0, 1, '#');
  std::vector<std::string> seen;
  for (Word word; words.next(word);) {
    seen.push_back(std::string(word.text) + std::to_string(word.line));
    EXPECT_EQ(text.substr(word.begin, word.text.size()), word.text);
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"a1", "b1", "c2", "d3", "f5"}));
}

TEST(WordReader, StopsAtTheEndOfTheLine) {
  WordReader words("1 2\n3");
  Word word;
  EXPECT_TRUE(words.next_on_line(word));
  EXPECT_TRUE(words.next_on_line(word));
  EXPECT_FALSE(words.next_on_line(word));
  EXPECT_FALSE(words.next_on_line(word));
  words.skip_line();
  EXPECT_TRUE(words.next_on_line(word));
  EXPECT_EQ(word.text, "3");
  EXPECT_FALSE(words.next(word));
}

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
}

TEST(AppendNumber, IsShortestAndExact) {
  std::string text;
  append_number(text, 0.1);
  text += ' ';
  append_number(text, 0.1F);
  text += ' ';
  append_number(text, 1.0 / 3);
  EXPECT_EQ(text, "0.1 0.1 0.3333333333333333");
}

TEST(Shown, HidesControlBytesAndCuts) {
  EXPECT_EQ(shown("a\x01z"), "\"a?z\"");
  EXPECT_EQ(shown(std::string(100, 'x')), "\"" + std::string(40, 'x') + "...\"");
}

}  // namespace
}  // namespace pmtr
