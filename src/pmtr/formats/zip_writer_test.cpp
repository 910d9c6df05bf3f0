// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/formats/zip_writer.h"

#include <gtest/gtest.h>

#include "pmtr/core/file.h"
#include "pmtr/formats/zip_reader.h"
#include "support/temporary_folder.h"

namespace pmtr {
namespace {

struct Collected {
  std::string bytes;
  ZipWriter::Sink sink() {
    return [this](std::span<const std::byte> more) {
      bytes += as_text(more);
      return true;
    };
  }
};

TEST(ZipWriter, OurReaderReadsWhatItWrites) {
  const test::TemporaryFolder folder;
  const std::string large(3'000'000, 'x');  // more than one piece
  ASSERT_TRUE(write_file(folder / "large", large).ok());
  Collected zip;
  ZipWriter writer(zip.sink());
  ASSERT_TRUE(writer.add("a/empty", {}).ok());
  ASSERT_TRUE(writer.add("a/<b>ä.txt", as_bytes("short")).ok());
  ASSERT_TRUE(writer.add_file("large", folder / "large").ok());
  ASSERT_TRUE(writer.finish().ok());
  const auto read = ZipReader::open(as_bytes(zip.bytes), "test.zip");
  ASSERT_TRUE(read.ok()) << read.error().text();
  ASSERT_EQ(read->entries().size(), 3U);
  const std::vector<std::pair<std::string, std::string>> wanted = {
      {"a/empty", ""}, {"a/<b>ä.txt", "short"}, {"large", large}};
  for (const auto& [name, content] : wanted) {
    const ZipEntry* entry = read->find(name);
    ASSERT_NE(entry, nullptr) << name;
    const auto bytes = read->read(*entry);
    ASSERT_TRUE(bytes.ok()) << bytes.error().text();
    EXPECT_TRUE(as_text(*bytes) == content) << name;
  }
}

TEST(ZipWriter, NamesThatLeadOutAreRefused) {
  for (const char* bad : {"", "/a", "a//b", "../a", "a/../b", "a/..", ".", "a/", "a\\b"})
    EXPECT_FALSE(is_safe_entry_name(bad)) << bad;
  for (const char* good : {"a", "a/b", "..a", "a..", "...", "<i>x", "-rf"})
    EXPECT_TRUE(is_safe_entry_name(good)) << good;
}

TEST(ZipWriter, MissingFilesAndClosedSinksAreErrors) {
  Collected zip;
  ZipWriter writer(zip.sink());
  const Status missing = writer.add_file("a", "/nowhere/at/all");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().cause, Cause::unreadable);
  EXPECT_TRUE(zip.bytes.empty());
  ZipWriter closed([](std::span<const std::byte>) { return false; });
  const Status stopped = closed.add("a", as_bytes("x"));
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().cause, Cause::cancelled);
}

}  // namespace
}  // namespace pmtr
