// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/leave_out.h"

#include <gtest/gtest.h>

#include "pmtr/pipeline/assemble_fragments.h"

namespace pmtr {
namespace {

TEST(LeaveOut, one_step_and_nothing_else) {
  AssembleOptions options;
  ASSERT_TRUE(leave_out("rematch", options).ok());
  EXPECT_EQ(options.rematch.rounds, 0);
  EXPECT_EQ(options.reread.most, RereadOptions{}.most);
  EXPECT_EQ(options.whole.sweeps, WholeOptions{}.sweeps);
  ASSERT_TRUE(leave_out("whole", options).ok());
  EXPECT_EQ(options.whole.sweeps, 0);
  EXPECT_EQ(options.rematch.rounds, 0) << "both now";
}

TEST(LeaveOut, every_step_that_is_named_can_be_left_out) {
  std::string names = steps_to_leave_out;
  names.replace(names.find(" or "), 4, ", ");
  int count = 0;
  for (std::size_t at = 0; at != std::string::npos; ++count) {
    const std::size_t end = names.find(", ", at);
    AssembleOptions options;
    EXPECT_TRUE(leave_out(names.substr(at, end - at), options).ok());
    at = end == std::string::npos ? end : end + 2;
  }
  EXPECT_EQ(count, 10);
}

TEST(LeaveOut, what_is_no_step_is_said) {
  AssembleOptions options;
  const Status status = leave_out("everything", options);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().cause, Cause::invalid_option);
  EXPECT_NE(status.error().text().find("rematch"), std::string::npos);
}

}  // namespace
}  // namespace pmtr
