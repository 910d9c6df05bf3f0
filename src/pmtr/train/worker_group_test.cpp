// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/worker_group.h"

#include <cstdlib>
#include <future>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace pmtr {
namespace {

TEST(WorkerGroup, two_workers_average_and_share) {
  const auto work = [](int rank) {
    const auto group = join_workers({rank, 2, "127.0.0.1", 29731}, 30);
    EXPECT_TRUE(group.ok()) << (group.ok() ? "" : group.error().text());
    if (!group.ok()) return std::vector<torch::Tensor>{};
    // More than one bucket, and a hole.
    std::vector<torch::Tensor> tensors{torch::full({3000, 1000}, 1.0 + 2.0 * rank), torch::Tensor(),
                                       torch::full({2}, 10.0 * rank)};
    EXPECT_TRUE((*group)->average(tensors).ok());
    std::vector<torch::Tensor> shared{torch::full({4}, 7.0 + rank)};
    EXPECT_TRUE((*group)->broadcast(shared).ok());
    tensors.push_back(shared[0]);
    return tensors;
  };
  auto other = std::async(std::launch::async, work, 1);
  const auto mine = work(0);
  const auto theirs = other.get();
  for (const auto& tensors : {mine, theirs}) {
    ASSERT_EQ(tensors.size(), 4U);
    EXPECT_TRUE(torch::equal(tensors[0], torch::full({3000, 1000}, 2.0)));
    EXPECT_FALSE(tensors[1].defined());
    EXPECT_TRUE(torch::equal(tensors[2], torch::full({2}, 5.0)));
    EXPECT_TRUE(torch::equal(tensors[3], torch::full({4}, 7.0)));
  }
}

TEST(WorkerGroup, a_worker_that_is_alone_does_not_wait_forever) {
  const auto group = join_workers({0, 2, "127.0.0.1", 29732}, 2);
  ASSERT_FALSE(group.ok());
  EXPECT_THAT(group.error().message, testing::HasSubstr("cannot meet the 2 workers"));
}

TEST(GroupFromEnvironment, reads_the_usual_variables_and_names_nonsense) {
  ::unsetenv("RANK");
  EXPECT_EQ(group_from_environment()->size, 1);
  ::setenv("RANK", "1", 1);
  ::setenv("WORLD_SIZE", "4", 1);
  ::setenv("MASTER_ADDR", "10.0.0.1", 1);
  ::setenv("MASTER_PORT", "1234", 1);
  const auto address = group_from_environment();
  ASSERT_TRUE(address.ok());
  EXPECT_EQ(address->rank, 1);
  EXPECT_EQ(address->size, 4);
  EXPECT_EQ(address->address, "10.0.0.1");
  EXPECT_EQ(address->port, 1234);
  ::setenv("RANK", "4", 1);
  const auto wrong = group_from_environment();
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message, testing::HasSubstr("RANK=4"));
  for (const char* name : {"RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT"}) ::unsetenv(name);
}

}  // namespace
}  // namespace pmtr
