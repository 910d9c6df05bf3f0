// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/cached_object.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/core/file.h"
#include "pmtr/core/random.h"
#include "pmtr/dataset/dataset_test_support.h"
#include "pmtr/dataset/object_cache.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "support/mesh_bytes.h"
#include "support/temporary_folder.h"

namespace pmtr {
namespace {

BrokenObject some_object(bool single) {
  auto pieces = test::cut_bar(single ? 4 : 3, 2);  // thirds need double precision
  BrokenObject object = make_broken_object(std::move(pieces));
  object.object = "everyday/Bar/x";
  object.fracture = "mode_1";
  object.category = "Bar";
  for (std::size_t p = 0; p < object.pieces.size(); ++p) object.piece_names[p] = "piece_" + std::to_string(p);
  return object;
}

ObjectStamp some_stamp() {
  ObjectStamp stamp;
  stamp.files = {{"a/piece_0.ply", 17, -5}, {"a/piece_1.ply", 18, 6}};
  stamp.tolerance = 0.25;
  return stamp;
}

void expect_same(const BrokenObject& a, const BrokenObject& b) {
  EXPECT_EQ(a.name(), b.name());
  EXPECT_EQ(a.category, b.category);
  EXPECT_EQ(a.piece_names, b.piece_names);
  EXPECT_EQ(a.volumes, b.volumes);
  EXPECT_EQ(a.mating.partner, b.mating.partner);
  EXPECT_EQ(a.mating.piece_areas, b.mating.piece_areas);
  EXPECT_EQ(a.mating.exact, b.mating.exact);
  ASSERT_EQ(a.mating.pairs.size(), b.mating.pairs.size());
  for (std::size_t i = 0; i < a.mating.pairs.size(); ++i) {
    EXPECT_EQ(a.mating.pairs[i].b, b.mating.pairs[i].b);
    EXPECT_EQ(a.mating.pairs[i].area, b.mating.pairs[i].area);
    EXPECT_EQ(a.mating.pairs[i].share_of_b, b.mating.pairs[i].share_of_b);
  }
  ASSERT_EQ(a.pieces.size(), b.pieces.size());
  for (std::size_t p = 0; p < a.pieces.size(); ++p) {
    EXPECT_EQ(a.pieces[p].vertices, b.pieces[p].vertices);
    EXPECT_EQ(a.pieces[p].faces, b.pieces[p].faces);
  }
}

TEST(CachedObject, ComesBackAsItWas) {
  for (const bool single : {true, false}) {
    const BrokenObject object = some_object(single);
    const auto bytes = format_cached_object(object, some_stamp());
    const auto cached = parse_cached_object(bytes, "c");
    ASSERT_TRUE(cached.ok()) << cached.error().text();
    EXPECT_EQ(cached->stamp, some_stamp());
    expect_same(cached->object, object);
    EXPECT_EQ(format_cached_object(cached->object, cached->stamp), bytes);
  }
  EXPECT_LT(format_cached_object(some_object(true), {}).size(), 20000U);
}

TEST(CachedObject, DamageIsNoticed) {
  auto bytes = format_cached_object(some_object(true), some_stamp());
  test::expect_prefixes_refused(bytes, [](const auto& b) { return parse_cached_object(b, "c"); });
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    auto damaged = bytes;
    damaged[random.below(damaged.size())] ^= std::byte{4};
    EXPECT_FALSE(parse_cached_object(damaged, "c").ok());
  }
}

/// A valid checksum over nonsense: the reader itself must hold.
TEST(CachedObject, NonsenseWithAGoodChecksumIsRefusedOrHarmless) {
  const BrokenObject object = some_object(true);
  const auto refused = [](BrokenObject bad) {
    return !parse_cached_object(format_cached_object(bad, some_stamp()), "c").ok();
  };
  BrokenObject bad = object;
  bad.pieces[0].faces[3][1] = 1000000;
  EXPECT_TRUE(refused(bad));
  bad = object;
  bad.mating.partner[1][2] = 4;
  EXPECT_TRUE(refused(bad));
  bad = object;
  bad.mating.pairs[0].b = 9;
  EXPECT_TRUE(refused(bad));
  bad = object;
  bad.pieces[2].vertices[0].x() = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(refused(bad));
  bad = object;
  bad.volumes[0] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(refused(bad));
}

class ObjectCacheTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* fracture : {"mode_0", "mode_1"}) {
      const auto folder = data_ / "Bar/x" / fracture;
      std::filesystem::create_directories(folder);
      const auto pieces = test::cut_bar(2, 2);
      for (std::size_t p = 0; p < 2; ++p) {
        ASSERT_TRUE(write_mesh(folder / ("piece_" + std::to_string(p) + ".ply"), pieces[p]).ok());
      }
    }
    auto index = list_dataset(data_, {});
    ASSERT_TRUE(index.ok());
    index_ = *index;
  }
  test::TemporaryFolder folder_;
  std::filesystem::path data_ = folder_ / "data";
  std::filesystem::path cache_ = folder_ / "cache";
  DatasetIndex index_;
};

TEST_F(ObjectCacheTest, IsMadeOnceAndGivesTheSame) {
  const ObjectCache cache(cache_);
  std::int64_t told = 0;
  Listener listener;
  listener.progress = [&](std::string_view, std::int64_t done, std::int64_t) { told = done; };
  Threads threads(2);
  EXPECT_EQ(*cache.build(index_, threads, listener), 2);
  EXPECT_EQ(told, 2);
  EXPECT_EQ(*cache.build(index_, threads), 0);
  const auto& object = index_.objects[0];
  const auto from_cache = cache.read(index_, object, object.fractures[1]);
  const auto from_source = read_broken_object(index_, object, object.fractures[1]);
  ASSERT_TRUE(from_cache.ok());
  expect_same(*from_cache, *from_source);
}

TEST_F(ObjectCacheTest, StaleEntriesAreMadeAgain) {
  Threads& threads = Threads::none();
  ASSERT_EQ(*ObjectCache(cache_).build(index_, threads), 2);
  // Another content, another time.
  const auto changed = data_ / index_.objects[0].fractures[0].pieces[1];
  ASSERT_TRUE(write_mesh(changed, test::cut_bar(2, 3)[1]).ok());
  EXPECT_EQ(*ObjectCache(cache_).build(index_, threads), 1);
  std::filesystem::last_write_time(changed,
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(5));
  EXPECT_EQ(*ObjectCache(cache_).build(index_, threads), 1);
  ReadObjectOptions other;
  other.mating.tolerance = 0.02;
  EXPECT_EQ(*ObjectCache(cache_, other).build(index_, threads), 2);
  // A damaged entry.
  const auto entry = cache_ / "Bar/x/mode_1.pmtrobj";
  ASSERT_TRUE(write_file(entry, std::string_view("nonsense")).ok());
  EXPECT_EQ(*ObjectCache(cache_, other).build(index_, threads), 1);
}

TEST_F(ObjectCacheTest, AFolderThatCannotBeWrittenIsAWarning) {
  ASSERT_TRUE(write_file(cache_, std::string_view("a file where a folder should be")).ok());
  std::string warning;
  Listener listener;
  listener.warning = [&](std::string_view text) { warning = text; };
  const auto& object = index_.objects[0];
  EXPECT_TRUE(ObjectCache(cache_).read(index_, object, object.fractures[0], listener).ok());
  EXPECT_THAT(warning, testing::HasSubstr("cache"));
}

TEST_F(ObjectCacheTest, StopsWhenAsked) {
  Listener listener;
  listener.cancelled = [] { return true; };
  EXPECT_EQ(ObjectCache(cache_).build(index_, Threads::none(), listener).error().cause, Cause::cancelled);
}

}  // namespace
}  // namespace pmtr
