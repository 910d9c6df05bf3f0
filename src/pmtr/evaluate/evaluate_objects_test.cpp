// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/evaluate_objects.h"

#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "pmtr/dataset/dataset_test_support.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "support/temporary_folder.h"

namespace pmtr {
namespace {

using testing::ElementsAre;

/// Puts every piece where it belongs, but moves all except the first by `wrong`.
AssembledSample assemble_truth(const AssemblyTask& task, const Rigid3& wrong = {}) {
  AssembledSample sample;
  for (std::size_t i = 0; i < task.object.pieces.size(); ++i) {
    PlacedPart part;
    part.placed = true;
    part.component = 0;
    part.world_from_part = task.object.world_from_piece[i];
    if (i > 0) part.world_from_part = wrong * part.world_from_part;
    sample.assembly.parts.push_back(part);
  }
  return sample;
}

Assembler truth() {
  return [](const AssemblyTask& task, Threads&, const Listener&) -> Result<AssembledSample> {
    return assemble_truth(task);
  };
}

/// About the z axis of the whole object: of the Euler angles only the last is wrong.
Assembler quarter_turn() {
  const Rigid3 turn{Eigen::AngleAxisd(std::numbers::pi / 2.0, Eigen::Vector3d::UnitZ()).toRotationMatrix(),
                    Eigen::Vector3d::Zero()};
  return [turn](const AssemblyTask& task, Threads&, const Listener&) -> Result<AssembledSample> {
    return assemble_truth(task, turn);
  };
}

class EvaluateObjects : public testing::Test {
 protected:
  void SetUp() override {
    write("everyday/Bar/x/mode_0", 2);
    write("everyday/Bar/y/mode_0", 2);
    write("everyday/Bar/y/mode_1", 3);
    options_.points = 400;
  }
  void write(const std::string& fracture, int count) const {
    std::filesystem::create_directories(folder_ / fracture);
    const auto pieces = test::cut_bar(count, 2);
    for (std::size_t p = 0; p < pieces.size(); ++p)
      ASSERT_TRUE(write_mesh(folder_ / fracture / ("piece_" + std::to_string(p) + ".ply"), pieces[p]).ok());
  }
  Result<Evaluation> run(const Assembler& assembler, const Listener& listener = {}) {
    PMTR_TRY(const DatasetIndex index, list_dataset(folder_.path(), options_.layout));
    return evaluate_objects(index, ObjectCache(""), assembler, options_, Threads::none(), listener);
  }
  std::vector<std::string> paths() {
    std::vector<std::string> names;
    const auto evaluation = run(truth());
    if (!evaluation.ok()) return {evaluation.error().text()};
    for (const SampleRecord& sample : evaluation->samples) names.push_back(sample.path);
    return names;
  }

  test::TemporaryFolder folder_;
  EvaluateOptions options_;
};

TEST_F(EvaluateObjects, the_truth_is_complete) {
  const auto evaluation = run(truth());
  ASSERT_TRUE(evaluation.ok()) << evaluation.error().text();
  ASSERT_EQ(evaluation->samples.size(), 3U);
  for (const SampleRecord& sample : evaluation->samples) {
    EXPECT_TRUE(sample.scores.complete);
    EXPECT_NEAR(sample.scores.crd, 0.0, 1e-5);
    EXPECT_FALSE(sample.coarse_inliers.has_value());
  }
  EXPECT_TRUE(evaluation->finished);
  EXPECT_TRUE(evaluation->failures.empty());
  EXPECT_EQ(evaluation->config.at("parts"), "2 to 20");
  EXPECT_EQ(evaluation->config.at("samples"), "objects");
}

TEST_F(EvaluateObjects, pairs_are_measured_as_in_the_papers_table_of_pairs) {
  const double moved_part = 90.0 / std::sqrt(3.0);
  options_.layout.max_parts = 2;
  const auto two_parts = run(quarter_turn());
  ASSERT_TRUE(two_parts.ok()) << two_parts.error().text();
  ASSERT_EQ(two_parts->samples.size(), 2U);
  EXPECT_FALSE(two_parts->count_anchor);
  EXPECT_NEAR(two_parts->samples[0].scores.rmse_r_deg, moved_part, 1e-4);
  EXPECT_EQ(two_parts->samples[0].scores.pa_cd, 0.0);
  EXPECT_EQ(two_parts->samples[0].scores.pa_crd, 0.0);

  options_.layout.max_parts = 20;
  options_.pairs = true;
  const auto pairs = run(quarter_turn());
  ASSERT_TRUE(pairs.ok()) << pairs.error().text();
  ASSERT_EQ(pairs->samples.size(), 4U);
  EXPECT_FALSE(pairs->count_anchor);
  for (const SampleRecord& sample : pairs->samples) {
    EXPECT_NEAR(sample.scores.rmse_r_deg, moved_part, 1e-4) << sample.path;
    EXPECT_EQ(sample.scores.pa_cd, 0.0) << sample.path;
  }
}

TEST_F(EvaluateObjects, objects_of_many_parts_count_the_anchor) {
  const double moved_part = 90.0 / std::sqrt(3.0);
  const auto objects = run(quarter_turn());
  ASSERT_TRUE(objects.ok()) << objects.error().text();
  EXPECT_TRUE(objects->count_anchor);
  EXPECT_NEAR(objects->samples[0].scores.rmse_r_deg, moved_part / 2.0, 1e-4);
  EXPECT_EQ(objects->samples[0].scores.pa_cd, 0.5);
  EXPECT_EQ(objects->samples[0].scores.pa_crd, 0.5);
  // Whoever wants it otherwise says so.
  options_.count_anchor = false;
  const auto free = run(quarter_turn());
  ASSERT_TRUE(free.ok());
  EXPECT_FALSE(free->count_anchor);
  EXPECT_NEAR(free->samples[0].scores.rmse_r_deg, moved_part, 1e-4);
}

TEST_F(EvaluateObjects, limits_spread_and_shards_take_turns) {
  EXPECT_THAT(paths(),
              ElementsAre("everyday/Bar/x/mode_0", "everyday/Bar/y/mode_0", "everyday/Bar/y/mode_1"));
  options_.shard = {1, 2};
  EXPECT_THAT(paths(), ElementsAre("everyday/Bar/y/mode_0"));
  options_.shard = {0, 2};
  EXPECT_THAT(paths(), ElementsAre("everyday/Bar/x/mode_0", "everyday/Bar/y/mode_1"));
  options_.shard = {};
  options_.limit = 2;
  EXPECT_THAT(paths(), ElementsAre("everyday/Bar/x/mode_0", "everyday/Bar/y/mode_0"));
  options_.limit.reset();
  options_.layout.min_parts = 3;
  options_.pairs = true;
  EXPECT_THAT(paths(), ElementsAre("everyday/Bar/y/mode_1#0+1", "everyday/Bar/y/mode_1#1+2"));
  options_.layout.min_parts = 4;
  EXPECT_FALSE(run(truth()).ok()) << "there are none";
}

TEST_F(EvaluateObjects, the_assembler_gets_its_share_of_the_points_and_the_size_if_it_may_know_it) {
  options_.layout.min_parts = 3;
  options_.pairs = true;
  options_.dense_points = 1600;
  const auto check = [&](bool size_known) {
    return run([&](const AssemblyTask& task, Threads&, const Listener&) -> Result<AssembledSample> {
      EXPECT_LT(task.object.area_share, 0.9);
      EXPECT_NEAR(task.points, 400 * task.object.area_share, 0.5);
      EXPECT_NEAR(task.dense_points, 1600 * task.object.area_share, 0.5);
      EXPECT_EQ(task.object_size.has_value(), size_known);
      EXPECT_NEAR(task.object_size.value_or(1.0), 1.0, 1e-6);
      AssembledSample sample = assemble_truth(task);
      sample.inliers = MatchInliers{4, 1, 10, 5};
      return sample;
    });
  };
  const auto told = check(true);
  ASSERT_TRUE(told.ok());
  EXPECT_EQ(told->samples[0].coarse_inliers, 0.25);
  EXPECT_EQ(told->samples[0].fine_inliers, 0.5);
  options_.estimate_size = true;
  EXPECT_TRUE(check(false).ok());
}

TEST_F(EvaluateObjects, a_sample_that_fails_is_named_and_the_others_go_on) {
  options_.layout.min_parts = 3;
  options_.pairs = true;
  const auto evaluation =
      run([](const AssemblyTask& task, Threads&, const Listener&) -> Result<AssembledSample> {
        if (task.object.path.ends_with("#0+1")) return Error{Cause::degenerate, "no", {}};
        return assemble_truth(task);
      });
  ASSERT_TRUE(evaluation.ok());
  EXPECT_EQ(evaluation->samples.size(), 1U);
  EXPECT_TRUE(evaluation->failures.contains("everyday/Bar/y/mode_1#0+1"));
  EXPECT_TRUE(evaluation->finished);
  const auto nothing = run([](const AssemblyTask&, Threads&, const Listener&) -> Result<AssembledSample> {
    return AssembledSample{};  // not one part per piece
  });
  ASSERT_TRUE(nothing.ok());
  EXPECT_EQ(nothing->failures.size(), 2U);
}

TEST_F(EvaluateObjects, stopped_it_says_that_samples_are_missing) {
  int done = 0;
  Listener listener;
  listener.cancelled = [&] { return done > 0; };
  const auto evaluation = run(
      [&](const AssemblyTask& task, Threads&, const Listener&) -> Result<AssembledSample> {
        ++done;
        return assemble_truth(task);
      },
      listener);
  ASSERT_TRUE(evaluation.ok());
  EXPECT_EQ(evaluation->samples.size(), 1U);
  EXPECT_FALSE(evaluation->finished);
}

TEST(EvaluateOptions, shards_and_shares_are_checked) {
  EXPECT_EQ(parse_shard("2/4")->index, 1);
  EXPECT_EQ(parse_shard("2/4")->count, 4);
  EXPECT_EQ(format_shard(*parse_shard("2/4")), "2/4");
  for (const char* text : {"", "x", "0/2", "3/2", "1/2x", "1", "-1/2"})
    EXPECT_FALSE(parse_shard(text).ok()) << text;
  EvaluateOptions options;
  EXPECT_TRUE(options.validate().ok());
  options.triangles = 1.5;
  EXPECT_FALSE(options.validate().ok());
  options.triangles = 0.5;
  options.shard = {2, 2};
  EXPECT_FALSE(options.validate().ok());
}

}  // namespace
}  // namespace pmtr
