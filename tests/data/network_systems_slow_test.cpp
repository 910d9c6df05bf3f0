// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gtest/gtest.h>

#include "pmtr/systems/systems_test_support.h"

namespace pmtr {
namespace {

class SystemsByHeart : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Systems, SystemsByHeart, testing::Values("global", "lstm", "dgl", "wu-correlated"),
                         test::system_word);

TEST_P(SystemsByHeart, ten_objects_are_learnt_to_a_tenth_of_the_loss) {
  const auto learnt = test::learn_by_heart(GetParam(), 16, 4000);
  EXPECT_LT(learnt.least, 0.1 * learnt.first) << learnt.updates << " updates";
  RecordProperty("updates", static_cast<int>(learnt.updates));
}

}  // namespace
}  // namespace pmtr
