// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gtest/gtest.h>

#include "pmtr/fracture/cells_file.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "pmtr/mesh/measures.h"
#include "support/cells_list.h"
#include "support/data_folder.h"

namespace pmtr {
namespace {

/// In number of faces and in volume.
void expect_same_pieces(const std::vector<TriangleMesh>& pieces, const std::filesystem::path& folder) {
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    if (pieces[p].faces.empty()) continue;  // numbers of pieces have gaps, there and here
    const auto real = read_mesh_file(folder / ("piece_" + std::to_string(p) + ".ply"));
    ASSERT_TRUE(real.ok()) << real.error().text();
    EXPECT_EQ(real->mesh.faces.size(), pieces[p].faces.size()) << folder;
    EXPECT_NEAR(enclosed_volume(real->mesh), enclosed_volume(pieces[p]), 1e-9) << folder;
  }
}

TEST(FractureCells, EveryFileReadsAndItsLabelsGiveTheRealPieces) {
  PMTR_REQUIRE_DATA();
  const auto files = test::cells_files();
  EXPECT_EQ(files.size(), 162u);
  std::size_t fractures = 0;
  for (const auto& path : files) {
    const auto cells = read_cells_file(path);
    ASSERT_TRUE(cells.ok()) << cells.error().text();
    auto object = test::fractures_folder() / std::filesystem::relative(path, test::cells_folder());
    object.replace_extension();
    bool compared = false;
    for (std::size_t k = 0; k < cells->labels.size(); ++k) {
      const auto folder = object / cells->fracture_names[k];
      if (!std::filesystem::is_directory(folder)) continue;  // of some objects only a part is there
      ++fractures;
      if (!compared) expect_same_pieces(pieces_of_labels(cells->complex, cells->labels[k]), folder);
      compared = true;
    }
    EXPECT_TRUE(compared) << object;
  }
  EXPECT_EQ(fractures, 755u);
}

}  // namespace
}  // namespace pmtr
