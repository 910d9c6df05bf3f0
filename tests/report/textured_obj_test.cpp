// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Textured OBJ files keep their bytes but for the vertex lines, and find their materials and pictures.
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/render/png.h"
#include "pmtr/report/page/report_html.h"
#include "pmtr/report/record/result_files.h"
#include "support/example_assembly.h"
#include "support/temporary_folder.h"

namespace pmtr::test {
namespace {

namespace fs = std::filesystem;

const char* obj_text =
    "# a comment\r\nmtllib wood.mtl\ng top\nv 0.123456789012 0 0 \nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
    "vt 0 0\nvt 1 0\nvt 0 1\nvn 0 0 1\nusemtl wood\ns off\nf 1/1/1 3/2/1 2/3/1\nf 1/1/1 2/2/1 4/3/1\n"
    "f 2/1/1 3/2/1 4/3/1\nf 1/1/1 4/2/1 3/3/1\n";

class TexturedObj : public testing::Test {
 protected:
  void put(const std::string& name, std::string_view text) {
    fs::create_directories((folder_ / name).parent_path());
    ASSERT_TRUE(write_file(folder_ / name, text).ok());
  }
  void put_scan(const std::string& folder, Rgb colour) {
    put(folder + "/" + folder + ".obj", obj_text);
    put(folder + "/wood.mtl", "newmtl wood\nKd 1 1 1\nmap_Kd maps/wood.png\n");
    fs::create_directories(folder_ / folder / "maps");
    ASSERT_TRUE(write_png(folder_ / folder / "maps/wood.png", Image(4, 4, colour)).ok());
  }
  void write(const std::vector<std::string>& paths) {
    AssemblyRecord record;
    for (const std::string& path : paths) {
      auto file = read_mesh_file(folder_ / path);
      ASSERT_TRUE(file.ok()) << file.error().text();
      files_.push_back(*std::move(file));
      record.context.files.push_back((folder_ / path).string());
      PlacedPart part;
      part.placed = true;
      part.component = 0;
      part.world_from_part = {Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitX()).toRotationMatrix(), {1, 2, 3}};
      record.assembly.parts.push_back(part);
    }
    record.context.object_size = 1;
    const Status written = write_results(out(), files_, record, {true, true}, Threads::none(), {});
    ASSERT_TRUE(written.ok()) << written.error().text();
    record_ = record;
  }
  fs::path out() const { return folder_ / "out"; }
  std::string content(const fs::path& path) const {
    const auto bytes = read_file(path);
    EXPECT_TRUE(bytes.ok()) << path;
    return bytes.ok() ? std::string(as_text(*bytes)) : "";
  }

  TemporaryFolder folder_;
  std::vector<MeshFile> files_;
  AssemblyRecord record_;
};

TEST_F(TexturedObj, keeps_its_bytes_but_for_vertex_lines) {
  put_scan("left", {200, 10, 10});
  write({"left/left.obj"});
  std::istringstream before(obj_text);
  std::istringstream after(content(out() / "left.obj"));
  std::string a;
  std::string b;
  int moved = 0;
  while (std::getline(before, a)) {
    ASSERT_TRUE(std::getline(after, b));
    if (a.starts_with("v ") || a.starts_with("vn ")) {
      EXPECT_EQ(b.substr(0, b.find(' ')), a.substr(0, a.find(' ')));
      moved += a == b ? 0 : 1;
    } else {
      EXPECT_EQ(a, b);
    }
  }
  EXPECT_FALSE(std::getline(after, b));
  EXPECT_EQ(moved, 5);
  const auto again = read_mesh_file(out() / "left.obj");
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->warnings.empty());
  ASSERT_EQ(again->mesh.textures.size(), 1U);
  EXPECT_EQ(again->mesh.textures[0].bytes, files_[0].mesh.textures[0].bytes);
  for (std::size_t v = 0; v < 4; ++v) {
    const Eigen::Vector3d wanted = record_.assembly.parts[0].world_from_part * files_[0].mesh.vertices[v];
    EXPECT_LT((wanted - again->mesh.vertices[v]).norm(), 1e-6);
  }
}

TEST_F(TexturedObj, pictures_of_one_name_do_not_overwrite_each_other) {
  put_scan("left", {200, 10, 10});
  put_scan("right", {10, 10, 200});
  write({"left/left.obj", "right/right.obj"});
  EXPECT_EQ(record_.context.placed_files,
            (std::vector<std::string>{"left_files/left.obj", "right_files/right.obj"}));
  for (std::size_t i = 0; i < 2; ++i) {
    const auto again = read_mesh_file(out() / record_.context.placed_files[i]);
    ASSERT_TRUE(again.ok()) << again.error().text();
    EXPECT_EQ(again->mesh.textures.at(0).bytes, files_[i].mesh.textures.at(0).bytes);
  }
}

TEST_F(TexturedObj, the_same_picture_is_shared) {
  put_scan("left", {200, 10, 10});
  put("left/other.obj", obj_text);
  write({"left/left.obj", "left/other.obj"});
  EXPECT_EQ(record_.context.placed_files, (std::vector<std::string>{"left.obj", "other.obj"}));
}

TEST_F(TexturedObj, the_report_carries_the_picture) {
  put_scan("left", {200, 10, 10});
  write({"left/left.obj"});
  const std::string html = content(out() / "report.html");
  EXPECT_THAT(html, testing::HasSubstr("id=\"texture-0-0\""));
  EXPECT_THAT(html, testing::HasSubstr("\"textures\":{\"0\":\"image/png\"}"));
}

}  // namespace
}  // namespace pmtr::test
