// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The real fractures: what the layout lists, and the pairs that touch.
#include <gtest/gtest.h>

#include "pmtr/dataset/layout.h"
#include "pmtr/dataset/mating_surfaces.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "support/data_folder.h"

namespace pmtr {
namespace {

TEST(DatasetLayout, ListsAllFractures) {
  PMTR_REQUIRE_DATA();
  const auto index = list_dataset(test::fractures_folder(), {});
  ASSERT_TRUE(index.ok()) << index.error().text();
  EXPECT_EQ(index->objects.size(), 162U);
  EXPECT_EQ(index->fractures(), 755);
  EXPECT_EQ(index->pieces(), 4173);
}

TEST(DatasetLayout, TheSplitsNameWhatIsThereAndWhatIsNot) {
  PMTR_REQUIRE_DATA();
  LayoutOptions options;
  std::size_t objects = 0;
  for (const char* subset : {"everyday", "artifact", "other"}) {
    options.split = test::fractures_folder() / "data_split" / (std::string(subset) + ".train.txt");
    const auto index = list_dataset(test::fractures_folder(), options);
    ASSERT_TRUE(index.ok()) << index.error().text();
    objects += index->objects.size();
  }
  EXPECT_EQ(objects, 162U);
  options.split = test::fractures_folder() / "data_split" / "artifact.val.txt";
  const auto missing = list_dataset(test::fractures_folder(), options);
  ASSERT_FALSE(missing.ok());
  for (const char* name : {"artifact/127243_sf", "artifact/67121_sf", "artifact/80105_sf"})
    EXPECT_NE(missing.error().text().find(name), std::string::npos) << missing.error().text();
}

TEST(MatingSurfaces, AllAdjacentPairsOfAllFractures) {
  PMTR_REQUIRE_DATA();
  const auto index = list_dataset(test::fractures_folder(), {});
  ASSERT_TRUE(index.ok()) << index.error().text();
  std::size_t pairs = 0;
  for (const ObjectFiles& object : index->objects) {
    for (const FractureFiles& fracture : object.fractures) {
      std::vector<TriangleMesh> pieces;
      for (const std::string& piece : fracture.pieces) {
        auto file = read_mesh_file(index->root / piece);
        ASSERT_TRUE(file.ok()) << file.error().text();
        pieces.push_back(std::move(file->mesh));
      }
      const MatingSurfaces mating = find_mating_surfaces(pieces);
      EXPECT_TRUE(mating.exact) << object.name << "/" << fracture.name;
      pairs += mating.pairs.size();
    }
  }
  EXPECT_EQ(pairs, 5076U);
}

}  // namespace
}  // namespace pmtr
