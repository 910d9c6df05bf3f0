// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/formats/zip_reader.h"

#include <gtest/gtest.h>

#include "pmtr/core/file.h"
#include "support/torch_archive.h"

namespace pmtr {
namespace {

using test::ZipWriter;

ZipWriter two_entries() {
  ZipWriter zip;
  zip.add("a/one", "first").add("a/two", std::string(1000, 'x'));
  return zip;
}

/// The error of opening the file or of reading an entry, whichever comes first.
Status read_all(const std::string& file) {
  PMTR_TRY(const ZipReader zip, ZipReader::open(as_bytes(file), "test.zip"));
  for (const ZipEntry& entry : zip.entries()) {
    const auto content = zip.read(entry);
    if (!content.ok()) return content.error();
  }
  return {};
}

TEST(ZipReader, Crc32OfTheStandardCheckString) { EXPECT_EQ(crc32(as_bytes("123456789")), 0xCBF43926U); }

TEST(ZipReader, ReadsStoredEntriesWithAndWithoutZip64AndBeforeAComment) {
  for (const bool zip64 : {false, true}) {
    ZipWriter writer = two_entries();
    writer.zip64 = zip64;
    writer.comment = "written by a test";
    const std::string file = writer.finish();
    const auto zip = ZipReader::open(as_bytes(file), "test.zip");
    ASSERT_TRUE(zip.ok()) << zip.error().text();
    ASSERT_EQ(zip->entries().size(), 2U);
    ASSERT_NE(zip->find("a/one"), nullptr);
    EXPECT_EQ(zip->find("a/three"), nullptr);
    const auto one = zip->read(*zip->find("a/one"));
    const auto two = zip->read(*zip->find("a/two"));
    ASSERT_TRUE(one.ok() && two.ok());
    EXPECT_EQ(as_text(*one), "first");
    EXPECT_EQ(as_text(*two), std::string(1000, 'x'));
  }
}

TEST(ZipReader, FindsDamageByTheChecksumUnlessToldNotToLook) {
  std::string file = two_entries().finish();
  file[file.find("first")] = 'F';
  const Status status = read_all(file);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().cause, Cause::malformed);
  EXPECT_NE(status.error().message.find("checksum"), std::string::npos) << status.error().text();
  EXPECT_EQ(status.error().place.byte, file.find("First"));
  const auto unchecked = ZipReader::open(as_bytes(file), "test.zip", false);
  ASSERT_TRUE(unchecked.ok());
  EXPECT_TRUE(unchecked->read(*unchecked->find("a/one")).ok());
}

TEST(ZipReader, RefusesCompressedEntriesButOnlyWhenTheyAreRead) {
  ZipWriter writer = two_entries();
  writer.method = 8;
  const std::string file = writer.finish();
  ASSERT_TRUE(ZipReader::open(as_bytes(file), "test.zip").ok());
  const Status status = read_all(file);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().cause, Cause::unsupported);
}

TEST(ZipReader, RefusesTheSameNameTwice) {
  ZipWriter writer;
  writer.add("a/data.pkl", "good").add("a/data.pkl", "evil");
  const auto zip = ZipReader::open(as_bytes(writer.finish()), "test.zip");
  ASSERT_FALSE(zip.ok());
  EXPECT_NE(zip.error().message.find("twice"), std::string::npos);
}

TEST(ZipReader, BoundsCountsAndOffsetsByTheFile) {
  for (const bool zip64 : {false, true}) {
    ZipWriter many = two_entries();
    many.zip64 = zip64;
    many.claimed_entries = zip64 ? std::uint64_t{1} << 62U : 60000;
    EXPECT_FALSE(read_all(many.finish()).ok());
    ZipWriter far = two_entries();
    far.zip64 = zip64;
    far.data_offset_error = zip64 ? ~std::uint64_t{0} - 20 : 0x7FFFFFFF;
    EXPECT_FALSE(read_all(far.finish()).ok());
  }
}

TEST(ZipReader, EveryTruncationAndEveryChangedDirectoryByteIsSafe) {
  for (const bool zip64 : {false, true}) {
    ZipWriter writer = two_entries();
    writer.zip64 = zip64;
    const std::string file = writer.finish();
    ASSERT_TRUE(read_all(file).ok());
    for (std::size_t size = 0; size < file.size(); ++size)
      EXPECT_FALSE(read_all(file.substr(0, size)).ok()) << size;
    for (std::size_t at = file.size() - 300; at < file.size(); ++at) {
      for (const char value : {'\x00', '\x01', '\x7f', '\xff'}) {
        std::string changed = file;
        changed[at] = value;
        (void)read_all(changed).ok();  // any answer, but an answer
      }
    }
  }
}

}  // namespace
}  // namespace pmtr
