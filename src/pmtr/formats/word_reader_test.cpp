// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/formats/word_reader.h"

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

TEST(LowerCase, ChangesLettersOnly) { EXPECT_EQ(lower_case("AZ[az\xC4 1"), "az[az\xC4 1"); }

TEST(Shown, HidesControlBytesAndCuts) {
  EXPECT_EQ(shown("a\x01z"), "\"a?z\"");
  EXPECT_EQ(shown(std::string(100, 'x')), "\"" + std::string(40, 'x') + "...\"");
}

}  // namespace
}  // namespace pmtr
