// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/mesh_file.h"

#include <fstream>

#include <gtest/gtest.h>

#include "pmtr/mesh/companion_files.h"
#include "pmtr/mesh/mesh_content.h"
#include "pmtr/mesh/off.h"
#include "pmtr/mesh/ply.h"
#include "pmtr/mesh/stl.h"
#include "support/mesh_bytes.h"

namespace pmtr {
namespace {

namespace fs = std::filesystem;
using test::some_motion;
using test::TempFolder;

void put(const fs::path& path, std::string_view text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}
void put(const fs::path& path, const std::vector<std::byte>& bytes) { put(path, as_text(bytes)); }
std::string get(const fs::path& path) {
  const auto bytes = read_file(path);
  return bytes.ok() ? test::text_of(*bytes) : "cannot read " + path.string();
}

Error error_of(const fs::path& path) {
  const auto file = read_mesh_file(path);
  EXPECT_FALSE(file.ok()) << path;
  return file.ok() ? Error{} : file.error();
}

TEST(ReadMeshFile, FindsTheFormatWhateverTheCaseOfTheExtension) {
  const TempFolder folder;
  const TriangleMesh mesh = test::coloured_tetrahedron();
  for (const char* name : {"a.ply", "b.PLY", "c.stl", "d.Stl", "e.off", "f.OFF"}) {
    ASSERT_TRUE(write_mesh(folder / name, mesh).ok());
    const auto file = read_mesh_file(folder / name);
    ASSERT_TRUE(file.ok()) << file.error().text();
    EXPECT_EQ(file->path, folder / name);
    EXPECT_EQ(file->mesh.faces.size(), mesh.faces.size());
    EXPECT_NEAR(surface_area(file->mesh), surface_area(mesh), 1e-12);
    EXPECT_TRUE(file->warnings.empty());
  }
  EXPECT_STREQ(format_name(read_mesh_file(folder / "d.Stl")->format), "STL");
}

TEST(ReadMeshFile, SaysWhatAWronglyNamedFileLooksLike) {
  const TempFolder folder;
  const TriangleMesh mesh = test::coloured_tetrahedron();
  struct Case {
    const char* name;
    std::vector<std::byte> bytes;
    const char* says;
    Cause cause;
  };
  const std::vector<Case> cases = {
      {"stl.ply", format_stl(mesh), "a binary STL file", Cause::malformed},
      {"off.ply", format_off(mesh), "an OFF file", Cause::malformed},
      {"text.ply", test::bytes_of("Dear reader,\nthis is a letter.\n"), "a text file", Cause::malformed},
      {"noise.ply", test::Bytes().put<std::uint32_t>({1, 2, 3}).content(), "binary data", Cause::malformed},
      {"png.ply", test::bytes_of("\x89PNG\r\n\x1a\n"), "a PNG picture", Cause::malformed},
      {"ply.stl", format_ply(mesh), "a PLY file", Cause::malformed},
      {"ply.off", format_ply(mesh), "a PLY file", Cause::malformed},
      {"ply.obj", format_ply(mesh), "a PLY file", Cause::malformed},
      {"ply.glb", format_ply(mesh), "a PLY file", Cause::malformed},
      {"glb.ply", test::bytes_of("glTF\x02"), "a GLB file", Cause::malformed},
      {"obj.ply", test::bytes_of("# hi\nmtllib a.mtl\nv 0 0 0\nv 1 0 0\n"), "an OBJ file", Cause::malformed},
      {"solid.off", test::bytes_of("solid a\nendsolid a\n"), "an ascii STL file", Cause::malformed},
      {"scan.xyz", format_ply(mesh), "a PLY file", Cause::unknown_format},
      {"scene.gltf", test::bytes_of("{\"asset\":{}}"), "a JSON file", Cause::unknown_format},
      {"scan", format_off(mesh), "an OFF file", Cause::unknown_format},
  };
  for (const Case& c : cases) {
    put(folder / c.name, c.bytes);
    const Error error = error_of(folder / c.name);
    EXPECT_EQ(error.cause, c.cause) << error.text();
    EXPECT_NE(error.message.find(c.says), std::string::npos) << error.text();
    EXPECT_EQ(error.place.file, (folder / c.name).string());
  }
}

TEST(ReadMeshFile, RefusesWhatCannotBeRead) {
  const TempFolder folder;
  EXPECT_EQ(error_of(folder / "missing.ply").cause, Cause::unreadable);
  fs::create_directories(folder / "folder.ply");
  EXPECT_EQ(error_of(folder / "folder.ply").cause, Cause::unreadable);
  put(folder / "secret.ply", "ply\n");
  fs::permissions(folder / "secret.ply", fs::perms::none);
  if (::geteuid() != 0) {
    EXPECT_EQ(error_of(folder / "secret.ply").cause, Cause::unreadable);
  }
  for (const char* name : {"empty.ply", "empty.stl", "empty.off", "empty.obj", "empty.glb"}) {
    put(folder / name, "");
    EXPECT_EQ(error_of(folder / name).cause, Cause::empty);
  }
  put(folder / "nan.off", "OFF\n1 0 0\n0 nan 0\n");
  const Error error = error_of(folder / "nan.off");
  EXPECT_EQ(error.cause, Cause::not_finite);
  EXPECT_EQ(error.text(), (folder / "nan.off").string() + ":3: a coordinate of vertex 0 is nan");
}

TEST(WriteMesh, RefusesWhatTheFormatCannotHold) {
  const TempFolder folder;
  TriangleMesh mesh = test::coloured_tetrahedron();
  EXPECT_EQ(write_mesh(folder / "a.xyz", mesh).error().cause, Cause::unknown_format);
  EXPECT_EQ(write_mesh(folder / "no" / "a.ply", mesh).error().cause, Cause::unwritable);
  mesh.vertices[0].x() = 1e39;
  EXPECT_EQ(write_mesh(folder / "a.stl", mesh).error().cause, Cause::too_large);
  EXPECT_TRUE(write_mesh(folder / "a.ply", mesh).ok());
  mesh.faces.clear();
  mesh.face_uvs.clear();
  EXPECT_EQ(write_mesh(folder / "a.stl", mesh).error().cause, Cause::unsupported);
  mesh.faces = {{0, 1, 9}};
  EXPECT_EQ(write_mesh(folder / "a.ply", mesh).error().cause, Cause::malformed);
}

TEST(WriteMoved, WritesTheMovedFileIntoANewFolder) {
  const TempFolder folder;
  const TriangleMesh mesh = test::curved_sheet(5);
  for (const char* name : {"a.ply", "a.stl", "a.off"}) {
    ASSERT_TRUE(write_mesh(folder / name, mesh).ok());
    const auto file = read_mesh_file(folder / name);
    ASSERT_TRUE(file.ok());
    const Status written = write_moved(*file, some_motion(), folder.path() / "out" / "deep");
    ASSERT_TRUE(written.ok()) << written.error().text();
    const auto moved = read_mesh_file(folder.path() / "out" / "deep" / name);
    ASSERT_TRUE(moved.ok()) << moved.error().text();
    ASSERT_EQ(moved->mesh.vertices.size(), file->mesh.vertices.size());
    for (std::size_t v = 0; v < moved->mesh.vertices.size(); ++v) {
      const Eigen::Vector3d expected = some_motion() * file->mesh.vertices[v];
      EXPECT_LT((moved->mesh.vertices[v] - expected).norm(), 1e-5);
    }
    EXPECT_EQ(moved->mesh.faces, file->mesh.faces);
    EXPECT_EQ(moved->mesh.colours, file->mesh.colours);
  }
}

TEST(WriteMoved, NeverOverwritesTheInput) {
  const TempFolder folder;
  ASSERT_TRUE(write_mesh(folder / "a.ply", test::coloured_tetrahedron()).ok());
  const auto file = read_mesh_file(folder / "a.ply");
  ASSERT_TRUE(file.ok());
  const std::string before = get(folder / "a.ply");
  fs::create_directory_symlink(folder.path(), folder / "link");
  for (const fs::path& into : {folder.path(), folder / "link", folder / "link" / "..", folder / "."}) {
    if (!fs::equivalent(into, folder.path())) continue;
    const Status status = write_moved(*file, some_motion(), into);
    ASSERT_FALSE(status.ok()) << into;
    EXPECT_EQ(status.error().cause, Cause::unwritable);
  }
  EXPECT_EQ(get(folder / "a.ply"), before);
  put(folder / "file", "in the way");
  EXPECT_EQ(write_moved(*file, some_motion(), folder / "file").error().cause, Cause::unwritable);
}

TEST(WriteMoved, TakesThePlyTexturesAlong) {
  const TempFolder folder;
  const std::string ply =
      "ply\nformat ascii 1.0\ncomment TextureFile maps/wood.png\ncomment TextureFile gone.png\n"
      "comment TextureFile ../outside.png\nelement vertex 3\n"
      "property float x\nproperty float y\nproperty float z\nproperty float s\nproperty float t\nelement "
      "face 1\n"
      "property list uchar int vertex_indices\nend_header\n0 0 0 0 0\n1 0 0 1 0\n0 1 0 0 1\n3 0 1 2\n";
  put(folder / "in" / "a.ply", ply);
  put(folder / "in" / "maps" / "wood.png", "picture");
  put(folder / "outside.png", "private");
  const auto file = read_mesh_file(folder / "in" / "a.ply");
  ASSERT_TRUE(file.ok()) << file.error().text();
  ASSERT_EQ(file->companions.size(), 1U);
  EXPECT_EQ(file->warnings.size(), 2U);
  EXPECT_EQ(file->warnings[0], "texture gone.png is missing");
  EXPECT_EQ(test::text_of(file->mesh.textures[0].bytes), "picture");
  EXPECT_EQ(file->mesh.materials[0].texture, 0);
  EXPECT_EQ(file->mesh.materials[1].texture, -1);
  EXPECT_TRUE(file->mesh.textures[2].bytes.empty());
  ASSERT_TRUE(write_moved(*file, some_motion(), folder / "out").ok());
  EXPECT_EQ(get(folder / "out" / "maps" / "wood.png"), "picture");
}

TEST(WriteMoved, RefusesCompanionsThatLeadOut) {
  const TempFolder folder;
  ASSERT_TRUE(write_mesh(folder / "a.ply", test::coloured_tetrahedron()).ok());
  auto file = read_mesh_file(folder / "a.ply");
  ASSERT_TRUE(file.ok());
  for (const char* name : {"../evil.txt", "/tmp/evil.txt", "x/../../evil.txt", "..\\evil.txt", "C:\\evil.txt",
                           "", "..", "a.ply", "./a.ply", "maps/"}) {
    file->companions = {{name, test::bytes_of("evil")}};
    const Status status = write_moved(*file, some_motion(), folder / "out");
    ASSERT_FALSE(status.ok()) << name;
    EXPECT_EQ(status.error().cause, Cause::malformed);
  }
  EXPECT_FALSE(fs::exists(folder / "out")) << "nothing is written before all is checked";
  EXPECT_FALSE(fs::exists(folder / "evil.txt"));
}

TEST(ObjCompanions, FollowsMaterialFilesToTheirTextures) {
  const TempFolder folder;
  put(folder / "m" / "a b.mtl",
      "newmtl x\nmap_Kd -s 1 1 1 old wood.png\nmap_Bump -bm 0.5 bump.png\nKd 1 1 1\nmap_d ../../x.png\n");
  put(folder / "m" / "old wood.png", "wood");
  put(folder / "m" / "bump.png", "bump");
  put(folder / "two.mtl", "map_Kd gone.png\nmap_Ks m\\bump.png\n");
  std::vector<CompanionFile> companions;
  std::vector<std::string> warnings;
  read_obj_companions(
      "# mtllib no.mtl\nmtllib m/a b.mtl\r\nv 0 0 0\nmtllib two.mtl three.mtl\nmtllib two.mtl\n",
      folder.path(), companions, warnings);
  std::vector<std::string> names;
  for (const CompanionFile& companion : companions) names.push_back(companion.relative_path.string());
  EXPECT_EQ(names, (std::vector<std::string>{"m/a b.mtl", "m/old wood.png", "m/bump.png", "two.mtl"}));
  EXPECT_EQ(warnings,
            (std::vector<std::string>{"texture \"../../x.png\" leads out of the folder and is left out",
                                      "texture gone.png is missing", "material file three.mtl is missing"}));
}

}  // namespace
}  // namespace pmtr
