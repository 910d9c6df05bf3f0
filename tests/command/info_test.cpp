// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// `pmtr info` and `pmtr import` on real files.
#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "pmtr/weights/safetensors.h"
#include "support/run_program.h"

namespace pmtr::test {
namespace {

using testing::HasSubstr;

ProgramResult pmtr(const std::string& arguments) { return run_program("'" PMTR_PROGRAM "' " + arguments); }

constexpr std::string_view tetrahedron =
    "OFF\n4 4 0\n0 0 0\n2 0 0\n0 2 0\n0 0 2\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
constexpr std::string_view open_tetrahedron =
    "OFF\n4 3 0\n0 0 0\n2 0 0\n0 2 0\n0 0 2\n3 0 2 1\n3 0 1 3\n3 0 3 2\n";

TEST(Info, ClosedMesh) {
  const TemporaryFolder folder;
  const std::string file = (folder / "part.off").string();
  ASSERT_TRUE(write_file(file, tetrahedron).ok());
  const auto result = pmtr("info --json " + file);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto info = nlohmann::json::parse(result.out);
  EXPECT_EQ(info["kind"], "mesh");
  EXPECT_EQ(info["vertices"], 4);
  EXPECT_EQ(info["faces"], 4);
  EXPECT_EQ(info["closed"], true);
  EXPECT_EQ(info["open_edges"], 0);
  EXPECT_NEAR(info["area"].get<double>(), 6.0 + std::sqrt(12.0), 1e-12);
  EXPECT_EQ(info["bounds"]["max"], nlohmann::json({2.0, 2.0, 2.0}));
  EXPECT_THAT(pmtr("info " + file).out, HasSubstr("closed"));
}

TEST(Info, OpenMesh) {
  const TemporaryFolder folder;
  const std::string file = (folder / "part.OFF").string();
  ASSERT_TRUE(write_file(file, open_tetrahedron).ok());
  const auto result = pmtr("info --json " + file);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto info = nlohmann::json::parse(result.out);
  EXPECT_EQ(info["closed"], false);
  EXPECT_EQ(info["open_edges"], 3);
  EXPECT_THAT(pmtr("info " + file).out, HasSubstr("open: 3 edges"));
}

TEST(Info, MalformedMeshNamesFileAndPlace) {
  const TemporaryFolder folder;
  const std::string file = (folder / "part.off").string();
  ASSERT_TRUE(write_file(file, std::string_view("OFF\n4000000000 4 0\n0 0 0\n")).ok());
  const auto result = pmtr("info " + file);
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("pmtr: error: " + file));
}

WeightFile small_weights(const std::string& prefix) {
  WeightFile weights;
  weights.metadata["pmtr"] = "{}";
  weights.arrays.push_back({prefix + "a.weight", DType::f32, {2, 3}, std::vector<std::byte>(24)});
  weights.arrays.push_back({prefix + "b", DType::i64, {}, std::vector<std::byte>(8)});
  return weights;
}

TEST(Info, Weights) {
  const TemporaryFolder folder;
  const std::string file = (folder / "w").string();
  ASSERT_TRUE(write_file(file, format_safetensors(small_weights(""))).ok());
  const auto result = pmtr("info --json --tensors " + file);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto info = nlohmann::json::parse(result.out);
  EXPECT_EQ(info["kind"], "weights");
  EXPECT_EQ(info["format"], "safetensors");
  EXPECT_EQ(info["parameters"], 7);
  EXPECT_EQ(info["metadata"]["pmtr"], "{}");
  EXPECT_EQ(info["tensors"][0]["name"], "a.weight");
  EXPECT_EQ(info["tensors"][0]["shape"], nlohmann::json({2, 3}));
  EXPECT_THAT(pmtr("info --tensors " + file).out, HasSubstr("[2, 3]"));
}

TEST(Import, RemovesThePrefixAndKeepsTheRest) {
  const TemporaryFolder folder;
  const std::string from = (folder / "from").string();
  const std::string to = (folder / "to").string();
  ASSERT_TRUE(write_file(from, format_safetensors(small_weights("model."))).ok());
  const auto result = pmtr("import " + from + " -o " + to);
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("'model.' removed"));
  const auto bytes = read_file(to);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ(*bytes, format_safetensors(small_weights("")));
}

}  // namespace
}  // namespace pmtr::test
