// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <algorithm>
#include <cstdlib>
#include <set>

#include <gtest/gtest.h>

#include "pmtr/mesh/io/mesh_file.h"
#include "pmtr/render/contact_sheet.h"
#include "pmtr/render/explode.h"
#include "pmtr/render/part_colours.h"
#include "pmtr/render/png.h"
#include "pmtr/render/render.h"
#include "support/data_folder.h"
#include "support/temporary_folder.h"

namespace pmtr {
namespace {

namespace fs = std::filesystem;

/// The first broken object with this many pieces, in the order of their names.
std::vector<TriangleMesh> object_with_pieces(const fs::path& folder, std::size_t pieces, std::size_t skip) {
  std::set<fs::path> objects;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().filename() == "piece_0.ply") objects.insert(entry.path().parent_path());
  }
  for (const fs::path& object : objects) {
    const auto files = std::distance(fs::directory_iterator(object), fs::directory_iterator());
    if (static_cast<std::size_t>(files) != pieces || skip-- > 0) continue;
    std::vector<TriangleMesh> meshes;
    for (std::size_t i = 0; i < pieces; ++i) {
      auto file = read_mesh_file(object / ("piece_" + std::to_string(i) + ".ply"));
      if (!file.ok()) throw std::runtime_error(file.error().text());
      meshes.push_back(std::move(file->mesh));
    }
    return meshes;
  }
  throw std::runtime_error("no object with this many pieces");
}

/// PMTR_PICTURES names a folder to look at the result.
TEST(Render, BrokenObjectsOnAContactSheet) {
  PMTR_REQUIRE_DATA();
  const test::TemporaryFolder temporary;
  const char* wanted = std::getenv("PMTR_PICTURES");
  const fs::path folder = wanted != nullptr ? fs::path(wanted) : temporary.path();
  Threads threads(2);
  std::vector<SheetCell> cells;
  for (const std::size_t pieces : {2U, 3U, 5U, 8U}) {
    const auto meshes = object_with_pieces(test::fractures_folder(), pieces, 2);
    std::vector<RenderPart> parts(pieces);
    for (std::size_t i = 0; i < pieces; ++i) {
      parts[i].mesh = &meshes[i];
      parts[i].colour = part_colour(i);
    }
    RenderOptions options;
    options.width = 480;
    options.height = 400;
    for (const double factor : {0.0, 0.6}) {
      const auto moved = exploded(parts, factor);
      Image image = render_scene(moved, options, threads);
      // Every part is seen somewhere, so the picture has many colours, and the border stays free.
      std::set<Rgb> colours;
      for (int y = 0; y < image.height; ++y) {
        for (int x = 0; x < image.width; ++x) colours.insert(image.pixel(x, y));
      }
      EXPECT_GT(colours.size(), 500U);
      EXPECT_EQ(image.pixel(0, 200), image.pixel(479, 200));
      cells.push_back(
          {std::move(image), std::to_string(pieces) + " pieces" + (factor > 0 ? ", pulled apart" : "")});
    }
  }
  ContactSheetOptions options;
  options.columns = 4;
  options.title = "Broken objects";
  const auto sheet = contact_sheet(cells, options);
  ASSERT_TRUE(sheet.ok());
  ASSERT_TRUE(write_png(folder / "broken_objects.png", *sheet).ok());
}

}  // namespace
}  // namespace pmtr
