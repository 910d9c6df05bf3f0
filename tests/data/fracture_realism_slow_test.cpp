// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "pmtr/core/statistics.h"
#include "pmtr/fracture/cells_file.h"
#include "pmtr/fracture/fracture_mesh.h"
#include "pmtr/fracture/shapes/shapes.h"
#include "pmtr/mesh/measures.h"
#include "support/cells_list.h"
#include "support/data_folder.h"

namespace pmtr {
namespace {

struct CutAreas {
  std::vector<double> overlap;  ///< per pair: mating area over the area of the smaller piece
  std::vector<double> cut;      ///< per fracture: fracture area over outer area
};

void add(const std::vector<double>& piece_areas, const std::vector<MatingArea>& mating, double outer_area,
         CutAreas& areas) {
  double sum = 0;
  for (const MatingArea& pair : mating) {
    sum += pair.area;
    areas.overlap.push_back(pair.area / std::min(piece_areas[static_cast<std::size_t>(pair.a)],
                                                 piece_areas[static_cast<std::size_t>(pair.b)]));
  }
  areas.cut.push_back(sum / outer_area);
}

/// Real fractures into this many pieces that all hold 1/40 of the volume.
CutAreas real_areas(std::size_t count) {
  CutAreas areas;
  for (const auto& path : test::cells_files()) {
    const auto cells = read_cells_file(path);
    EXPECT_TRUE(cells.ok());
    auto object = test::fractures_folder() / std::filesystem::relative(path, test::cells_folder());
    object.replace_extension();
    const double total = std::accumulate(cells->complex.volumes.begin(), cells->complex.volumes.end(), 0.0);
    for (std::size_t k = 0; k < cells->labels.size(); ++k) {
      const auto& labels = cells->labels[k];
      if (std::set(labels.begin(), labels.end()).size() != count) continue;
      if (!std::filesystem::is_directory(object / cells->fracture_names[k])) continue;
      std::vector<double> piece_areas;
      double all = 0;
      bool large = true;
      for (const TriangleMesh& piece : pieces_of_labels(cells->complex, labels)) {
        piece_areas.push_back(surface_area(piece));
        all += piece_areas.back();
        large = large && (piece.faces.empty() || enclosed_volume(piece) >= total / 40);
      }
      const auto mating = mating_areas(cells->complex, labels);
      for (const MatingArea& pair : mating) all -= 2 * pair.area;
      if (large) add(piece_areas, mating, all, areas);
    }
  }
  return areas;
}

CutAreas our_areas(int count) {
  CutAreas areas;
  for (const Shape shape : first_shapes) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      ShapeOptions form;
      form.seed = seed;
      form.around = 64;
      FractureOptions options;
      options.seed = seed;
      options.pieces = count;
      const auto object = fracture_mesh(*make_shape(shape, form), options);
      EXPECT_TRUE(object.ok()) << shape_name(shape) << seed;
      if (!object.ok()) continue;
      std::vector<double> piece_areas;
      for (const FracturePiece& piece : object->pieces) piece_areas.push_back(piece.area);
      add(piece_areas, object->mating, object->outer_area, areas);
    }
  }
  return areas;
}

TEST(FractureRealism, CutAreasAreWithin30PercentOfRealOnes) {
  PMTR_REQUIRE_DATA();
  for (const int count : {2, 4}) {
    const CutAreas real = real_areas(static_cast<std::size_t>(count));
    const CutAreas ours = our_areas(count);
    for (const CutAreas& areas : {real, ours}) {
      ASSERT_FALSE(areas.overlap.empty());
      ASSERT_FALSE(areas.cut.empty());
    }
    const double overlap = median(ours.overlap) / median(real.overlap);
    const double cut = median(ours.cut) / median(real.cut);
    RecordProperty("pieces" + std::to_string(count),
                   std::to_string(median(ours.overlap)) + " / " + std::to_string(median(real.overlap)) +
                       ", " + std::to_string(median(ours.cut)) + " / " + std::to_string(median(real.cut)));
    EXPECT_NEAR(overlap, 1, 0.3) << count << " pieces: overlap " << median(ours.overlap) << ", real "
                                 << median(real.overlap);
    EXPECT_NEAR(cut, 1, 0.3) << count << " pieces: cut " << median(ours.cut) << ", real " << median(real.cut);
  }
}

}  // namespace
}  // namespace pmtr
