// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "progress_bar.h"

#include <algorithm>
#include <csignal>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pmtr::command {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ProgressBar, Durations) {
  EXPECT_EQ(duration_text(0.2), "0 s");
  EXPECT_EQ(duration_text(59.4), "59 s");
  EXPECT_EQ(duration_text(59.6), "1 min 0 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7260), "2 h 1 min");
  EXPECT_EQ(duration_text(-1), "0 s");
}

TEST(ProgressBar, TimeLeft) {
  EXPECT_EQ(progress_text("pairs", 0, 10, 5.0), "pairs 0/10");
  EXPECT_EQ(progress_text("pairs", 2, 10, 5.0), "pairs 2/10, 20 s left");
  EXPECT_EQ(progress_text("pairs", 2, 10, 0.5), "pairs 2/10");  // too early to tell
  EXPECT_EQ(progress_text("pairs", 10, 10, 5.0), "pairs 10/10");
  EXPECT_EQ(progress_text("search", 7, 0, 5.0), "search 7");
}

TEST(ProgressBar, LinesForProgramsComeBackAsTheyWere) {
  testing::internal::CaptureStderr();
  {
    ProgressBar bar(/*for_programs=*/true);
    bar.listener().advance("full search", 3, 10);
    bar.listener().advance("assemble", 0, 0);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "pmtr: progress 3 10 full search\npmtr: progress 0 0 assemble\n");
  const auto step = parse_progress_line("pmtr: progress 3 10 full search");
  ASSERT_TRUE(step);
  EXPECT_EQ(step->stage, "full search");
  EXPECT_EQ(step->done, 3);
  EXPECT_EQ(step->total, 10);
  for (const char* other :
       {"", "pmtr: progress", "pmtr: progress 3", "pmtr: progress 3 10", "pmtr: progress 3 10 ",
        "pmtr: progress -3 10 x", "pmtr: progress 99999999999999999999 1 x", "pmtr: progress 3x 10 x",
        "pmtr: warning: progress 3 10 x", "progress 3 10 x"})
    EXPECT_FALSE(parse_progress_line(other)) << other;
}

TEST(ProgressBar, GroupsForProgramsComeBackAsTheyWere) {
  testing::internal::CaptureStderr();
  const std::vector<int> groups = {0, 0, -1, 12};
  {
    ProgressBar bar(/*for_programs=*/true);
    bar.listener().tell_groups(groups);
    ProgressBar silent;
    silent.listener().tell_groups(groups);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "pmtr: groups 0 0 -1 12\n");
  EXPECT_EQ(parse_groups_line("pmtr: groups 0 0 -1 12"), groups);
  for (const char* other : {"", "pmtr: groups", "pmtr: groups ", "pmtr: groups 0 ", "pmtr: groups -2",
                            "pmtr: groups 1,2", "pmtr: groups 99999999999", "groups 0 1"})
    EXPECT_FALSE(parse_groups_line(other)) << other;
}

TEST(ProgressBar, PlainLinesWithoutTerminal) {
  testing::internal::CaptureStderr();
  {
    ProgressBar bar;
    const Listener listener = bar.listener();
    for (int i = 0; i <= 1000; ++i) listener.advance("pairs", i, 1000);
    listener.warn("odd");
    listener.say("good");
  }
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_THAT(text, HasSubstr("pmtr: pairs 1000/1000\n"));
  EXPECT_THAT(text, HasSubstr("pmtr: warning: odd\n"));
  EXPECT_THAT(text, HasSubstr("pmtr: good\n"));
  EXPECT_THAT(text, Not(HasSubstr("\033")));
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 10);  // not one line per call
}

// Test runners may have been started with the signal ignored; these tests are about one that is not.
TEST(ProgressBar, FirstInterruptAsksToStop) {
  std::signal(SIGINT, SIG_DFL);
  ProgressBar bar;
  const Listener listener = bar.listener();
  EXPECT_FALSE(listener.stop());
  std::raise(SIGINT);
  EXPECT_TRUE(listener.stop());
}

TEST(ProgressBarDeathTest, SecondInterruptEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        std::signal(SIGINT, SIG_DFL);
        const ProgressBar bar;
        std::raise(SIGINT);
        std::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST(ProgressBarDeathTest, InterruptAfterwardsHasItsUsualEffect) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        std::signal(SIGINT, SIG_DFL);
        { const ProgressBar bar; }
        std::raise(SIGINT);
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST(ProgressBar, IgnoredInterruptsStayIgnored) {
  std::signal(SIGINT, SIG_IGN);
  {
    ProgressBar bar;
    std::raise(SIGINT);
    EXPECT_FALSE(bar.listener().stop());
  }
  EXPECT_EQ(std::signal(SIGINT, SIG_DFL), SIG_IGN);
}

}  // namespace
}  // namespace pmtr::command
