// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// `pmtr fracture`: the layout it writes, and what it refuses.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/run_program.h"

namespace pmtr::test {
namespace {

using testing::HasSubstr;

ProgramResult pmtr(const std::string& arguments) { return run_program("'" PMTR_PROGRAM "' " + arguments); }

nlohmann::json object_json(const std::filesystem::path& folder) {
  const auto bytes = read_file(folder / "object.json");
  return bytes.ok() ? nlohmann::json::parse(as_text(*bytes)) : nlohmann::json();
}

constexpr std::string_view tetrahedron =
    "OFF\n4 4 0\n0 0 0\n2 0 0\n0 2 0\n0 0 2\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
constexpr std::string_view open_tetrahedron =
    "OFF\n4 3 0\n0 0 0\n2 0 0\n0 2 0\n0 0 2\n3 0 2 1\n3 0 1 3\n3 0 3 2\n";

TEST(Fracture, ShapesInTheLayoutOfBreakingBad) {
  const TemporaryFolder folder;
  const auto result = pmtr("fracture --shape bowl plate --fractures 2 --pieces 3 --around 24 --out " +
                           (folder / "out").string());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  for (const char* object : {"everyday/Bowl/bowl_0", "everyday/Plate/plate_0"}) {
    for (const char* fracture : {"fractured_0", "fractured_1"}) {
      const auto place = folder / "out" / object / fracture;
      const auto json = object_json(place);
      ASSERT_EQ(json["pieces"].size(), 3u) << place;
      EXPECT_GE(json["adjacency"].size(), 2u);
      EXPECT_EQ(json["mating_exact"], true);
      for (const auto& piece : json["pieces"])
        EXPECT_TRUE(std::filesystem::exists(place / piece["file"].get<std::string>()));
    }
  }
  // What is written is a dataset without faults.
  const auto check = pmtr("dataset check " + (folder / "out").string());
  EXPECT_EQ(check.exit_code, 0) << check.out << check.err;
}

TEST(Fracture, AMeshWithALossAndAForeignPiece) {
  const TemporaryFolder folder;
  const std::string file = (folder / "part.off").string();
  ASSERT_TRUE(write_file(file, tetrahedron).ok());
  const auto result = pmtr("fracture " + file + " --pieces 4 --missing 1 --foreign " + file +
                           " --wear 0.005 --out " + (folder / "out").string());
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto json = object_json(folder / "out/other/part/fractured_0");
  ASSERT_EQ(json["pieces"].size(), 5u);
  EXPECT_EQ(json["pieces"][4]["foreign"], true);
  EXPECT_TRUE(json["pieces"][4]["world_from_part"].is_null());
  EXPECT_EQ(json["mating_exact"], false);
  int missing = 0;
  for (const auto& piece : json["pieces"]) missing += piece["missing"].get<bool>() ? 1 : 0;
  EXPECT_EQ(missing, 1);
}

TEST(Fracture, WhatCannotBeBrokenIsSaid) {
  const TemporaryFolder folder;
  const std::string file = (folder / "part.off").string();
  const std::string out = " --out " + (folder / "out").string();
  ASSERT_TRUE(write_file(file, open_tetrahedron).ok());
  const auto open = pmtr("fracture " + file + out);
  EXPECT_EQ(open.exit_code, 3);
  EXPECT_THAT(open.err, HasSubstr("open"));
  EXPECT_EQ(pmtr("fracture " + (folder / "none.off").string() + out).exit_code, 3);
  for (const char* pieces : {"0", "1", "-2", "5000"}) {
    const auto result = pmtr("fracture --shape bowl --pieces=" + std::string(pieces) + out);
    EXPECT_EQ(result.exit_code, 2) << pieces << result.err;
  }
  const auto unknown = pmtr("fracture --shape spaceship" + out);
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("spaceship"));
  EXPECT_EQ(pmtr("fracture" + out).exit_code, 2);
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
}

}  // namespace
}  // namespace pmtr::test
