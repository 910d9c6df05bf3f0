// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/mesh/io/glb/data_uri.h"
#include "pmtr/mesh/io/glb/glb.h"
#include "pmtr/mesh/io/glb/glb_test_file.h"

namespace pmtr {
namespace {

using namespace test;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Face = std::array<std::uint32_t, 3>;

GlbReading read(std::string_view json, const std::vector<std::byte>& binary) {
  auto reading = read_glb_with_warnings(make_glb(json, binary), "part.glb");
  EXPECT_TRUE(reading.ok()) << reading.error().text();
  if (!reading.ok()) return {};
  EXPECT_TRUE(check_mesh(reading->mesh).ok()) << check_mesh(reading->mesh).error().text();
  return *std::move(reading);
}

/// A document whose only primitive is the given one, over the given accessors and views.
std::string document(const std::string& primitive, const std::string& accessors, const std::string& views,
                     std::size_t size, const std::string& more = "") {
  return R"({"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[)" +
         primitive + R"(]}],"accessors":[)" + accessors + R"(],"bufferViews":[)" + views +
         R"(],"buffers":[{"byteLength":)" + std::to_string(size) + "}]" + more + "}";
}

TEST(GlbRead, OneTriangle) {
  const GlbReading reading = read(triangle_json, triangle_binary());
  EXPECT_THAT(reading.mesh.vertices,
              ElementsAre(Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(1, 0, 0), Eigen::Vector3d(0, 2, 0)));
  EXPECT_THAT(reading.mesh.faces, ElementsAre(Face{0, 1, 2}));
  EXPECT_THAT(reading.mesh.face_uvs, IsEmpty());
  EXPECT_THAT(reading.mesh.face_materials, IsEmpty());
  EXPECT_THAT(reading.warnings, IsEmpty());
}

TEST(GlbRead, ModesWithAndWithoutIndices) {
  const auto binary =
      raw<float>({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0}) + raw<std::uint32_t>({3, 2, 1, 0, 0, 1});
  const auto faces = [&](const std::string& rest) {
    return read(document(R"({"attributes":{"POSITION":0})" + rest + "}",
                         R"({"bufferView":0,"componentType":5126,"count":4,"type":"VEC3"},)"
                         R"({"bufferView":1,"componentType":5125,"count":6,"type":"SCALAR"})",
                         R"({"buffer":0,"byteLength":48},{"buffer":0,"byteOffset":48,"byteLength":24})", 72),
                binary)
        .mesh.faces;
  };
  EXPECT_THAT(faces(R"(,"mode":5)"), ElementsAre(Face{0, 1, 2}, Face{1, 3, 2}));
  EXPECT_THAT(faces(R"(,"mode":6)"), ElementsAre(Face{0, 1, 2}, Face{0, 2, 3}));
  EXPECT_THAT(faces(R"(,"mode":0)"), IsEmpty());
  EXPECT_THAT(faces(R"(,"indices":1)"), ElementsAre(Face{3, 2, 1}, Face{0, 0, 1}));
  EXPECT_THAT(faces(R"(,"indices":1,"mode":4.0)"), ElementsAre(Face{3, 2, 1}, Face{0, 0, 1}));
  EXPECT_THAT(faces(R"(,"indices":1,"mode":5)"), ElementsAre(Face{3, 2, 1}, Face{2, 0, 1}));
}

TEST(GlbRead, NodesPlaceMeshes) {
  const std::string nodes =
      R"("nodes":[{"mesh":0,"translation":[10,0,0],"rotation":[0,0,0.7071067811865476,0.7071067811865476],"scale":[2,1,1],)"
      R"("children":[1]},{"mesh":0,"matrix":[-1,0,0,0,0,1,0,0,0,0,1,0,0,0,5,1]}])";
  const GlbReading reading =
      read(replaced(triangle_json, R"("nodes":[{"mesh":0}])", nodes), triangle_binary());
  const TriangleMesh& mesh = reading.mesh;
  ASSERT_EQ(mesh.vertices.size(), 6U);
  EXPECT_LT((mesh.vertices[1] - Eigen::Vector3d(10, 2, 0)).norm(), 1e-12);
  EXPECT_LT((mesh.vertices[2] - Eigen::Vector3d(8, 0, 0)).norm(), 1e-12);
  EXPECT_LT((mesh.vertices[4] - Eigen::Vector3d(10, -2, 5)).norm(), 1e-12);
  EXPECT_THAT(mesh.faces, ElementsAre(Face{0, 1, 2}, Face{3, 5, 4}));  // the mirrored one is turned round
}

TEST(GlbRead, WithoutScenesEveryTreeIsShown) {
  const std::string json =
      replaced(replaced(triangle_json, R"("scene":0,"scenes":[{"nodes":[0]}],)", ""),
               R"("nodes":[{"mesh":0}])", R"("nodes":[{"mesh":0},{"children":[0]},{"mesh":0}])");
  EXPECT_EQ(read(json, triangle_binary()).mesh.vertices.size(), 6U);
}

TEST(GlbRead, OnlyTheDefaultSceneIsShown) {
  const std::string json =
      replaced(replaced(triangle_json, R"("scene":0,"scenes":[{"nodes":[0]}])",
                        R"("scene":1,"scenes":[{"nodes":[0,1]},{"nodes":[1]}])"),
               R"("nodes":[{"mesh":0}])", R"("nodes":[{"mesh":0},{"mesh":0,"translation":[0,0,7]}])");
  const TriangleMesh mesh = read(json, triangle_binary()).mesh;
  ASSERT_EQ(mesh.vertices.size(), 3U);
  EXPECT_EQ(mesh.vertices[0], Eigen::Vector3d(0, 0, 7));
}

TEST(GlbRead, NormalsGoWithTheInverseTranspose) {
  const auto binary = raw<float>({0, 0, 0, 1, 0, 0, 0, 1, 0}) + raw<float>({1, 1, 0, 1, 1, 0, 1, 1, 0});
  std::string json =
      document(R"({"attributes":{"POSITION":0,"NORMAL":1}})",
               R"({"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},)"
               R"({"bufferView":0,"byteOffset":36,"componentType":5126,"count":3,"type":"VEC3"})",
               R"({"buffer":0,"byteLength":72})", 72);
  for (const auto& [scale, expected] : std::vector<std::pair<std::string, Eigen::Vector3f>>{
           {"[2,1,1]", {1, 2, 0}}, {"[-2,1,1]", {-1, 2, 0}}, {"[1e200,1e200,1e200]", {1, 1, 0}}}) {
    const std::string placed =
        replaced(json, R"("nodes":[{"mesh":0}])", R"("nodes":[{"mesh":0,"scale":)" + scale + "}]");
    const TriangleMesh mesh = read(placed, binary).mesh;
    ASSERT_EQ(mesh.normals.size(), 3U);
    EXPECT_LT((mesh.normals[1] - expected.normalized()).norm(), 1e-6F) << scale;
  }
}

TEST(GlbRead, ColoursOfEveryType) {
  const auto positions = raw<float>({0, 0, 0});
  const auto colour = [&](const std::vector<std::byte>& bytes, const std::string& type) {
    const auto binary = positions + bytes;
    const TriangleMesh mesh =
        read(
            document(
                R"({"attributes":{"POSITION":0,"COLOR_0":1},"mode":0})",
                R"({"bufferView":0,"componentType":5126,"count":1,"type":"VEC3"},{"bufferView":1,"count":1,)" +
                    type + "}",
                R"({"buffer":0,"byteLength":12},{"buffer":0,"byteOffset":12,"byteLength":)" +
                    std::to_string(bytes.size()) + "}",
                binary.size()),
            binary)
            .mesh;
    return mesh.colours.size() == 1 ? mesh.colours[0] : Eigen::Vector4f(-1, -1, -1, -1);
  };
  EXPECT_EQ(colour(raw<float>({0.5F, 2, -1}), R"("componentType":5126,"type":"VEC3")"),
            Eigen::Vector4f(0.5F, 1, 0, 1));
  EXPECT_EQ(colour(raw<float>({0.5F, 1, 0, 0.25F}), R"("componentType":5126,"type":"VEC4")"),
            Eigen::Vector4f(0.5F, 1, 0, 0.25F));
  EXPECT_EQ(
      colour(raw<std::uint8_t>({255, 51, 0, 255}), R"("componentType":5121,"type":"VEC4","normalized":true)"),
      Eigen::Vector4f(1, 0.2F, 0, 1));
  EXPECT_EQ(colour(raw<std::uint16_t>({65535, 13107, 0}),
                   R"("componentType":5123,"type":"VEC3","normalized":true)"),
            Eigen::Vector4f(1, 0.2F, 0, 1));
}

TEST(GlbRead, StridesOffsetsAndQuantizedPositions) {
  const auto binary = raw<std::int16_t>({99, 99, 1, 2, 3, 99, -1, -2, -3, 99});
  const std::string json =
      document(R"({"attributes":{"POSITION":0},"mode":0})",
               R"({"bufferView":0,"byteOffset":2,"componentType":5122,"count":2,"type":"VEC3"})",
               R"({"buffer":0,"byteOffset":2,"byteLength":16,"byteStride":8})", 20,
               R"(,"extensionsRequired":["KHR_mesh_quantization"])");
  EXPECT_THAT(read(json, binary).mesh.vertices,
              ElementsAre(Eigen::Vector3d(1, 2, 3), Eigen::Vector3d(-1, -2, -3)));
}

TEST(GlbRead, SparseAccessors) {
  const auto binary = raw<float>({7, 8, 9}) + raw<std::uint8_t>({1, 0, 0, 0});
  const std::string sparse =
      R"("sparse":{"count":1,"indices":{"bufferView":1,"componentType":5121},"values":{"bufferView":0}})";
  const std::string json =
      document(R"({"attributes":{"POSITION":0},"mode":0})",
               R"({"componentType":5126,"count":3,"type":"VEC3",)" + sparse + "}",
               R"({"buffer":0,"byteLength":12},{"buffer":0,"byteOffset":12,"byteLength":1})", 16);
  EXPECT_THAT(read(json, binary).mesh.vertices,
              ElementsAre(Eigen::Vector3d(0, 0, 0), Eigen::Vector3d(7, 8, 9), Eigen::Vector3d(0, 0, 0)));
}

TEST(GlbRead, MaterialsTexturesAndSharedVertices) {
  const auto binary = raw<float>({0, 0, 0, 1, 0, 0, 0, 1, 0}) + raw<float>({0, 0, 1, 0, 0.5F, 0.75F}) +
                      raw<std::uint8_t>({0x89, 'P', 'N', 'G'});
  const std::string primitive = R"({"attributes":{"POSITION":0,"TEXCOORD_0":1},"material":)";
  const std::string json = document(
      primitive + "1}," + primitive +
          R"(0},{"attributes":{"POSITION":0}},{"attributes":{"POSITION":0},"mode":1})",
      R"({"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"},{"bufferView":1,"componentType":5126,"count":3,"type":"VEC2"})",
      R"({"buffer":0,"byteLength":36},{"buffer":0,"byteOffset":36,"byteLength":24},{"buffer":0,"byteOffset":60,"byteLength":4})",
      binary.size(),
      R"(,"materials":[{"name":"a","pbrMetallicRoughness":{"baseColorFactor":[0.5,0.25,1,2],"baseColorTexture":{"index":0}}},)"
      R"({"pbrMetallicRoughness":{"baseColorTexture":{"index":1}}},{"pbrMetallicRoughness":{"baseColorTexture":{"index":2}}}],)"
      R"("textures":[{"source":0},{"extensions":{"EXT_texture_webp":{"source":1}}},{"source":2}],)"
      R"("images":[{"bufferView":2},{"uri":"data:image/webp;base64,AQID","name":"w"},{"uri":"wood.png"}])");
  const GlbReading reading = read(json, binary);
  const TriangleMesh& mesh = reading.mesh;
  EXPECT_EQ(mesh.vertices.size(), 6U);  // two blocks: with and without texture coordinates
  EXPECT_THAT(mesh.faces, ElementsAre(Face{0, 1, 2}, Face{0, 1, 2}, Face{3, 4, 5}));
  EXPECT_THAT(mesh.face_materials, ElementsAre(1, 0, -1));
  EXPECT_THAT(mesh.face_uvs, ElementsAre(Face{0, 1, 2}, Face{0, 1, 2}, Face{3, 3, 3}));
  EXPECT_THAT(mesh.uvs, ElementsAre(Eigen::Vector2f(0, 1), Eigen::Vector2f(1, 1),
                                    Eigen::Vector2f(0.5F, 0.25F), Eigen::Vector2f(0, 0)));
  ASSERT_EQ(mesh.materials.size(), 3U);
  EXPECT_EQ(mesh.materials[0].name, "a");
  EXPECT_EQ(mesh.materials[0].base_colour, Eigen::Vector4f(0.5F, 0.25F, 1, 1));
  EXPECT_EQ(mesh.materials[0].texture, 0);
  EXPECT_EQ(mesh.materials[1].texture, 1);
  EXPECT_EQ(mesh.materials[2].texture, -1);
  ASSERT_EQ(mesh.textures.size(), 2U);
  EXPECT_EQ(mesh.textures[0].mime, "image/png");
  EXPECT_EQ(mesh.textures[0].name, "image_0.png");
  EXPECT_EQ(mesh.textures[1].mime, "image/webp");
  EXPECT_EQ(mesh.textures[1].bytes, raw<std::uint8_t>({1, 2, 3}));
  EXPECT_THAT(reading.warnings, ElementsAre(HasSubstr("wood.png"), "lines are left out"));
}

TEST(GlbRead, BuffersInDataUris) {
  const std::string json =
      R"({"asset":{"version":"2.0"},"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],)"
      R"("meshes":[{"primitives":[{"attributes":{"POSITION":0},"mode":0}]}],)"
      R"("accessors":[{"bufferView":0,"componentType":5126,"count":1,"type":"VEC3"}],"bufferViews":[{"buffer":0,"byteLength":12}],)"
      R"("buffers":[{"byteLength":12,"uri":"data:application/octet-stream;base64,AACAPwAAAEAAAEBA"}]})";
  EXPECT_THAT(read(json, {}).mesh.vertices, ElementsAre(Eigen::Vector3d(1, 2, 3)));
}

TEST(DataUri, DecodesBase64) {
  EXPECT_EQ(decode_data_uri("data:;base64,TWE=")->bytes, raw<std::uint8_t>({'M', 'a'}));
  EXPECT_EQ(decode_data_uri("data:text/plain;charset=x;base64,TWFu")->mime, "text/plain");
  EXPECT_EQ(decode_data_uri("data:;base64,")->bytes.size(), 0U);
  for (const char* bad : {"", "file.bin", "data:", "data:text/plain,abc", "data:;base64,a b"}) {
    EXPECT_FALSE(decode_data_uri(bad).has_value()) << bad;
  }
}

}  // namespace
}  // namespace pmtr
