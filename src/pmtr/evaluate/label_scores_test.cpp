// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/label_scores.h"

#include <gtest/gtest.h>

namespace pmtr {
namespace {

using Labels = std::vector<std::uint8_t>;

TEST(AreaUnderCurve, is_the_share_of_couples_in_the_right_order) {
  const std::vector<float> scores = {0.9F, 0.8F, 0.3F, 0.1F};
  EXPECT_EQ(area_under_curve(scores, Labels{1, 1, 0, 0}), 1.0);
  EXPECT_EQ(area_under_curve(scores, Labels{0, 0, 1, 1}), 0.0);
  EXPECT_EQ(area_under_curve(scores, Labels{1, 0, 1, 0}), 0.75);
  EXPECT_EQ(area_under_curve(scores, Labels{1, 1, 1, 1}), 0.5);
  const std::vector<float> ties = {0.5F, 0.5F, 0.5F};
  EXPECT_EQ(area_under_curve(ties, Labels{1, 0, 1}), 0.5);
}

TEST(ScoreLabels, counts_what_was_said_and_what_is_true) {
  const std::vector<float> said = {0.9F, 0.8F, 0.7F, 0.2F, 0.1F};
  const LabelScore score = score_labels(said, Labels{1, 1, 0, 1, 0});
  EXPECT_DOUBLE_EQ(score.precision, 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(score.recall, 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(score.overlap(), 2.0 / 3.0);
  EXPECT_DOUBLE_EQ(score.broken, 0.6);
  EXPECT_DOUBLE_EQ(score.said, 0.6);
  EXPECT_EQ(score_labels({}, {}).overlap(), 0.0);
}

TEST(SummariseLabels, every_fragment_has_the_same_weight) {
  std::vector<LabelScore> scores(20);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    scores[i].auc = i < 2 ? 0.1 + 0.1 * static_cast<double>(i) : 0.9;
    scores[i].share = i < 3 ? 0.005 : 0.1;
    scores[i].broken = 0.2;
    scores[i].parts = 4;
  }
  const auto summary = summarise_labels(scores);
  EXPECT_DOUBLE_EQ(summary.at("auc_median"), 0.9);
  EXPECT_NEAR(summary.at("auc_worst_tenth"), 0.15, 1e-12);
  EXPECT_DOUBLE_EQ(summary.at("inverted"), 0.1);
  EXPECT_DOUBLE_EQ(summary.at("auc_small"), 0.2);
  const std::string tables = label_tables(scores);
  EXPECT_NE(tables.find("| below 1 % | 3 |"), std::string::npos) << tables;
  EXPECT_NE(tables.find("| 3 to 4 | 20 |"), std::string::npos) << tables;
}

}  // namespace
}  // namespace pmtr
