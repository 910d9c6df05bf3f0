// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/core/threads.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace pmtr {
namespace {

constexpr int team_sizes[] = {1, 2, 8};

TEST(Threads, CountsTheCaller) {
  for (const int count : team_sizes) EXPECT_EQ(Threads(count).count(), count);
  EXPECT_EQ(Threads::none().count(), 1);
}

TEST(Threads, EveryIndexOnce) {
  for (const int count : team_sizes) {
    Threads threads(count);
    for (const std::int64_t n : {0, 1, 7, 64, 1000, 4097}) {
      for (const std::int64_t grain : {1, 3, 64, 5000}) {
        std::vector<int> visits(static_cast<std::size_t>(n), 0);  // no atomics: chunks must be disjoint
        threads.parallel_for(n, grain, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
        });
        EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](int v) { return v == 1; }))
            << count << " threads, n " << n << ", grain " << grain;
      }
    }
  }
}

TEST(Threads, ChunksDoNotDependOnTheTeam) {
  using Chunks = std::set<std::pair<std::int64_t, std::int64_t>>;
  auto chunks = [](int count, std::int64_t n, std::int64_t grain) {
    Threads threads(count);
    std::mutex mutex;
    Chunks found;
    threads.parallel_for(n, grain, [&](std::int64_t begin, std::int64_t end) {
      const std::lock_guard lock(mutex);
      found.emplace(begin, end);
    });
    return found;
  };
  EXPECT_EQ(chunks(2, 10, 4), (Chunks{{0, 4}, {4, 8}, {8, 10}}));
  for (const std::int64_t n : {5, 100, 1001}) {
    const Chunks alone = chunks(1, n, 10);
    EXPECT_EQ(chunks(2, n, 10), alone);
    EXPECT_EQ(chunks(8, n, 10), alone);
  }
}

TEST(Threads, ReductionByChunkGivesTheSameBits) {
  std::vector<float> values(10007);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0F / static_cast<float>(i + 1);
  const std::int64_t n = static_cast<std::int64_t>(values.size());
  auto sum = [&](int count) {
    Threads threads(count);
    std::vector<float> partial(static_cast<std::size_t>((n + 99) / 100));
    threads.parallel_for(n, 100, [&](std::int64_t begin, std::int64_t end) {
      partial[static_cast<std::size_t>(begin / 100)] =
          std::accumulate(values.begin() + begin, values.begin() + end, 0.0F);
    });
    return std::accumulate(partial.begin(), partial.end(), 0.0F);
  };
  EXPECT_EQ(sum(1), sum(2));
  EXPECT_EQ(sum(1), sum(8));
}

TEST(Threads, NestedCallRunsOnTheCaller) {
  Threads threads(4);
  std::atomic<int> total{0};
  std::atomic<int> elsewhere{0};
  threads.parallel_for(16, 1, [&](std::int64_t, std::int64_t) {
    const auto self = std::this_thread::get_id();
    threads.parallel_for(100, 7, [&](std::int64_t begin, std::int64_t end) {
      if (std::this_thread::get_id() != self) ++elsewhere;
      total += static_cast<int>(end - begin);
    });
  });
  EXPECT_EQ(total, 1600);
  EXPECT_EQ(elsewhere, 0);
}

TEST(Threads, ManyJobs) {
  Threads threads(8);
  std::vector<std::int64_t> sums(64);
  for (int job = 0; job < 2000; ++job) {
    threads.parallel_for(
        64, 1, [&](std::int64_t begin, std::int64_t) { sums[static_cast<std::size_t>(begin)] += begin; });
  }
  for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_EQ(sums[i], static_cast<std::int64_t>(2000 * i));
}

TEST(Threads, WorkIsShared) {
  Threads threads(2);
  // Each of the two chunks waits for the other to begin: this ends only if two threads take part.
  std::atomic<int> begun{0};
  threads.parallel_for(2, 1, [&](std::int64_t, std::int64_t) {
    ++begun;
    while (begun < 2) std::this_thread::yield();
  });
  EXPECT_EQ(begun, 2);
}

TEST(Threads, TwoCallersTakeTurns) {
  Threads threads(3);
  std::vector<int> a(500, 0);
  std::vector<int> b(500, 0);
  auto fill = [&threads](std::vector<int>& values) {
    for (int job = 0; job < 50; ++job) {
      threads.parallel_for(500, 10, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) ++values[static_cast<std::size_t>(i)];
      });
    }
  };
  std::thread other([&] { fill(a); });
  fill(b);
  other.join();
  EXPECT_EQ(a, std::vector<int>(500, 50));
  EXPECT_EQ(b, std::vector<int>(500, 50));
}

TEST(Threads, ExceptionReachesTheCaller) {
  for (const int count : team_sizes) {
    Threads threads(count);
    EXPECT_THROW(threads.parallel_for(100, 1,
                                      [](std::int64_t begin, std::int64_t) {
                                        if (begin % 10 == 3) throw std::runtime_error("no memory");
                                      }),
                 std::runtime_error);
    // The team is as good as new, and nested calls are still told from outer ones.
    std::atomic<int> total{0};
    threads.parallel_for(
        100, 1, [&](std::int64_t begin, std::int64_t end) { total += static_cast<int>(end - begin); });
    EXPECT_EQ(total, 100);
  }
}

TEST(ThreadsDeathTest, EmptyTeamIsABug) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(Threads(0), "at least one thread");
  EXPECT_DEATH(Threads::none().parallel_for(1, 0, [](std::int64_t, std::int64_t) {}), "grain >= 1");
}

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

TEST(RunTasks, tells_how_far_it_is_and_stops_when_asked) {
  for (const int count : team_sizes) {
    Threads threads(count);
    std::vector<std::int64_t> seen;
    std::atomic<int> runs{0};
    Listener listener;
    listener.progress = [&](std::string_view stage, std::int64_t done, std::int64_t total) {
      EXPECT_EQ(stage, "looking");
      EXPECT_EQ(total, 20);
      seen.push_back(done);
    };
    run_with_progress(threads, 20, "looking", listener, [&](std::int64_t) { ++runs; });
    std::vector<std::int64_t> all(20);
    std::iota(all.begin(), all.end(), 1);
    EXPECT_EQ(seen, all);
    EXPECT_EQ(runs, 20);
    listener.cancelled = [&] { return runs >= 25; };
    run_with_progress(threads, 20, "looking", listener, [&](std::int64_t) { ++runs; });
    EXPECT_GE(runs, 25);
    EXPECT_LT(runs, 25 + count);
  }
}

}  // namespace
}  // namespace pmtr
