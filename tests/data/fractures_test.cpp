// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gtest/gtest.h>

#include "pmtr/mesh/io/mesh_file.h"
#include "support/data_folder.h"

namespace pmtr {
namespace {

TEST(Fractures, APieceReads) {
  PMTR_REQUIRE_DATA();
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::fractures_folder() / "artifact")) {
    if (entry.path().filename() == "piece_0.ply") {
      const auto mesh = read_mesh_file(entry.path());
      ASSERT_TRUE(mesh.ok());
      EXPECT_GT(mesh.value().mesh.faces.size(), 3u);
      return;
    }
  }
  FAIL() << "no piece found";
}

}  // namespace
}  // namespace pmtr
