// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gtest/gtest.h>

#include <numeric>

#include "pmtr/fracture/cells_file.h"
#include "pmtr/fracture/fracture_test_support.h"
#include "pmtr/fracture/merge/refracture.h"
#include "pmtr/mesh/measures.h"
#include "support/cells_list.h"
#include "support/data_folder.h"

namespace pmtr {
namespace {

TEST(FractureRefracture, ClosedInEveryOneOf400Trials) {
  PMTR_REQUIRE_DATA();
  const auto files = test::cells_files();
  int trials = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    const auto cells = read_cells_file(files[i * files.size() / 100]);
    ASSERT_TRUE(cells.ok()) << cells.error().text();
    const CellGraph graph = cell_graph(cells->complex);
    const double volume = std::accumulate(graph.volumes.begin(), graph.volumes.end(), 0.0);
    for (const int count : {2, 3, 5, 8}) {
      RefractureOptions options;
      options.pieces = count;
      options.seed = i;
      const auto labels = refracture(graph, options);
      ASSERT_TRUE(labels.ok()) << files[i] << ": " << labels.error().text();
      const auto pieces = pieces_of_labels(cells->complex, *labels);
      ASSERT_EQ(pieces.size(), static_cast<std::size_t>(count));
      double sum = 0;
      for (const TriangleMesh& piece : pieces) {
        EXPECT_EQ(test::count_open_edges(piece), 0u) << files[i] << " in " << count;
        EXPECT_GE(enclosed_volume(piece), volume / 40 * (1 - 1e-9)) << files[i] << " in " << count;
        sum += enclosed_volume(piece);
      }
      EXPECT_NEAR(sum, volume, 1e-6 * volume);
      ++trials;
    }
  }
  EXPECT_EQ(trials, 400);
}

}  // namespace
}  // namespace pmtr
