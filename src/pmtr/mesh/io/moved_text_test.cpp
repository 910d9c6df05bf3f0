// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/moved_text.h"

#include <gtest/gtest.h>

#include "pmtr/core/file.h"

namespace pmtr {
namespace {

TEST(MovedText, ChangesOnlyTheNumbersThatChange) {
  const std::string_view text = "v 1.50 2.0\t-3e0 # 1.50\r\nw 7";
  MovedText moved(text);
  moved.replace({text.substr(2, 4), text.substr(7, 3), text.substr(11, 4)}, {1.5, 2, -3}, {1.5, 0.1, -0.0});
  moved.replace(text.substr(text.size() - 1), 0.1F);
  EXPECT_EQ(as_text(moved.finish()), "v 1.50 0.1\t0 # 1.50\r\nw 0.1");
}

TEST(MovedText, KeepsATextWithoutChanges) {
  EXPECT_EQ(as_text(MovedText("a\r\nb").finish()), "a\r\nb");
  EXPECT_TRUE(MovedText("").finish().empty());
}

}  // namespace
}  // namespace pmtr
