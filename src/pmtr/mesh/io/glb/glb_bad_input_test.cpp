// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/mesh/io/glb/glb.h"
#include "pmtr/mesh/io/glb/glb_test_file.h"

namespace pmtr {
namespace {

using namespace test;
using testing::HasSubstr;

Error fail(std::string_view json, const std::vector<std::byte>& binary = triangle_binary()) {
  const auto mesh = parse_glb(make_glb(json, binary), "part.glb");
  EXPECT_FALSE(mesh.ok()) << json;
  return mesh.ok() ? Error{} : mesh.error();
}

TEST(GlbBadInput, Container) {
  EXPECT_EQ(parse_glb({}, "part.glb").error().cause, Cause::empty);
  EXPECT_EQ(parse_glb(as_bytes("solid ascii stl file"), "part.glb").error().cause, Cause::malformed);
  auto file = make_glb(triangle_json, triangle_binary());
  file[4] = std::byte{1};
  EXPECT_EQ(parse_glb(file, "part.glb").error().cause, Cause::unsupported);
  EXPECT_EQ(parse_glb(file, "part.glb").error().place.byte, 4U);
}

TEST(GlbBadInput, TruncatedAnywhere) {
  const auto file = make_glb(triangle_json, triangle_binary());
  for (std::size_t size = 0; size < file.size(); ++size) {
    const auto mesh = parse_glb(std::span(file).first(size), "part.glb");
    ASSERT_FALSE(mesh.ok()) << size;
    EXPECT_EQ(mesh.error().place.file, "part.glb");
  }
}

TEST(GlbBadInput, EveryByteChanged) {
  const auto file = make_glb(triangle_json, triangle_binary());
  for (std::size_t i = 0; i < file.size(); ++i) {
    for (const int value : {0x00, 0x22, 0x2D, 0x39, 0x5B, 0xFF}) {
      auto changed = file;
      changed[i] = static_cast<std::byte>(value);
      const auto mesh = parse_glb(changed, "part.glb");
      if (mesh.ok()) {
        EXPECT_TRUE(check_mesh(*mesh).ok());
      }
    }
  }
}

TEST(GlbBadInput, NotJson) {
  EXPECT_EQ(fail("").cause, Cause::malformed);
  EXPECT_EQ(fail("[]").cause, Cause::malformed);
  EXPECT_EQ(fail("{\"a\":1").cause, Cause::malformed);
  EXPECT_EQ(fail("{\"a\":1e999}").cause, Cause::malformed);
  EXPECT_EQ(fail("{\"a\":\"\xFF\"}").cause, Cause::malformed);
  EXPECT_EQ(fail("{}").cause, Cause::empty);
}

TEST(GlbBadInput, DeepOrWideJson) {
  EXPECT_EQ(fail(std::string(1'000'000, '[')).cause, Cause::too_large);
  const std::string deep = "{\"extras\":" + std::string(200, '[') + std::string(200, ']') + "}";
  EXPECT_EQ(fail(deep).cause, Cause::too_large);
  const std::string brackets_in_text =
      replaced(triangle_json, "{\"asset\"", "{\"extras\":\"" + std::string(500, '[') + "\\\"\",\"asset\"");
  EXPECT_TRUE(parse_glb(make_glb(brackets_in_text, triangle_binary()), "part.glb").ok());
  std::string wide = "{\"a\":0";
  for (int i = 0; i < 20'000; ++i) wide += ",\"k" + std::to_string(i) + "\":0";
  EXPECT_EQ(fail(wide + "}").cause, Cause::too_large);
}

TEST(GlbBadInput, CountsAndOffsetsBeyondTheBytes) {
  const std::vector<std::pair<const char*, const char*>> changes{
      {R"("count":3)", R"("count":4)"},
      {R"("count":3)", R"("count":1000000000)"},
      {R"("count":3)", R"("count":18446744073709551615)"},
      {R"("count":3)", R"("count":-1)"},
      {R"("count":3)", R"("count":"3")"},
      {R"("count":3)", R"("byteOffset":18446744073709551615,"count":3)"},
      {R"("count":3)", R"("byteOffset":1,"count":3)"},
      {R"("bufferView":0)", R"("bufferView":9)"},
      {R"("bufferView":0)", R"("bufferView":null)"},
      {R"("bufferView":0,"componentType":5126,"count":3)", R"("componentType":5126,"count":1000000000)"},
      {R"("byteOffset":36)", R"("byteOffset":40)"},
      {R"("byteOffset":36)", R"("byteOffset":18446744073709551610)"},
      {R"("byteLength":36)", R"("byteLength":18446744073709551615)"},
      {R"("byteLength":36)", R"("byteLength":36,"byteStride":8)"},
      {R"("byteLength":36)", R"("byteLength":36,"byteStride":1000000)"},
      {R"("buffer":0)", R"("buffer":1)"},
      {R"("buffer":0)", R"("x":1)"},
      {R"("byteLength":44)", R"("byteLength":1000000000)"},
      {R"("componentType":5126)", R"("componentType":5124)"},
      {R"("type":"VEC3")", R"("type":"MAT4")"},
      {R"("type":"VEC3")", R"("type":"VEC2")"},
      {R"("componentType":5123)", R"("componentType":5122)"},
      {R"("indices":1)", R"("indices":2)"},
      {R"("indices":1)", R"("indices":1,"mode":7)"},
      {R"("indices":1)", R"("indices":1,"material":0)"},
      {R"("POSITION":0)", R"("POSITION":7)"},
      {R"("POSITION":0)", R"("POSITION":0,"NORMAL":1)"},
      {R"("mesh":0)", R"("mesh":3)"},
      {R"("nodes":[0])", R"("nodes":[7])"},
      {R"("nodes":[0])", R"("nodes":{"0":1})"},
      {R"("scene":0)", R"("scene":5)"},
      {R"("mesh":0)", R"("mesh":0,"matrix":[1,2,3])"},
      {R"("mesh":0)", R"("mesh":0,"rotation":[0,0,0,0])"},
      {R"("mesh":0)", R"("mesh":0,"scale":[1,"a",1])"},
  };
  for (const auto& [from, to] : changes) {
    const Error error = fail(replaced(triangle_json, from, to));
    EXPECT_TRUE(error.cause == Cause::malformed || error.cause == Cause::too_large ||
                error.cause == Cause::truncated)
        << to << ": " << error.text();
  }
}

TEST(GlbBadInput, IndexOutOfRange) {
  const auto binary = raw<float>({0, 0, 0, 1, 0, 0, 0, 2, 0}) + raw<std::uint16_t>({0, 1, 3, 0});
  EXPECT_THAT(fail(triangle_json, binary).text(), HasSubstr("mesh 0, primitive 0: index 3 is out of range"));
  EXPECT_THAT(
      fail(replaced(triangle_json, R"("componentType":5123,"count":3)", R"("componentType":5123,"count":2)"))
          .text(),
      HasSubstr("2 indices make no whole triangles"));
}

TEST(GlbBadInput, NotFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const auto binary = raw<float>({0, 0, 0, 1, bad, 0, 0, 2, 0}) + raw<std::uint16_t>({0, 1, 2, 0});
    const Error error = fail(triangle_json, binary);
    EXPECT_EQ(error.cause, Cause::not_finite);
    EXPECT_THAT(error.text(), HasSubstr("accessor 0: position 1 is not finite"));
  }
  EXPECT_EQ(fail(replaced(triangle_json, R"("mesh":0)",
                          R"("mesh":0,"children":[1],"scale":[1e300,1,1]},{"mesh":0,"scale":[1e300,1,1])"))
                .cause,
            Cause::not_finite);
}

TEST(GlbBadInput, NodesThatAreNoTree) {
  for (const char* nodes :
       {R"([{"mesh":0,"children":[0]}])", R"([{"children":[1]},{"mesh":0,"children":[0]}])",
        R"([{"children":[1,2]},{"children":[2]},{"mesh":0}])"}) {
    const Error error = fail(replaced(triangle_json, R"([{"mesh":0}])", nodes));
    EXPECT_EQ(error.cause, Cause::malformed);
    EXPECT_THAT(error.message, HasSubstr("reached twice"));
  }
}

TEST(GlbBadInput, InstancesWithoutEnd) {
  const auto binary = std::vector<std::byte>(12 * 30'000);
  std::string nodes = R"({"mesh":0})";
  std::string roots = "0";
  for (int i = 1; i < 2'000; ++i) {
    nodes += R"(,{"mesh":0})";
    roots += "," + std::to_string(i);
  }
  const std::string json =
      R"({"scenes":[{"nodes":[)" + roots + R"(]}],"nodes":[)" + nodes +
      R"(],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"mode":0}]}],)"
      R"("accessors":[{"bufferView":0,"componentType":5126,"count":30000,"type":"VEC3"}],)"
      R"("bufferViews":[{"buffer":0,"byteLength":360000}],"buffers":[{"byteLength":360000}]})";
  EXPECT_EQ(fail(json, binary).cause, Cause::too_large);
}

TEST(GlbBadInput, UnsupportedIsNamed) {
  const Error draco = fail(replaced(triangle_json, "{\"asset\"",
                                    R"({"extensionsRequired":["KHR_draco_mesh_compression"],"asset")"));
  EXPECT_EQ(draco.cause, Cause::unsupported);
  EXPECT_THAT(draco.message, HasSubstr("KHR_draco_mesh_compression"));
  const Error outside =
      fail(replaced(triangle_json, R"("byteLength":44)", R"("byteLength":44,"uri":"part.bin")"));
  EXPECT_EQ(outside.cause, Cause::unsupported);
}

}  // namespace
}  // namespace pmtr
