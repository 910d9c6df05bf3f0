// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/core/tasks.h"

#include <atomic>
#include <vector>

#include <gtest/gtest.h>

namespace pmtr {
namespace {

TEST(RunTasks, each_runs_once_whether_fewer_or_more_than_threads) {
  Threads threads(3);
  for (const int count : {0, 1, 2, 3, 10}) {
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(count));
    std::atomic<int> inner{0};
    run_tasks(threads, count, [&](std::int64_t i) {
      ++runs[static_cast<std::size_t>(i)];
      threads.parallel_for(5, 1, [&](std::int64_t, std::int64_t) { ++inner; });
    });
    for (const auto& run : runs) EXPECT_EQ(run, 1);
    EXPECT_EQ(inner, 5 * count);
  }
}

}  // namespace
}  // namespace pmtr
