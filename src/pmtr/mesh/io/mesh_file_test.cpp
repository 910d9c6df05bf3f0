// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/mesh_file.h"

#include <unistd.h>

#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/mesh/io/mesh_content.h"
#include "pmtr/mesh/io/off.h"
#include "pmtr/mesh/io/ply/ply.h"
#include "pmtr/mesh/io/stl.h"
#include "support/mesh_bytes.h"
#include "support/temporary_folder.h"

namespace pmtr {
namespace {

namespace fs = std::filesystem;
using test::some_motion;
using test::TemporaryFolder;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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
  const TemporaryFolder folder;
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
  EXPECT_THAT(file->warnings, ElementsAre(HasSubstr("texture \"gone.png\" is missing: cannot open"),
                                          HasSubstr("texture \"../outside.png\" is left out")));
  EXPECT_EQ(test::text_of(file->mesh.textures[0].bytes), "picture");
  EXPECT_EQ(file->mesh.materials[0].texture, 0);
  EXPECT_EQ(file->mesh.materials[1].texture, -1);
  EXPECT_TRUE(file->mesh.textures[2].bytes.empty());
  ASSERT_TRUE(write_moved(*file, some_motion(), folder / "out").ok());
  EXPECT_EQ(get(folder / "out" / "maps" / "wood.png"), "picture");
}

TEST(WriteMoved, RefusesCompanionsThatLeadOut) {
  const TemporaryFolder folder;
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

/// An OBJ with everything that must survive: CRLF, comments, groups, statements nobody reads.
const std::string textured_obj =
    "# by hand\r\nmtllib m/a b.mtl\r\no pot\r\nv 0 0 0 \r\nv  1.50 0 0\r\nv 0 1 0\r\nvt 0 0\r\nvt 1 0\r\nvt "
    "0.50 1\r\n"
    "vn 0 0 1\r\ng rim\r\nusemtl clay\r\ns 1\r\nf 1/1/1 2/2/1 3/3/1 # face\r\nmtllib two.mtl three.mtl\r\nl "
    "1 2\r\n";

void put_textured_obj(const TemporaryFolder& folder) {
  put(folder / "in" / "a.obj", textured_obj);
  put(folder / "in" / "m" / "a b.mtl",
      "newmtl clay\r\nKd 0.5 0.25 1\r\nmap_Kd -s 1 1 1 old clay.png\r\nmap_Bump -bm 0.5 bump.png\r\n"
      "map_d ../../secret.png\r\n");
  put(folder / "in" / "m" / "old clay.png", std::string("\x89PNG\r\n\x1a\n\0clay", 13));
  put(folder / "in" / "m" / "bump.png", "bump");
  put(folder / "in" / "two.mtl", "newmtl x\nmap_Kd gone.png\nmap_Ks m\\bump.png\nmap_Ns a.obj\nmap_Ka m\n");
  put(folder / "secret.png", "secret");
}

TEST(ReadMeshFile, FollowsMaterialFilesToTheirTextures) {
  const TemporaryFolder folder;
  put_textured_obj(folder);
  const auto file = read_mesh_file(folder / "in" / "a.obj");
  ASSERT_TRUE(file.ok()) << file.error().text();
  std::vector<std::string> names;
  for (const CompanionFile& companion : file->companions) names.push_back(companion.relative_path.string());
  EXPECT_THAT(names, ElementsAre("m/a b.mtl", "m/old clay.png", "m/bump.png", "two.mtl"));
  EXPECT_THAT(file->warnings,
              ElementsAre(HasSubstr("\"../../secret.png\" is left out"), HasSubstr("\"gone.png\" is missing"),
                          HasSubstr("\"a.obj\" is missing: it is the mesh file itself"),
                          HasSubstr("\"m\" is missing: is a folder"),
                          HasSubstr("material file \"three.mtl\" is missing: cannot open")));
  ASSERT_EQ(file->mesh.materials.size(), 2U);
  EXPECT_EQ(file->mesh.materials[0].base_colour, Eigen::Vector4f(0.5F, 0.25F, 1, 1));
  ASSERT_EQ(file->mesh.materials[0].texture, 0);
  EXPECT_EQ(file->mesh.textures[0].mime, "image/png");
  EXPECT_EQ(file->mesh.textures[0].bytes, file->companions[1].bytes);
}

TEST(WriteMoved, KeepsATexturedObjButForItsCoordinates) {
  const TemporaryFolder folder;
  put_textured_obj(folder);
  const auto file = read_mesh_file(folder / "in" / "a.obj");
  ASSERT_TRUE(file.ok()) << file.error().text();
  const Status written = write_moved(*file, some_motion(), folder / "out");
  ASSERT_TRUE(written.ok()) << written.error().text();
  for (const char* name : {"m/a b.mtl", "m/old clay.png", "m/bump.png", "two.mtl"})
    EXPECT_EQ(get(folder / "out" / name), get(folder / "in" / name)) << name;
  EXPECT_FALSE(fs::exists(folder / "out" / "secret.png"));

  std::istringstream before(textured_obj);
  std::istringstream after(get(folder / "out" / "a.obj"));
  int moved_lines = 0;
  for (std::string a, b; std::getline(before, a);) {
    ASSERT_TRUE(std::getline(after, b));
    const bool coordinates = a.starts_with("v ") || a.starts_with("vn ");
    EXPECT_EQ(a == b, !coordinates) << a;
    moved_lines += coordinates ? 1 : 0;
    if (a == "v 0 0 0 \r") {
      EXPECT_EQ(b, "v 10 -20 0.125 \r");
    }
  }
  EXPECT_EQ(moved_lines, 4);
  EXPECT_EQ(after.peek(), std::istringstream::traits_type::eof());

  const auto again = read_mesh_file(folder / "out" / "a.obj");
  ASSERT_TRUE(again.ok()) << again.error().text();
  ASSERT_EQ(again->mesh.vertices.size(), 3U);
  for (std::size_t v = 0; v < 3; ++v)
    EXPECT_EQ(again->mesh.vertices[v], some_motion() * file->mesh.vertices[v]);
  EXPECT_EQ(again->mesh.textures[0].bytes, file->mesh.textures[0].bytes);
}

TEST(WriteMesh, WritesAnObjWithItsMaterialsAndTextures) {
  const TemporaryFolder folder;
  put_textured_obj(folder);
  const auto file = read_mesh_file(folder / "in" / "a.obj");
  ASSERT_TRUE(file.ok()) << file.error().text();
  // Two meshes with the same texture name in one folder, one with a name that is no OBJ word.
  TriangleMesh other = file->mesh;
  other.textures[0].bytes = test::bytes_of("other");
  ASSERT_TRUE(write_mesh(folder / "one.obj", file->mesh).ok());
  ASSERT_TRUE(write_mesh(folder / "the two.obj", other).ok());
  for (const auto& [name, mesh] : {std::pair("one.obj", file->mesh), std::pair("the two.obj", other)}) {
    const auto again = read_mesh_file(folder / name);
    ASSERT_TRUE(again.ok()) << again.error().text();
    EXPECT_THAT(again->warnings, IsEmpty());
    EXPECT_EQ(again->companions.size(), 2U);
    EXPECT_EQ(again->mesh.vertices, mesh.vertices);
    EXPECT_EQ(again->mesh.face_uvs, mesh.face_uvs);
    ASSERT_EQ(again->mesh.materials.size(), 2U);
    EXPECT_EQ(again->mesh.materials[0].base_colour, mesh.materials[0].base_colour);
    ASSERT_EQ(again->mesh.materials[0].texture, 0);
    EXPECT_EQ(again->mesh.textures[0].bytes, mesh.textures[0].bytes);
  }
  EXPECT_TRUE(fs::exists(folder / "the_two_old_clay.png"));
  // Written again under the same name: the same files, not more.
  const auto count = [&] { return std::distance(fs::directory_iterator(folder.path()), {}); };
  const auto before = count();
  ASSERT_TRUE(write_mesh(folder / "one.obj", read_mesh_file(folder / "one.obj")->mesh).ok());
  EXPECT_EQ(count(), before);
}

}  // namespace
}  // namespace pmtr
