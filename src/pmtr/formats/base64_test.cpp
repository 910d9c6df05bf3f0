// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/formats/base64.h"

#include <gtest/gtest.h>

#include "pmtr/core/file.h"

namespace pmtr {
namespace {

TEST(Base64, pads_and_reads_back) {
  const std::pair<std::string_view, std::string_view> known[] = {
      {"", ""}, {"f", "Zg=="}, {"fo", "Zm8="}, {"foo", "Zm9v"}, {"\xff\xfe\xfd\xfc", "//79/A=="}};
  for (const auto& [bytes, text] : known) {
    std::string written;
    append_base64(written, as_bytes(bytes));
    EXPECT_EQ(written, text);
    const auto read = decode_base64(text);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(as_text(*read), bytes);
  }
  EXPECT_EQ(decode_base64("__79_A"), decode_base64("//79/A=="));
  for (const char* bad : {"a b", "Zg==Zg", "Z!"}) EXPECT_FALSE(decode_base64(bad).has_value()) << bad;
}

}  // namespace
}  // namespace pmtr
