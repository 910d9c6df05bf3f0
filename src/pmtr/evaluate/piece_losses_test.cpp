// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/piece_losses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "pmtr/dataset/dataset_test_support.h"
#include "pmtr/evaluate/loss_report.h"
#include "pmtr/evaluate/sample_record.h"

namespace pmtr {
namespace {

using testing::HasSubstr;

/// A bar cut into five pieces in a row, of which the first is the largest. What is true is where they lie.
class PieceLosses : public testing::Test {
 protected:
  PieceLosses() {
    BrokenObject bar = make_broken_object(test::cut_bar(5, 2));
    bar.object = "bar";
    bar.fracture = "first";
    object_ = scatter(bar, {}, 3);
    object_.areas[0] = 10.0;
    assembly_.parts.resize(5);
    for (int i = 0; i < 5; ++i) put(i, true_pose(i));
    for (const auto& [a, b] : object_.adjacent) {
      TruePair pair;
      pair.a = a;
      pair.b = b;
      pair.seen = 0.9;
      pair.confidence = 0.8;
      seen_.pairs.push_back(pair);
    }
  }
  Rigid3 true_pose(int i) const { return object_.world_from_piece[static_cast<std::size_t>(i)]; }
  void put(int i, const Rigid3& world_from_part) {
    PlacedPart& part = assembly_.parts[static_cast<std::size_t>(i)];
    part.placed = true;
    part.component = 0;
    part.world_from_part = world_from_part;
  }
  void candidate(int a, int b, const Rigid3& off, double confidence) {
    Joint joint;
    joint.a = a;
    joint.b = b;
    joint.a_from_b = true_pose(a).inverse() * off * true_pose(b);
    joint.confidence = confidence;
    seen_.candidates.push_back(joint);
  }
  TruePair& pair(int i) { return seen_.pairs[static_cast<std::size_t>(i)]; }
  std::vector<std::optional<PieceLoss>> losses() {
    const auto record = record_sample(object_, assembly_, 500, {}, Threads::none());
    EXPECT_TRUE(record.ok());
    record_ = *record;
    return explain_losses(object_, assembly_, record_.scores.parts, seen_);
  }

  const Rigid3 aside_{Eigen::Matrix3d::Identity(), Eigen::Vector3d(0.0, 0.5, 0.0)};
  ScatteredObject object_;
  Assembly assembly_;
  StagesSeen seen_;
  SampleRecord record_;
};

TEST_F(PieceLosses, what_is_right_needs_no_reason) {
  ASSERT_EQ(seen_.pairs.size(), 4U);
  for (const auto& loss : losses()) EXPECT_FALSE(loss.has_value());
}

TEST_F(PieceLosses, every_stage_has_its_class) {
  // Piece 4 is wrong; the only pair that could place it is 3+4.
  put(4, aside_ * true_pose(4));
  auto loss = losses();
  ASSERT_TRUE(loss[4].has_value());
  EXPECT_EQ(loss[4]->loss, LossClass::no_candidate);
  EXPECT_EQ(loss[4]->pairs, 1);
  EXPECT_EQ(loss[4]->rank, -1);
  EXPECT_FALSE(loss[3].has_value());

  pair(3).seen = 0.3;
  EXPECT_EQ(losses()[4]->loss, LossClass::labels);

  candidate(3, 4, aside_, 0.9);
  EXPECT_EQ(losses()[4]->loss, LossClass::labels);

  candidate(3, 4, {}, 0.6);  // there, whatever the labels were
  loss = losses();
  EXPECT_EQ(loss[4]->loss, LossClass::ranked_lower);
  EXPECT_EQ(loss[4]->rank, 1);
  EXPECT_EQ(loss[4]->candidates, 2);
  EXPECT_EQ(loss[4]->rival, 0.9);
  EXPECT_EQ(loss[4]->found, 0.6);

  seen_.candidates[0].confidence = 0.5;
  loss = losses();
  EXPECT_EQ(loss[4]->loss, LossClass::joined_wrongly);
  EXPECT_EQ(loss[4]->rank, 0);
  // The other way round it is the same pair.
  std::swap(seen_.candidates[1].a, seen_.candidates[1].b);
  seen_.candidates[1].a_from_b = seen_.candidates[1].a_from_b.inverse();
  EXPECT_EQ(losses()[4]->loss, LossClass::joined_wrongly);
}

TEST_F(PieceLosses, one_wrong_joint_that_carries_others_is_looked_for_at_that_joint) {
  for (int i = 2; i < 5; ++i) put(i, aside_ * true_pose(i));
  candidate(2, 3, {}, 0.9);  // these hold, and are not what is wrong
  candidate(3, 4, {}, 0.9);
  candidate(1, 2, aside_, 0.9);
  candidate(1, 2, {}, 0.4);
  const auto loss = losses();
  for (std::size_t i = 2; i < 5; ++i) {
    ASSERT_TRUE(loss[i].has_value());
    EXPECT_EQ(loss[i]->loss, LossClass::ranked_lower);
    EXPECT_EQ(loss[i]->group, 3);
    EXPECT_EQ(loss[i]->pair.a, 1);
    EXPECT_EQ(loss[i]->pair.b, 2);
  }
  EXPECT_FALSE(loss[1].has_value());
}

TEST_F(PieceLosses, small_errors_that_add_up_are_named) {
  for (int i = 1; i < 5; ++i)
    put(i, Rigid3{Eigen::Matrix3d::Identity(), Eigen::Vector3d(0.0, 0.03 * i, 0.0)} * true_pose(i));
  const auto loss = losses();
  EXPECT_FALSE(loss[1].has_value());
  ASSERT_TRUE(loss[4].has_value());
  EXPECT_EQ(loss[4]->loss, LossClass::drifted);
}

TEST_F(PieceLosses, a_piece_that_was_left_out_is_wrong_as_well) {
  candidate(3, 4, {}, 0.3);
  assembly_.parts[4] = {};
  ASSERT_TRUE(losses()[4].has_value());
  EXPECT_EQ(losses()[4]->loss, LossClass::joined_wrongly);
}

TEST_F(PieceLosses, the_report_says_which_stage_lost_what) {
  const auto run = [&](bool labels, bool neighbours) {
    const auto found = losses();
    for (std::size_t i = 0; i < found.size(); ++i) record_.pieces[i].loss = found[i];
    LossRun out{labels, neighbours, {}};
    out.evaluation.samples = {record_};
    out.evaluation.config["weights"] = "none";
    return out;
  };
  std::vector<LossRun> runs;
  put(2, aside_ * true_pose(2));
  put(3, aside_ * aside_ * true_pose(3));
  put(4, aside_ * aside_ * aside_ * true_pose(4));
  runs.push_back(run(false, false));
  put(2, true_pose(2));  // the labels bring back piece 2, the neighbours piece 3, nothing piece 4
  runs.push_back(run(true, false));
  put(2, aside_ * true_pose(2));
  put(3, true_pose(3));
  runs.push_back(run(false, true));
  put(2, true_pose(2));
  runs.push_back(run(true, true));
  const auto json = nlohmann::json::parse(loss_json(runs));
  EXPECT_EQ(json["runs"][0]["pieces"], 4);
  EXPECT_EQ(json["runs"][0]["right"], 1);
  EXPECT_EQ(json["runs"][0]["wrong"]["no candidate"], 3);
  EXPECT_EQ(json["runs"][3]["right"], 3);
  EXPECT_EQ(json["stages"]["wrong"], 3);
  EXPECT_EQ(json["stages"]["labels"], 1);
  EXPECT_EQ(json["stages"]["neighbours"], 1);
  EXPECT_EQ(json["stages"]["rest"]["no candidate"], 1);
  ASSERT_EQ(json["pieces"].size(), 3U);
  EXPECT_EQ(json["pieces"][0]["piece"], 2);
  EXPECT_EQ(json["pieces"][0]["in_other_runs"][0], "right");
  const std::string text = loss_markdown(runs, "a bar");
  EXPECT_THAT(text, HasSubstr("| network | all | 1 | 0.0 | 4 | 25.0 | 3 | 0 | 3 | 0 | 0 | 0 |"));
  EXPECT_THAT(text, HasSubstr("| bar/first #4 |"));
}

}  // namespace
}  // namespace pmtr
