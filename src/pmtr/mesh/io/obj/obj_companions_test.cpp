// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/core/file.h"
#include "pmtr/mesh/io/companion_files.h"
#include "pmtr/mesh/io/obj/mtl.h"
#include "pmtr/mesh/io/obj/obj.h"

namespace pmtr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using Files = std::map<std::string, std::string>;

CompanionLoader loader_of(const Files& files, std::vector<std::string>* asked = nullptr) {
  return [files, asked](const std::string& name) -> Result<std::vector<std::byte>> {
    if (asked != nullptr) asked->push_back(name);
    const auto file = files.find(name);
    if (file == files.end()) return Error{Cause::unreadable, "cannot open", {name, {}, {}}};
    const auto bytes = as_bytes(file->second);
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
}

ObjReading read(std::string_view text, const Files& files, std::vector<std::string>* asked = nullptr) {
  auto reading = read_obj_with_companions(as_bytes(text), "part.obj", loader_of(files, asked));
  EXPECT_TRUE(reading.ok()) << reading.error().text();
  if (!reading.ok()) return {};
  EXPECT_TRUE(check_mesh(reading->mesh).ok());
  return *std::move(reading);
}

const std::string triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

TEST(Mtl, ColourAlphaAndMaps) {
  const MtlFile file = parse_mtl(
      "# comment\r\nKd 1 1 1\r\nnewmtl old wood\r\nKa 0 0 0\r\n\tKd 0.5 0.25 1\r\nd 0.75\r\nTr 0.9\r\n"
      "map_Kd -clamp on -s 2 2 -o 0.5 -t 1 1 1 -mm 0 1 -bm 2 my wood.png\r\nbump -bm 0.5 bump.jpg\r\n"
      "newmtl b\r\nKd 0.5\r\nTr 0.25\r\nmap_Ks my wood.png\r\nnewmtl c\r\nKd spectral file.rfl\r\nKd nan 0 "
      "0\r\nd -halo 0.5");
  ASSERT_EQ(file.materials.size(), 3U);
  EXPECT_EQ(file.materials[0].name, "old wood");
  EXPECT_EQ(file.materials[0].base_colour, Eigen::Vector4f(0.5F, 0.25F, 1, 0.75F));
  EXPECT_EQ(file.materials[0].base_colour_map, "my wood.png");
  EXPECT_EQ(file.materials[1].base_colour, Eigen::Vector4f(0.5F, 0.5F, 0.5F, 0.75F));
  EXPECT_EQ(file.materials[1].base_colour_map, "");
  EXPECT_EQ(file.materials[2].base_colour, Eigen::Vector4f(1, 1, 1, 0.5F));
  EXPECT_THAT(file.maps, ElementsAre("my wood.png", "bump.jpg"));
}

TEST(Mtl, CompanionNamesStayInTheFolder) {
  EXPECT_EQ(clean_companion_name("wood.png"), "wood.png");
  EXPECT_EQ(clean_companion_name(".\\textures\\\\wood.png"), "textures/wood.png");
  EXPECT_EQ(clean_companion_name("a..b/c..png"), "a..b/c..png");
  for (const char* name : {"", ".", "/etc/passwd", "\\\\server\\x.png", "C:\\x.png", "c:x.png", "../x.png",
                           "a/../../x.png", "a\\..\\x.png", "a/..", "a\nb.png", "maps/"}) {
    EXPECT_EQ(clean_companion_name(name), std::nullopt) << name;
  }
  EXPECT_EQ(clean_companion_name(std::string_view("a\0b", 3)), std::nullopt);
}

TEST(ObjCompanions, MaterialsAndTextures) {
  const Files files{{"a.mtl",
                     "newmtl one\nKd 1 0 0\nmap_Kd tex\\w.png\nnewmtl unused\nnewmtl two\nmap_Kd tex/w.png\n"
                     "map_Bump bump.png\n"},
                    {"tex/w.png", "\x89PNG..."},
                    {"bump.png", "b"}};
  const ObjReading reading =
      read("mtllib a.mtl\n" + triangle + "usemtl two\nf 1 2 3\nusemtl one\nf 1 2 3\nusemtl gone\nf 3 2 1\n",
           files);
  const TriangleMesh& mesh = reading.mesh;
  ASSERT_EQ(mesh.materials.size(), 4U);
  EXPECT_EQ(mesh.materials[2].name, "two");
  EXPECT_EQ(mesh.materials[3].name, "gone");
  EXPECT_EQ(mesh.materials[0].base_colour, Eigen::Vector4f(1, 0, 0, 1));
  EXPECT_THAT(mesh.face_materials, ElementsAre(2, 0, 3));
  ASSERT_EQ(mesh.textures.size(), 1U);
  EXPECT_EQ(mesh.textures[0].name, "tex/w.png");
  EXPECT_EQ(mesh.textures[0].mime, "image/png");
  EXPECT_EQ(as_text(mesh.textures[0].bytes), "\x89PNG...");
  EXPECT_EQ(mesh.materials[0].texture, 0);
  EXPECT_EQ(mesh.materials[1].texture, -1);
  EXPECT_EQ(mesh.materials[2].texture, 0);
  ASSERT_EQ(reading.companions.size(), 3U);
  EXPECT_EQ(reading.companions[0].relative_path, "a.mtl");
  EXPECT_EQ(reading.companions[1].relative_path, "tex/w.png");
  EXPECT_EQ(reading.companions[2].relative_path, "bump.png");
  EXPECT_THAT(reading.warnings, ElementsAre("material \"gone\" is not defined"));
}

TEST(ObjCompanions, SeveralFilesAndNamesWithSpaces) {
  const Files files{{"my wood.MTL", "newmtl a\n"}, {"b.mtl", "newmtl b\n"}};
  const ObjReading reading = read("mtllib my wood.MTL b.mtl\nmtllib b.mtl\n" + triangle, files);
  EXPECT_EQ(reading.companions.size(), 2U);
  EXPECT_EQ(reading.mesh.materials.size(), 2U);
  EXPECT_THAT(reading.warnings, IsEmpty());
}

TEST(ObjCompanions, TexturesAreRelativeToTheMtlThenToTheObj) {
  const Files files{
      {"m/a.mtl", "newmtl a\nmap_Kd x.png\nnewmtl b\nmap_Kd y.png\n"}, {"m/x.png", "x"}, {"y.png", "y"}};
  const ObjReading reading = read("mtllib m/a.mtl\n" + triangle, files);
  ASSERT_EQ(reading.mesh.textures.size(), 2U);
  EXPECT_EQ(reading.mesh.textures[0].name, "m/x.png");
  EXPECT_EQ(reading.mesh.textures[1].name, "y.png");
  EXPECT_THAT(reading.warnings, IsEmpty());
}

TEST(ObjCompanions, MissingOrRefusedIsAWarning) {
  std::vector<std::string> asked;
  const Files files{{"a.mtl", "newmtl a\nmap_Kd ../secret.png\nmap_Ks /etc/passwd\nmap_d gone.png\n"}};
  const ObjReading reading =
      read("mtllib a.mtl none.mtl ../out.mtl\n" + triangle + "usemtl a\nf 1 2 3\n", files, &asked);
  EXPECT_THAT(asked, ElementsAre("a.mtl", "gone.png", "none.mtl"));
  EXPECT_THAT(
      reading.warnings,
      ElementsAre(HasSubstr("secret.png"), HasSubstr("/etc/passwd"), HasSubstr("\"gone.png\" is missing"),
                  HasSubstr("\"none.mtl\" is missing"), HasSubstr("out.mtl\" is left out")));
  EXPECT_EQ(reading.mesh.materials[0].texture, -1);
}

TEST(ObjCompanions, OneWarningPerMissingFile) {
  const Files files{{"a.mtl", "newmtl a\nmap_Kd gone.png\n"}, {"b.mtl", "newmtl b\nmap_Kd gone.png\n"}};
  EXPECT_EQ(read("mtllib a.mtl b.mtl\n" + triangle, files).warnings.size(), 1U);
}

}  // namespace
}  // namespace pmtr
