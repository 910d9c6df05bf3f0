// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/write_object.h"

#include <gtest/gtest.h>

#include "pmtr/core/file.h"
#include "pmtr/fracture/cut/solid_test_meshes.h"
#include "pmtr/fracture/fracture_test_support.h"
#include "pmtr/fracture/shapes/shapes.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "pmtr/mesh/measures.h"
#include "support/temporary_folder.h"

namespace pmtr {
namespace {

std::string text_of(const std::filesystem::path& path) {
  const auto bytes = read_file(path);
  return bytes.ok() ? std::string(as_text(*bytes)) : "";
}

TEST(WriteObject, PiecesAndWhatIsKnownOfThem) {
  const test::TemporaryFolder folder;
  ObjectContext context;
  context.source = "a box";
  context.options.pieces = 5;
  context.options.missing = 1;
  auto object = fracture_mesh(test::box(Eigen::Vector3d(1, 1, 0.5)), context.options);
  ASSERT_TRUE(object.ok()) << object.error().text();
  ASSERT_TRUE(write_file(folder.path() / "piece_77.ply", "of an earlier object").ok());
  ASSERT_TRUE(write_object(folder.path(), *object, context).ok());
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "piece_77.ply"));
  const std::string json = text_of(folder.path() / "object.json");
  for (const char* word : {"\"seed\": 0", "\"source\": \"a box\"", "\"mating_area\"", "\"world_from_part\"",
                           "\"missing\": true", "\"mating_exact\": true"})
    EXPECT_NE(json.find(word), std::string::npos) << word;
  for (std::size_t p = 0; p < 5; ++p) {
    const auto path = folder.path() / ("piece_" + std::to_string(p) + ".ply");
    EXPECT_EQ(std::filesystem::exists(path), !object->pieces[p].missing);
    if (object->pieces[p].missing) continue;
    const auto read = read_mesh_file(path);
    ASSERT_TRUE(read.ok()) << read.error().text();
    EXPECT_EQ(read->mesh.vertices, object->pieces[p].mesh.vertices);  // to the last bit
    EXPECT_EQ(read->mesh.faces, object->pieces[p].mesh.faces);
  }
}

TEST(WriteObject, ScatteredPiecesKeepTheirShape) {
  const test::TemporaryFolder folder;
  ObjectContext context;
  context.scatter = true;
  context.options.pieces = 3;
  const auto object = fracture_mesh(test::box(Eigen::Vector3d(1, 1, 0.5)), context.options);
  ASSERT_TRUE(object.ok());
  ASSERT_TRUE(write_object(folder.path(), *object, context).ok());
  EXPECT_NE(text_of(folder.path() / "object.json").find("\"mating_exact\": false"), std::string::npos);
  for (std::size_t p = 0; p < 3; ++p) {
    const auto read = read_mesh_file(folder.path() / ("piece_" + std::to_string(p) + ".ply"));
    ASSERT_TRUE(read.ok());
    EXPECT_NE(read->mesh.vertices, object->pieces[p].mesh.vertices);
    EXPECT_EQ(test::count_open_edges(read->mesh), 0u);
    EXPECT_NEAR(enclosed_volume(read->mesh), object->pieces[p].volume, 1e-6);
  }
}

}  // namespace
}  // namespace pmtr
