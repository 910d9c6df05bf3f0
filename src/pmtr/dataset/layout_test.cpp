// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/core/file.h"
#include "pmtr/dataset/broken_object.h"
#include "pmtr/dataset/dataset_test_support.h"
#include "pmtr/dataset/natural_order.h"
#include "pmtr/dataset/split_file.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "support/temporary_folder.h"

namespace pmtr {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

void write_fracture(const fs::path& folder, int pieces, const std::string& extension = ".ply") {
  fs::create_directories(folder);
  const auto meshes = test::cut_bar(pieces, 1);
  for (int i = 0; i < pieces; ++i) {
    const auto path = folder / ("piece_" + std::to_string(i) + extension);
    ASSERT_TRUE(write_mesh(path, meshes[static_cast<std::size_t>(i)]).ok());
  }
}

/// everyday/Bottle/{a,b}, everyday/Mug/c, artifact/1_sf.
void write_dataset(const fs::path& root) {
  write_fracture(root / "everyday/Bottle/a/fractured_2", 2);
  write_fracture(root / "everyday/Bottle/a/fractured_10", 12);
  write_fracture(root / "everyday/Bottle/a/mode_0", 3, ".obj");
  write_fracture(root / "everyday/Bottle/b/fractured_0", 2);
  write_fracture(root / "everyday/Mug/c/mode_1", 4);
  write_fracture(root / "artifact/1_sf/fractured_0", 1);
  ASSERT_TRUE(write_file(root / "everyday/Bottle/a/notes.txt", std::string_view("not a piece")).ok());
  ASSERT_TRUE(write_file(root / "everyday/Bottle/a/mode_0/piece_x.ply", std::string_view("nor this")).ok());
}

std::vector<std::string> names(const DatasetIndex& index) {
  std::vector<std::string> result;
  for (const auto& object : index.objects)
    for (const auto& fracture : object.fractures) result.push_back(object.name + "/" + fracture.name);
  return result;
}

TEST(NaturalOrder, NumbersByValue) {
  EXPECT_TRUE(natural_less("piece_2", "piece_10"));
  EXPECT_FALSE(natural_less("piece_10", "piece_2"));
  EXPECT_TRUE(natural_less("a", "b"));
  EXPECT_TRUE(natural_less("a", "a1"));
  EXPECT_FALSE(natural_less("a", "a"));
  EXPECT_NE(natural_less("a01", "a1"), natural_less("a1", "a01"));
  EXPECT_TRUE(natural_less("x99999999999999999999999", "x100000000000000000000000"));
}

TEST(Layout, ListsInNaturalOrder) {
  const test::TemporaryFolder folder;
  write_dataset(folder.path());
  const auto index = list_dataset(folder.path(), {});
  ASSERT_TRUE(index.ok()) << index.error().text();
  EXPECT_THAT(names(*index), ElementsAre("everyday/Bottle/a/fractured_2", "everyday/Bottle/a/fractured_10",
                                         "everyday/Bottle/a/mode_0", "everyday/Bottle/b/fractured_0",
                                         "everyday/Mug/c/mode_1"));
  EXPECT_EQ(index->objects[0].category, "Bottle");
  EXPECT_EQ(index->fractures(), 5);
  EXPECT_EQ(index->pieces(), 23);
  EXPECT_EQ(index->objects[0].fractures[1].pieces[2], "everyday/Bottle/a/fractured_10/piece_2.ply");
  EXPECT_EQ(index->objects[0].fractures[1].pieces[11], "everyday/Bottle/a/fractured_10/piece_11.ply");
}

TEST(Layout, FiltersByPartsAndCategory) {
  const test::TemporaryFolder folder;
  write_dataset(folder.path());
  LayoutOptions options;
  options.min_parts = 1;
  options.max_parts = 3;
  EXPECT_THAT(names(*list_dataset(folder.path(), options)),
              ElementsAre("artifact/1_sf/fractured_0", "everyday/Bottle/a/fractured_2",
                          "everyday/Bottle/a/mode_0", "everyday/Bottle/b/fractured_0"));
  options.categories = {"artifact"};
  EXPECT_THAT(names(*list_dataset(folder.path(), options)), ElementsAre("artifact/1_sf/fractured_0"));
  options.categories = {"Vase"};
  EXPECT_EQ(list_dataset(folder.path(), options).error().cause, Cause::empty);
}

TEST(Layout, APartOfADatasetIsADataset) {
  const test::TemporaryFolder folder;
  write_dataset(folder.path());
  EXPECT_THAT(names(*list_dataset(folder.path() / "everyday/Bottle", {})),
              ElementsAre("a/fractured_2", "a/fractured_10", "a/mode_0", "b/fractured_0"));
  EXPECT_THAT(names(*list_dataset(folder.path() / "everyday/Mug/c", {})), ElementsAre("c/mode_1"));
}

TEST(Layout, SplitFilesOfBothKinds) {
  const test::TemporaryFolder folder;
  write_dataset(folder.path());
  LayoutOptions options;
  options.split = folder / "split.txt";
  ASSERT_TRUE(
      write_file(*options.split, std::string_view("everyday/Mug/c\r\n\n  everyday/Bottle/b/\n")).ok());
  EXPECT_THAT(names(*list_dataset(folder.path(), options)),
              ElementsAre("everyday/Bottle/b/fractured_0", "everyday/Mug/c/mode_1"));
  ASSERT_TRUE(
      write_file(*options.split, std::string_view("3 everyday/Bottle/a/mode_0\n4\teveryday/Mug/c/mode_1"))
          .ok());
  EXPECT_THAT(names(*list_dataset(folder.path(), options)),
              ElementsAre("everyday/Bottle/a/mode_0", "everyday/Mug/c/mode_1"));
}

TEST(Layout, EverythingASplitMissesIsListed) {
  const test::TemporaryFolder folder;
  write_dataset(folder.path());
  LayoutOptions options;
  options.split = folder / "split.txt";
  ASSERT_TRUE(write_file(*options.split, std::string_view("everyday/Mug/none\n5 everyday/Bottle/a/mode_0\n"
                                                          "everyday/Bottle/b\neveryday/Vase/z\n"))
                  .ok());
  const auto index = list_dataset(folder.path(), options);
  ASSERT_FALSE(index.ok());
  EXPECT_EQ(index.error().cause, Cause::mismatch);
  EXPECT_THAT(index.error().text(), HasSubstr("line 1: everyday/Mug/none is not there"));
  EXPECT_THAT(index.error().text(), HasSubstr("line 2: everyday/Bottle/a/mode_0 has 3 pieces, not 5"));
  EXPECT_THAT(index.error().text(), HasSubstr("line 4: everyday/Vase/z"));
  options.skip_missing = true;
  std::string warning;
  Listener listener;
  listener.warning = [&](std::string_view text) { warning += text; };
  EXPECT_THAT(names(*list_dataset(folder.path(), options, listener)),
              ElementsAre("everyday/Bottle/b/fractured_0"));
  EXPECT_THAT(warning, HasSubstr("everyday/Vase/z"));
}

TEST(Layout, BadInput) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(list_dataset(folder / "none", {}).error().cause, Cause::unreadable);
  EXPECT_EQ(list_dataset(folder.path(), {}).error().cause, Cause::empty);
  write_fracture(folder / "o/fractured_0", 2);
  LayoutOptions options;
  options.min_parts = 5;
  options.max_parts = 3;
  EXPECT_EQ(list_dataset(folder.path(), options).error().cause, Cause::invalid_option);
  options = {};
  options.split = folder / "none.txt";
  EXPECT_EQ(list_dataset(folder.path(), options).error().cause, Cause::unreadable);
  write_fracture(folder / "o/fractured_0", 1, ".obj");
  EXPECT_THAT(list_dataset(folder.path(), {}).error().text(), HasSubstr("are the same piece"));
}

TEST(Layout, LinksThatLeadBackEnd) {
  const test::TemporaryFolder folder;
  write_fracture(folder / "o/fractured_0", 2);
  fs::create_directory_symlink(folder.path(), folder / "o" / "loop");
  const auto index = list_dataset(folder.path(), {});
  ASSERT_TRUE(index.ok());
  EXPECT_EQ(index->fractures(), 1);
}

TEST(SplitFile, RefusesPathsThatLeadOut) {
  for (const char* text : {"/etc/passwd", "a/../../b", "..", "2 /x", "./"}) {
    const auto lines = parse_split(text, "s");
    ASSERT_FALSE(lines.ok()) << text;
    EXPECT_EQ(lines.error().place.line, 1U);
  }
  EXPECT_EQ(parse_split("ok\n\n a b/c \n", "s")->at(1).path, "a b/c");
  // What no line can say again: found by fuzzing.
  for (const char* text : {"a\rb", "a/b c/\r/", "a\x7f", "a/ /", ".// a"})
    EXPECT_FALSE(parse_split(text, "s").ok()) << text;
  EXPECT_EQ(parse_split("ok\n\n a\\b \n", "s")->at(1).line, 3U);
}

TEST(BrokenObject, ReadsAPieceWithItsVolume) {
  const test::TemporaryFolder folder;
  write_dataset(folder.path());
  const auto index = list_dataset(folder.path(), {});
  const auto object = read_broken_object(*index, index->objects[0], index->objects[0].fractures[2]);
  ASSERT_TRUE(object.ok()) << object.error().text();
  EXPECT_EQ(object->name(), "everyday/Bottle/a/mode_0");
  EXPECT_EQ(object->piece_names[1], "piece_1.obj");
  ASSERT_EQ(object->volumes.size(), 3U);
  for (const double volume : object->volumes) EXPECT_NEAR(volume, 0.125 / 3, 1e-6);
  EXPECT_EQ(object->mating.pairs.size(), 2U);
  EXPECT_DOUBLE_EQ(longest_side(object->pieces), 1.0);
  EXPECT_TRUE(volume_constrained(*object));
  EXPECT_FALSE(volume_constrained(*object, 0.4));
}

TEST(BrokenObject, ABadPieceIsNamed) {
  const test::TemporaryFolder folder;
  write_fracture(folder / "o/fractured_0", 2);
  ASSERT_TRUE(write_file(folder / "o/fractured_0/piece_1.ply", std::string_view("ply\nnonsense")).ok());
  const auto index = list_dataset(folder.path(), {});
  const auto object = read_broken_object(*index, index->objects[0], index->objects[0].fractures[0]);
  ASSERT_FALSE(object.ok());
  EXPECT_THAT(object.error().text(), HasSubstr("piece_1.ply"));
}

}  // namespace
}  // namespace pmtr
