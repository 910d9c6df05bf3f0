// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/core/file.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace pmtr {
namespace {

using test::TemporaryFolder;

std::string text_of(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  return bytes.ok() ? std::string(as_text(*bytes)) : "error: " + bytes.error().text();
}

std::vector<std::string> names_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

TEST(File, RoundTrip) {
  const TemporaryFolder folder;
  std::string content("with a zero \0 inside and\r\n line ends\n", 38);
  content += std::string(1 << 20, 'x');
  ASSERT_TRUE(write_file(folder / "a", content).ok());
  EXPECT_EQ(text_of(folder / "a"), content);
  ASSERT_TRUE(write_file(folder / "a", std::string_view()).ok());
  EXPECT_EQ(text_of(folder / "a"), "");
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre("a"));  // nothing left beside it
}

TEST(ReadFile, LimitIsInclusive) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", std::string_view("12345")).ok());
  EXPECT_TRUE(read_file(folder / "a", 5).ok());
  const auto over = read_file(folder / "a", 4);
  ASSERT_FALSE(over.ok());
  EXPECT_EQ(over.error().cause, Cause::too_large);
  EXPECT_EQ(over.error().place.file, (folder / "a").string());
}

TEST(ReadFile, LimitComesBeforeAllocation) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", std::string_view("x")).ok());
  std::filesystem::resize_file(folder / "a", std::uintmax_t{1} << 40);  // sparse
  const auto over = read_file(folder / "a");
  ASSERT_FALSE(over.ok());
  EXPECT_EQ(over.error().cause, Cause::too_large);
}

TEST(ReadFile, WhatIsNotAFile) {
  const TemporaryFolder folder;
  ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
  struct Case {
    std::filesystem::path path;
    const char* message;
  };
  const Case cases[] = {
      {folder.path(), "is a folder"},          {folder / "missing", "No such file"},
      {folder / "pipe", "not a regular file"},  // and does not wait for a writer
      {"/dev/null", "not a regular file"},     {"", "No such file"},
  };
  for (const Case& item : cases) {
    const auto result = read_file(item.path);
    ASSERT_FALSE(result.ok()) << item.path;
    EXPECT_EQ(result.error().cause, Cause::unreadable);
    EXPECT_THAT(result.error().text(), testing::HasSubstr(item.message));
    EXPECT_EQ(result.error().place.file, item.path.string());
  }
}

TEST(WriteFile, OntoAFolderFailsAndLeavesIt) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "a");
  const Status status = write_file(folder / "a", std::string_view("new"));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().cause, Cause::unwritable);
  EXPECT_TRUE(std::filesystem::is_directory(folder / "a"));
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre("a"));
}

TEST(WriteFile, IntoAMissingFolderFails) {
  const TemporaryFolder folder;
  const Status status = write_file(folder / "missing" / "a", std::string_view("new"));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().cause, Cause::unwritable);
  EXPECT_EQ(status.error().place.file, (folder / "missing" / "a").string());
}

TEST(WriteFile, IntoAnUnwritableFolderKeepsTheOldFile) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", std::string_view("old")).ok());
  std::filesystem::permissions(folder.path(),
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  const Status status = write_file(folder / "a", std::string_view("new"));
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(text_of(folder / "a"), "old");
}

TEST(WriteFile, DiskFullKeepsTheOldFile) {
  const TemporaryFolder folder;
  ASSERT_TRUE(write_file(folder / "a", std::string_view("old")).ok());
  // A file size limit stands in for the full disk: part of the write succeeds, the rest does not.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4096, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status status = write_file(folder / "a", std::string(100000, 'n'));
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().cause, Cause::unwritable);
  EXPECT_EQ(text_of(folder / "a"), "old");
  EXPECT_THAT(names_in(folder.path()), testing::ElementsAre("a"));
}

}  // namespace
}  // namespace pmtr
