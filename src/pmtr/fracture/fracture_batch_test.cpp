// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/fracture_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_folder.h"

namespace pmtr {
namespace {

TEST(FractureBatch, every_object_is_broken_as_often_as_asked) {
  const test::TemporaryFolder folder;
  FractureBatchOptions options;
  options.shapes = {"bowl", "plate"};
  options.count = 2;
  options.fractures = 2;
  options.shape.around = 24;
  options.shape.seed = 5;
  options.fracture.pieces = 2;
  options.max_pieces = 4;
  const auto result = fracture_batch(options, folder.path(), {});
  ASSERT_TRUE(result.ok()) << result.error().text();
  EXPECT_EQ(result->objects, 4);
  EXPECT_EQ(result->fractures, 8);
  EXPECT_GE(result->pieces, 16);
  EXPECT_LE(result->pieces, 32);
  for (const char* object : {"everyday/Bowl/bowl_5", "everyday/Bowl/bowl_6", "everyday/Plate/plate_6"}) {
    for (const char* fracture : {"fractured_0", "fractured_1"})
      EXPECT_TRUE(std::filesystem::exists(folder / object / fracture / "piece_1.ply")) << object;
  }
}

TEST(FractureBatch, wrong_options_write_nothing) {
  const test::TemporaryFolder folder;
  FractureBatchOptions options;
  EXPECT_FALSE(fracture_batch(options, folder / "out", {}).ok()) << "nothing to break";
  options.shapes = {"spaceship"};
  const auto unknown = fracture_batch(options, folder / "out", {});
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().cause, Cause::invalid_option);
  EXPECT_THAT(unknown.error().text(), testing::HasSubstr("bowl"));
  options.shapes = {"bowl"};
  options.format = "stl";
  EXPECT_FALSE(fracture_batch(options, folder / "out", {}).ok());
  options.format = "";
  options.fracture.missing = options.fracture.pieces;
  EXPECT_FALSE(fracture_batch(options, folder / "out", {}).ok());
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

TEST(FractureBatch, can_be_stopped) {
  const test::TemporaryFolder folder;
  FractureBatchOptions options;
  options.shapes = {"bowl"};
  Listener listener;
  listener.cancelled = [] { return true; };
  const auto stopped = fracture_batch(options, folder.path(), listener);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().cause, Cause::cancelled);
}

}  // namespace
}  // namespace pmtr
