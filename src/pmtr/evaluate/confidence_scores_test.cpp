// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/confidence_scores.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pmtr {
namespace {

using testing::HasSubstr;

TEST(ConfidenceScores, classes_and_their_error_by_hand) {
  // 0.2 said, one of two right; 0.98 said, all three right; 1 belongs to the last class.
  const std::vector<Claim> claims = {{0.2, true}, {0.2, false}, {0.98, true}, {0.98, true}, {1.0, true}};
  const Reliability reliability = reliability_of(claims);
  EXPECT_EQ(reliability.claims, 5);
  ASSERT_EQ(reliability.classes.size(), 3U);
  EXPECT_EQ(reliability.classes[0].claims, 2);
  EXPECT_EQ(reliability.classes[0].right, 1);
  EXPECT_NEAR(reliability.classes[1].mean_confidence, 0.98, 1e-12);
  EXPECT_EQ(reliability.classes[2].claims, 1);
  EXPECT_NEAR(reliability.error, (2 * 0.3 + 2 * 0.02) / 5.0, 1e-12);
  EXPECT_EQ(reliability_of({}).error, 0.0);
}

TEST(ConfidenceScores, bands_say_how_many_are_wrong) {
  ConfidenceScores scores;
  scores.add({0, 1, 0.99, Band::confirmed, true});
  scores.add({0, 2, 0.98, Band::confirmed, false});
  scores.add({1, 2, 0.7, Band::probable, true});
  EXPECT_EQ(scores.right_joints(), 2);
  const std::string text = confidence_tables(scores);
  EXPECT_THAT(text, HasSubstr("| confirmed | 2 | 1 | 50.0 | 50.0 |"));
  EXPECT_THAT(text, HasSubstr("| probable | 1 | 0 | 100.0 | 50.0 |"));
  EXPECT_THAT(text, HasSubstr("| rejected | 0 | 0 | 0.0 | 0.0 |"));
}

}  // namespace
}  // namespace pmtr
