// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/record/distinct_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pmtr {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(std::vector<std::string> files) { return distinct_names(files); }

TEST(DistinctNames, folders_are_named_only_where_names_alone_do_not_tell) {
  EXPECT_THAT(names({"scans/a.ply", "/home/me/b.ply"}), ElementsAre("a.ply", "b.ply"));
  EXPECT_THAT(names({"x/left/scan.ply", "x/right/scan.ply", "x/left/other.ply"}),
              ElementsAre("left/scan.ply", "right/scan.ply", "other.ply"));
  EXPECT_THAT(names({"one/s/scan.ply", "two/s/scan.ply", "three/t/scan.ply"}),
              ElementsAre("one/s/scan.ply", "two/s/scan.ply", "t/scan.ply"));
  EXPECT_THAT(names({"scan.ply", "left/scan.ply"}), ElementsAre("scan.ply", "left/scan.ply"));
}

TEST(DistinctNames, none_leads_out_of_its_folder) {
  EXPECT_THAT(names({"../scan.ply", "../../scan.ply"}), ElementsAre("0/scan.ply", "1/scan.ply"));
  EXPECT_THAT(names({"../a/scan.ply", "./b/scan.ply"}), ElementsAre("a/scan.ply", "b/scan.ply"));
  EXPECT_THAT(names({"/scan.ply", "scan.ply"}), ElementsAre("0/scan.ply", "1/scan.ply"));
}

}  // namespace
}  // namespace pmtr
