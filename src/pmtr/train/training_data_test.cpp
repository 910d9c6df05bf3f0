// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/training_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/core/file.h"
#include "pmtr/dataset/dataset_test_support.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "support/temporary_folder.h"

namespace pmtr {
namespace {

using testing::HasSubstr;

class TrainingDataTest : public testing::Test {
 protected:
  void SetUp() override {
    folders_.data = folder_ / "data";
    for (const char* name : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
      const auto fracture = folders_.data / "everyday/Bar" / name / "mode_0";
      std::filesystem::create_directories(fracture);
      const auto pieces = test::cut_bar(2, 2);
      for (std::size_t p = 0; p < pieces.size(); ++p)
        ASSERT_TRUE(write_mesh(fracture / ("piece_" + std::to_string(p) + ".ply"), pieces[p]).ok());
    }
  }
  static std::vector<std::string> names(const DatasetIndex& index) {
    std::vector<std::string> all;
    for (const ObjectFiles& object : index.objects) all.push_back(object.name);
    return all;
  }

  test::TemporaryFolder folder_;
  TrainingFolders folders_;
  DataOptions data_;
};

TEST_F(TrainingDataTest, every_object_is_learnt_from_or_held_out) {
  data_.validation_one_in = 2;
  const auto objects = list_training_objects(folders_, data_, {});
  ASSERT_TRUE(objects.ok()) << objects.error().text();
  std::vector<std::string> all = names(objects->learnt);
  EXPECT_FALSE(all.empty());
  EXPECT_FALSE(objects->validation.objects.empty());
  for (const std::string& name : names(objects->validation)) {
    EXPECT_THAT(names(objects->learnt), testing::Not(testing::Contains(name)));
    all.push_back(name);
  }
  EXPECT_EQ(all.size(), 8U);

  data_.validation_one_in = 0;
  const auto none = list_training_objects(folders_, data_, {});
  ASSERT_TRUE(none.ok());
  EXPECT_EQ(none->learnt.objects.size(), 8U);
  EXPECT_TRUE(none->validation.objects.empty());
}

TEST_F(TrainingDataTest, a_file_names_what_is_held_out) {
  folders_.validation = folder_ / "held_out.txt";
  ASSERT_TRUE(write_file(*folders_.validation, std::string_view("everyday/Bar/c\n")).ok());
  const auto objects = list_training_objects(folders_, data_, {});
  ASSERT_TRUE(objects.ok()) << objects.error().text();
  EXPECT_THAT(names(objects->validation), testing::ElementsAre("everyday/Bar/c"));
  EXPECT_EQ(objects->learnt.objects.size(), 7U);
  ASSERT_TRUE(write_held_out(objects->validation, folder_ / "run/validation.txt").ok());
  EXPECT_EQ(as_text(*read_file(folder_ / "run/validation.txt")), "everyday/Bar/c\n");
}

TEST_F(TrainingDataTest, sources_want_their_folders) {
  const ObjectCache cache(folder_ / "cache");
  const auto objects = list_training_objects(folders_, data_, {});
  ASSERT_TRUE(objects.ok());
  const auto sources = training_sources(folders_, data_, objects->learnt, cache, {});
  ASSERT_TRUE(sources.ok());
  EXPECT_EQ(sources->size(), 1U);
  data_.refractured = 1.0;
  EXPECT_THAT(training_sources(folders_, data_, objects->learnt, cache, {}).error().message,
              HasSubstr("--cells"));
  data_.refractured = 0.0;
  data_.generated = 1.0;
  const auto fresh = training_sources(folders_, data_, objects->learnt, cache, {});
  ASSERT_TRUE(fresh.ok()) << fresh.error().text();
  ASSERT_EQ(fresh->size(), 2U);
  EXPECT_EQ(fresh->back().source->kind(), "generated");
  folders_.generated = folders_.data;
  const auto both = training_sources(folders_, data_, objects->learnt, cache, {});
  ASSERT_TRUE(both.ok()) << both.error().text();
  EXPECT_EQ(both->size(), 2U);
}

TEST_F(TrainingDataTest, validation_pairs_have_no_noise_and_are_the_same_every_time) {
  TrainConfig config;
  config.train.validation_pairs = 2;
  config.data.pairs.points_per_object = 200;
  config.data.pairs.dense_points_per_object = 0;
  config.data.pairs.min_points = 20;
  const ObjectCache cache(folder_ / "cache");
  const auto objects = list_training_objects(folders_, data_, {});
  ASSERT_TRUE(objects.ok());
  const auto first = validation_pairs(objects->learnt, cache, config, {});
  config.data.pairs.noise = 0.05;
  const auto second = validation_pairs(objects->learnt, cache, config, {});
  ASSERT_TRUE(first.ok() && second.ok());
  ASSERT_EQ(first->size(), 2U);
  EXPECT_EQ((*first)[1].source.cloud.points, (*second)[1].source.cloud.points);
  config.train.validate_every = 0;
  EXPECT_TRUE(validation_pairs(objects->learnt, cache, config, {})->empty());
}

TEST(ResumeDescription, only_what_does_not_touch_the_weights_may_change) {
  TrainConfig config;
  const std::string before = resume_description(config);
  config.train.log_every = 7;
  config.train.checkpoint_every = 7;
  config.train.checkpoints_kept = 7;
  config.train.validate_every = 7;
  config.train.validation_pairs = 7;
  EXPECT_EQ(resume_description(config), before);
  config.train.learning_rate = 0.5;
  EXPECT_NE(resume_description(config), before);
  // What a run of an earlier version wrote down, which knew no other matcher.
  EXPECT_EQ(before.find("matcher ="), std::string::npos);
  EXPECT_EQ(before.find("relative_attention"), std::string::npos);
  config.network.fine_matcher = MatcherKind::none;
  EXPECT_NE(resume_description(config).find("fine_matcher = \"none\""), std::string::npos);
}

}  // namespace
}  // namespace pmtr
