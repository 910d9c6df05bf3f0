// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/dataset/dataset_test_support.h"
#include "pmtr/evaluate/evaluation_tables.h"
#include "pmtr/evaluate/match_inliers.h"
#include "pmtr/evaluate/summary.h"

namespace pmtr {
namespace {

using testing::HasSubstr;

SampleRecord sample(const std::string& object, int fracture, double crd, std::vector<double> degrees) {
  SampleRecord record;
  record.object = object;
  record.path = object + "/mode_" + std::to_string(fracture);
  record.category = object.substr(0, object.find('/'));
  record.scores.crd = crd;
  record.scores.complete = true;
  for (std::size_t i = 0; i <= degrees.size(); ++i) {
    PieceRecord piece;
    piece.scores.anchor = i == 0;
    piece.scores.placed = true;
    piece.share = i == 0 ? 0.9 : 0.03;
    if (i > 0) piece.scores.rot_deg = degrees[i - 1];
    record.scores.complete = record.scores.complete && piece.scores.right();
    piece.displacement =
        Rigid3{Eigen::Matrix3d::Identity(), Eigen::Vector3d(0.25 * static_cast<double>(i), 0, 1)};
    record.pieces.push_back(piece);
    record.scores.parts.push_back(piece.scores);
  }
  return record;
}

TEST(Summary, means_groups_sizes_and_histograms_by_hand) {
  const std::vector<SampleRecord> samples{
      sample("Cup/a", 0, 0.1, {1.0}), sample("Cup/a", 1, 0.3, {20.0, 3.0}), sample("Vase/b", 0, 0.5, {90.0})};
  const EvaluationSummary summary = summarise_samples(samples);
  EXPECT_EQ(summary.all.samples, 3);
  EXPECT_EQ(summary.all.objects, 2);
  EXPECT_NEAR(summary.all.values.at("crd").mean, 0.3, 1e-12);
  EXPECT_NEAR(summary.all.values.at("complete").mean, 1.0 / 3.0, 1e-12);
  EXPECT_EQ(summary.by_parts.at(2).samples, 2);
  EXPECT_NEAR(summary.by_parts.at(3).values.at("crd").mean, 0.3, 1e-12);
  EXPECT_NEAR(summary.by_category.at("Cup").values.at("crd").mean, 0.2, 1e-12);
  EXPECT_FALSE(summary.all.values.contains("coarse_inliers")) << "it was not measured";
  EXPECT_EQ(summary.by_size[2].pieces, 4) << "2.5 to 5 %; the anchors are not counted";
  EXPECT_EQ(summary.by_size[2].right, 2);
  const Histogram& degrees = summary.histograms.at("rot_deg");
  EXPECT_EQ(degrees.counts[1], 1);  // 1 to 2
  EXPECT_EQ(degrees.counts[2], 1);  // 2 to 5
  EXPECT_EQ(degrees.counts[5], 1);  // 20 to 45
  EXPECT_EQ(degrees.counts[7], 1);  // 90 to 135
}

TEST(Summary, intervals_draw_objects_not_samples) {
  // A hundred fractures of one object: however many, they say nothing about other objects.
  std::vector<SampleRecord> one_object;
  for (int i = 0; i < 100; ++i) one_object.push_back(sample("Cup/a", i, i % 2, {1.0}));
  const MeanValue alone = summarise_samples(one_object).all.values.at("crd");
  EXPECT_EQ(alone.low, alone.high);
  std::vector<SampleRecord> many;
  for (int i = 0; i < 100; ++i) many.push_back(sample("Cup/" + std::to_string(i), 0, i % 2, {1.0}));
  const MeanValue drawn = summarise_samples(many).all.values.at("crd");
  // The mean of 100 coins: standard deviation 0.05.
  EXPECT_NEAR(drawn.low, 0.4, 0.03);
  EXPECT_NEAR(drawn.high, 0.6, 0.03);
}

TEST(EvaluationFile, comes_back_as_it_was) {
  Evaluation evaluation;
  evaluation.samples = {sample("Cup/a", 0, 0.1, {1.0}), sample("Vase/b", 0, 0.5, {90.0})};
  evaluation.samples[0].coarse_inliers = 0.25;
  evaluation.samples[1].pieces[1].displacement.reset();
  evaluation.samples[1].joints = {{0, 1, 0.75, Band::probable, true}};
  evaluation.config = {{"seed", "3"}};
  evaluation.failures = {{"Cup/c/mode_0", "not a mesh"}};
  const std::string text = format_evaluation(evaluation);
  const auto back = parse_evaluation(text, "x.json");
  ASSERT_TRUE(back.ok()) << back.error().text();
  EXPECT_EQ(format_evaluation(*back), text);
  EXPECT_TRUE(back->count_anchor);
  EXPECT_EQ(back->samples[0].coarse_inliers, 0.25);
  EXPECT_FALSE(back->samples[1].coarse_inliers.has_value());
  EXPECT_FALSE(back->samples[1].pieces[1].displacement.has_value());
  ASSERT_EQ(back->samples[1].joints.size(), 1U);
  EXPECT_EQ(back->samples[1].joints[0].band, Band::probable);
  EXPECT_TRUE(back->samples[1].joints[0].right);
}

TEST(EvaluationFile, says_whether_the_anchor_is_counted) {
  Evaluation evaluation;
  evaluation.samples = {sample("Cup/a", 0, 0.1, {1.0})};
  evaluation.count_anchor = false;
  std::string text = format_evaluation(evaluation);
  const std::string field = " \"count_anchor\": false,\n";
  const auto back = parse_evaluation(text, "x.json");
  ASSERT_TRUE(back.ok()) << back.error().text();
  EXPECT_FALSE(back->count_anchor);
  const auto at = text.find(field);
  ASSERT_NE(at, std::string::npos);
  text.erase(at, field.size());
  const auto old = parse_evaluation(text, "x.json");
  ASSERT_TRUE(old.ok()) << old.error().text();
  EXPECT_TRUE(old->count_anchor) << "files without the field are from before there was a choice";
  EXPECT_FALSE(merge_evaluations(std::array{*back, *old}).ok());
}

TEST(EvaluationFile, nonsense_is_named) {
  EXPECT_FALSE(parse_evaluation("", "x").ok());
  EXPECT_FALSE(parse_evaluation("[1, 2]", "x").ok());
  EXPECT_FALSE(parse_evaluation(R"({"version": 1, "config": {}, "failures": {}, "finished": true,
                                    "samples": [17]})",
                                "x")
                   .ok());
  Evaluation evaluation;
  evaluation.samples = {sample("Cup/a", 0, 0.1, {1.0})};
  std::string text = format_evaluation(evaluation);
  const auto at = text.find("\"anchor\": true");
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 14, "\"anchor\": 7777");
  const auto wrong = parse_evaluation(text, "x.json");
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().text(), HasSubstr("x.json"));
  EXPECT_THAT(wrong.error().text(), HasSubstr("Cup/a/mode_0"));
  EXPECT_THAT(wrong.error().text(), HasSubstr("pieces[0].anchor is not true or false"));
}

TEST(EvaluationFile, shards_become_one) {
  Evaluation a, b;
  a.samples = {sample("Cup/b", 0, 0.1, {1.0})};
  b.samples = {sample("Cup/a", 0, 0.1, {1.0})};
  a.config = {{"seed", "3"}, {"shard", "1/2"}};
  b.config = {{"seed", "3"}, {"shard", "2/2"}};
  const auto merged = merge_evaluations(std::array{a, b});
  ASSERT_TRUE(merged.ok());
  EXPECT_EQ(merged->samples[0].object, "Cup/a");
  EXPECT_FALSE(merged->config.contains("shard"));
  EXPECT_FALSE(merge_evaluations(std::array{a, a}).ok());
  b.config["seed"] = "4";
  EXPECT_FALSE(merge_evaluations(std::array{a, b}).ok());
}

TEST(EvaluationTables, use_the_scales_of_the_paper) {
  Evaluation evaluation;
  evaluation.samples = {sample("Cup/a", 0, 0.0123, {1.0})};
  EXPECT_THAT(markdown_tables(evaluation), HasSubstr("| 2 parts | 1 | 1.23 |"));
  EXPECT_THAT(latex_tables(evaluation), HasSubstr("2 parts & 1 & 1.23 &"));
}

TEST(EvaluationTables, the_caption_says_whether_the_anchor_is_counted) {
  Evaluation evaluation;
  evaluation.samples = {sample("Cup/a", 0, 0.0123, {1.0})};
  EXPECT_THAT(markdown_tables(evaluation), HasSubstr("many parts"));
  EXPECT_THAT(markdown_tables(evaluation), HasSubstr("RMSE and PA count it"));
  evaluation.count_anchor = false;
  EXPECT_THAT(markdown_tables(evaluation), HasSubstr("pairs"));
  EXPECT_THAT(markdown_tables(evaluation), HasSubstr("RMSE and PA do not count it"));
  EXPECT_THAT(latex_tables(evaluation), HasSubstr("RMSE and PA do not count it"));
}

TEST(Scatter, the_truth_puts_the_pieces_back) {
  const BrokenObject bar = make_broken_object(test::cut_bar(3, 2));
  const ScatteredObject scattered = scatter(bar, {}, 7);
  ASSERT_EQ(scattered.pieces.size(), 3U);
  EXPECT_NEAR(scattered.area_share, 1.0, 1e-12);
  EXPECT_EQ(scattered.adjacent.size(), 2U);
  for (std::size_t p = 0; p < 3; ++p) {
    EXPECT_GT((scattered.pieces[p].vertices[0] - bar.pieces[p].vertices[0]).norm(), 1e-3);
    for (std::size_t v = 0; v < bar.pieces[p].vertices.size(); ++v)
      ASSERT_LT((scattered.world_from_piece[p] * scattered.pieces[p].vertices[v] - bar.pieces[p].vertices[v])
                    .norm(),
                1e-9);
  }
  EXPECT_EQ(scatter(bar, {}, 7).pieces[1].vertices, scattered.pieces[1].vertices);
  EXPECT_NE(scatter(bar, {}, 8).pieces[1].vertices, scattered.pieces[1].vertices);
  const ScatteredObject two = scatter(bar, std::array{1, 2}, 7);
  EXPECT_EQ(two.pieces.size(), 2U);
  EXPECT_THAT(two.path, HasSubstr("#1+2"));
  EXPECT_LT(two.area_share, 0.9);
  EXPECT_EQ(two.object_size, scattered.object_size);
}

TEST(RecordSample, a_right_assembly_in_another_frame_has_no_error) {
  const BrokenObject bar = make_broken_object(test::cut_bar(3, 2));
  const ScatteredObject scattered = scatter(bar, {}, 7);
  const Rigid3 elsewhere = scattered.world_from_piece[0];
  Assembly assembly;
  for (const Rigid3& pose : scattered.world_from_piece)
    assembly.parts.push_back({true, false, 0, elsewhere * pose, 0.9, {}});
  const auto right = record_sample(scattered, assembly, 500, {}, Threads::none());
  ASSERT_TRUE(right.ok());
  EXPECT_NEAR(right->scores.crd, 0.0, 1e-5);
  EXPECT_TRUE(right->scores.complete);
  EXPECT_NEAR(right->pieces[1].displacement->translation.norm(), 0.0, 1e-5);
  // Joints are judged by where their two pieces stand to each other; only those that hold count.
  const auto joint = [&](int a, int b, const Rigid3& off) {
    Joint made;
    made.a = a;
    made.b = b;
    made.a_from_b = scattered.world_from_piece[static_cast<std::size_t>(a)].inverse() *
                    scattered.world_from_piece[static_cast<std::size_t>(b)] * off;
    made.witnesses.emplace();
    made.used = true;
    return made;
  };
  assembly.joints = {joint(0, 1, {}), joint(1, 2, {Eigen::Matrix3d::Identity(), {0.06, 0, 0}}),
                     joint(0, 2, {})};
  assembly.joints[2].used = false;
  const auto joined = record_sample(scattered, assembly, 500, {}, Threads::none());
  ASSERT_TRUE(joined.ok());
  ASSERT_EQ(joined->joints.size(), 2U);
  EXPECT_TRUE(joined->joints[0].right);
  EXPECT_FALSE(joined->joints[1].right) << "more than 0.05 of the object away";
  // In a component of its own a piece is nowhere.
  assembly.parts[0].component = 1;
  const auto apart = record_sample(scattered, assembly, 500, {}, Threads::none());
  ASSERT_TRUE(apart.ok());
  EXPECT_FALSE(apart->scores.complete);
  EXPECT_LT(apart->scores.placed, 1.0);
}

TEST(CountInliers, by_hand) {
  FragmentFeatures a, b;
  a.points = {{0, 0, 0}, {1, 0, 0}};
  b.points = {{0, 0, 5}, {1, 0, 7}};
  for (FragmentFeatures* f : {&a, &b}) {
    f->patches.offsets = {0, 1, 2};
    f->patches.points = {0, 1};
  }
  PairMatches matches;
  matches.superpoints = {{0, 0, 1.0F}, {1, 1, 1.0F}, {0, 1, 1.0F}};
  matches.correspondences = {{0, 0, 1.0F, 0}, {1, 1, 1.0F, 1}};
  const Rigid3 pose{Eigen::Matrix3d::Identity(), {0, 0, -5}};
  const MatchInliers inliers = count_inliers(a, b, matches, pose, 0.1);
  EXPECT_EQ(inliers.superpoints, 3);
  EXPECT_EQ(inliers.right_superpoints, 1);
  EXPECT_EQ(inliers.points, 2);
  EXPECT_EQ(inliers.right_points, 1);
}

}  // namespace
}  // namespace pmtr
