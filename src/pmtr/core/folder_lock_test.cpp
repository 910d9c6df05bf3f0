// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/core/folder_lock.h"

#include <optional>

#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace pmtr {
namespace {

TEST(FolderLock, keeps_a_second_one_out_until_it_is_gone) {
  const test::TemporaryFolder folder;
  auto first = FolderLock::take(folder.path());
  ASSERT_TRUE(first.ok());
  const auto second = FolderLock::take(folder.path());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().cause, Cause::mismatch);
  std::optional<FolderLock> moved(*std::move(first));
  EXPECT_FALSE(FolderLock::take(folder.path()).ok());
  moved.reset();
  EXPECT_TRUE(FolderLock::take(folder.path()).ok());
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FolderLock, of_a_folder_that_is_not_there_is_an_error) {
  const test::TemporaryFolder folder;
  EXPECT_FALSE(FolderLock::take(folder / "nothing").ok());
}

}  // namespace
}  // namespace pmtr
