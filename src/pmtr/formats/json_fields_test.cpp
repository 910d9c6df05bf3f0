// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/formats/json_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/formats/field_reader.h"
#include "pmtr/formats/pose_json.h"

namespace pmtr {
namespace {

namespace fields = json_fields;
using fields::FieldReader;
using fields::Json;
using testing::HasSubstr;

const std::string file = "a.json";

enum class Colour { red, green };

TEST(JsonFields, bounds_the_text_before_it_is_parsed) {
  const auto cause = [](const std::string& text) { return fields::parse(text, file).error().cause; };
  EXPECT_TRUE(fields::parse(R"({"a": ":{[", "b": [1, {"c": 2}]})", file).ok());
  EXPECT_EQ(cause(R"({"a": 1)"), Cause::malformed);
  EXPECT_EQ(cause("[1]"), Cause::malformed);
  EXPECT_EQ(cause(R"({"a": 1e999})"), Cause::malformed);
  EXPECT_EQ(cause("{\"a\":" + std::string(200, '[') + std::string(200, ']') + "}"), Cause::too_large);
  std::string many = "{";
  for (int i = 0; i < 10'001; ++i) many += fmt::format("{}\"{}\":0", i == 0 ? "" : ",", i);
  EXPECT_EQ(cause(many + "}"), Cause::too_large);
}

TEST(JsonFields, whole_numbers_fit_or_are_refused) {
  int small = 0;
  std::int64_t large = 0;
  std::uint64_t positive = 0;
  EXPECT_TRUE(fields::convert(Json(-5), small) && small == -5);
  EXPECT_FALSE(fields::convert(Json(1LL << 40), small));
  EXPECT_FALSE(fields::convert(Json(1.5), small));
  EXPECT_FALSE(fields::convert(Json(std::uint64_t{1} << 63U), large));
  EXPECT_FALSE(fields::convert(Json(-1), positive));
  EXPECT_TRUE(fields::convert(Json(std::uint64_t{1} << 63U), positive));
}

TEST(FieldReader, fills_variables_and_keeps_the_first_problem) {
  const Json json = *fields::parse(R"({"number": 1.5, "words": {"a": "b"}, "none": null, "three": [1, 2, 3],
      "list": [{"x": 1}, {"x": true}], "colour": "green", "other": 0})",
                                   file);
  double number = 0;
  double kept = 7;
  std::map<std::string, std::string> words;
  std::optional<double> none = 1.0;
  std::array<float, 3> three{};
  Colour colour = Colour::red;
  FieldReader reader(json, {file, "top."});
  reader.required("number", number);
  reader.optional("absent", kept);
  reader.required("words", words);
  reader.required("none", none);
  reader.required("three", three);
  reader.optional_word("colour", {{"red", Colour::red}, {"green", Colour::green}}, colour);
  auto entries = reader.objects("list");
  ASSERT_TRUE(reader.ok()) << reader.status().error().text();
  EXPECT_EQ(number, 1.5);
  EXPECT_EQ(kept, 7);
  EXPECT_EQ(words.at("a"), "b");
  EXPECT_FALSE(none.has_value());
  EXPECT_EQ(three[2], 3.0F);
  EXPECT_EQ(colour, Colour::green);
  EXPECT_THAT(reader.finish().error().text(), HasSubstr("a.json: top.other"));
  int x = 0;
  ASSERT_EQ(entries.size(), 2U);
  entries[0].required("x", x);
  EXPECT_TRUE(entries[0].finish().ok());
  entries[1].required("x", x);
  entries[1].required("y", x);
  EXPECT_THAT(entries[1].finish().error().text(), HasSubstr("a.json: top.list[1].x has a wrong value"));
  reader.required("gone", x);
  reader.fail("something else");
  EXPECT_THAT(reader.finish().error().text(), HasSubstr("top.gone is missing"));
}

TEST(PoseJson, reads_what_it_writes_and_nothing_that_bends) {
  const Rigid3 pose{Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitY()).toRotationMatrix(), {1, 2, 3}};
  Json json = Json::object();
  json["pose"] = pose_rows(pose);
  json["short"] = pose_rows(pose, 3);
  json["bent"] = pose_rows({2.0 * pose.rotation, pose.translation});
  EXPECT_EQ(json["pose"].size(), 4U);
  EXPECT_EQ(json["short"][1].dump(), "[0.0,1.0,0.0,2.0]");
  const fields::Where where{file, ""};
  EXPECT_EQ(pose_at(json, "pose", where)->matrix(), pose.matrix());
  EXPECT_FALSE(pose_at(json, "short", where).ok());
  EXPECT_THAT(pose_at(json, "bent", where).error().text(), HasSubstr("a rotation and a translation"));
  FieldReader reader(json, where);
  std::optional<Rigid3> read;
  reader.required("short", read);
  EXPECT_TRUE(reader.ok());
  EXPECT_EQ(read->matrix(), pose.matrix());
  reader.required("bent", read);
  EXPECT_FALSE(reader.ok());
}

}  // namespace
}  // namespace pmtr
