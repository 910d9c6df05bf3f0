// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gtest/gtest.h>

#include "pmtr/fracture/cells_file.h"
#include "pmtr/mesh/mesh_file.h"
#include "support/cells_list.h"
#include "support/data_folder.h"

namespace pmtr {
namespace {

TEST(FractureCells, EveryFileReadsAndItsLabelsGiveTheRealPieces) {
  PMTR_REQUIRE_DATA();
  const auto files = test::cells_files();
  EXPECT_EQ(files.size(), 162u);
  std::size_t fractures = 0;
  for (const auto& path : files) {
    const auto cells = read_cells_file(path);
    ASSERT_TRUE(cells.ok()) << cells.error().text();
    fractures += cells->labels.size();
    // One fracture of each: the pieces are those of the data set, in volume and number of faces.
    const auto pieces = pieces_of_labels(cells->complex, cells->labels.front());
    auto folder = test::fractures_folder() / std::filesystem::relative(path, test::cells_folder());
    folder.replace_extension();
    folder /= cells->fracture_names.front();
    for (std::size_t p = 0; p < pieces.size(); ++p) {
      if (pieces[p].faces.empty()) continue;  // numbers of pieces have gaps, there and here
      const auto real = read_mesh_file(folder / ("piece_" + std::to_string(p) + ".ply"));
      ASSERT_TRUE(real.ok()) << real.error().text();
      EXPECT_EQ(real->mesh.faces.size(), pieces[p].faces.size()) << folder;
      EXPECT_NEAR(enclosed_volume(real->mesh), enclosed_volume(pieces[p]), 1e-9) << folder;
    }
  }
  EXPECT_EQ(fractures, 755u);
}

}  // namespace
}  // namespace pmtr
