// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/weights/safetensors.h"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/core/file.h"
#include "pmtr/formats/byte_order.h"

namespace pmtr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string with_length(const std::string& header, const std::string& data, std::uint64_t length) {
  std::string file;
  for (int i = 0; i < 8; ++i) file += static_cast<char>((length >> (8 * i)) & 0xFFU);
  return file + header + data;
}

std::string file_of(const std::string& header, const std::string& data) {
  return with_length(header, data, header.size());
}

Result<WeightFile> parse(const std::string& file) {
  return parse_safetensors(as_bytes(file), "test.safetensors");
}

Cause cause_of(const std::string& file) {
  const auto weights = parse(file);
  if (weights.ok()) {
    ADD_FAILURE() << "was read: " << file.substr(8);
    return Cause::cancelled;
  }
  EXPECT_EQ(weights.error().place.file, "test.safetensors");
  return weights.error().cause;
}

/// A header of one array "a" in the braces, over 8 bytes of data.
std::string one(const std::string& fields) { return file_of("{\"a\":{" + fields + "}}", "12345678"); }

WeightFile example() {
  WeightFile weights;
  weights.metadata = {{"pmtr", R"({"width": 4, "name": "\"quoted\" \u00e4"})"}, {"author", "n\n"}};
  const auto bytes = [](std::string_view text) {
    const auto span = as_bytes(text);
    return std::vector<std::byte>(span.begin(), span.end());
  };
  weights.arrays = {{"z.odd", DType::u8, {3}, bytes("abc")},
                    {"a \"b\"\\ \xC3\xA4", DType::f32, {2, 1}, bytes("01234567")},
                    {"empty", DType::f64, {0, 5}, {}},
                    {"scalar", DType::bf16, {}, bytes("zz")},
                    {"empty too", DType::f32, {std::numeric_limits<std::int64_t>::max(), 0}, {}}};
  return weights;
}

TEST(Safetensors, ReadsWhatItWrites) {
  const WeightFile weights = example();
  const auto bytes = format_safetensors(weights);
  const auto again = parse_safetensors(bytes, "again");
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_EQ(again->metadata, weights.metadata);
  ASSERT_EQ(again->arrays.size(), weights.arrays.size());
  for (std::size_t i = 0; i < weights.arrays.size(); ++i) {
    EXPECT_EQ(again->arrays[i].name, weights.arrays[i].name);
    EXPECT_EQ(again->arrays[i].dtype, weights.arrays[i].dtype);
    EXPECT_EQ(again->arrays[i].shape, weights.arrays[i].shape);
    EXPECT_EQ(again->arrays[i].data, weights.arrays[i].data);
  }
  EXPECT_EQ(format_safetensors(*again), bytes);
}

TEST(Safetensors, WritesThisLayoutExactly) {
  WeightFile weights;
  weights.metadata = {{"b", "2"}, {"a", "1"}};
  weights.arrays = {{"w", DType::u8, {2}, {std::byte{'x'}, std::byte{'y'}}},
                    {"s", DType::i8, {}, {std::byte{'z'}}}};
  const std::string header =
      R"({"__metadata__":{"a":"1","b":"2"},"w":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
      R"("s":{"dtype":"I8","shape":[],"data_offsets":[2,3]}})";
  std::string padded = header;
  while (padded.size() % 8 != 0) padded += ' ';
  const auto bytes = format_safetensors(weights);
  EXPECT_EQ(as_text(bytes), file_of(padded, "xyz"));
}

TEST(Safetensors, AnEmptyFileOfWeightsIsValid) {
  const auto bytes = format_safetensors({});
  EXPECT_EQ(bytes.size() % 8, 0U);
  const auto again = parse_safetensors(bytes, "empty");
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_TRUE(again->arrays.empty() && again->metadata.empty());
}

TEST(Safetensors, OrdersArraysByTheirPlaceInTheData) {
  const auto weights = parse(file_of(R"({"b":{"data_offsets":[4,8],"dtype":"F32","shape":[1]},)"
                                     R"("a":{"dtype":"I32","shape":[1],"data_offsets":[0,4]}}  )",
                                     "12345678"));
  ASSERT_TRUE(weights.ok()) << weights.error().text();
  ASSERT_EQ(weights->arrays.size(), 2U);
  EXPECT_EQ(weights->arrays[0].name, "a");
  EXPECT_EQ(as_text(weights->arrays[1].data), "5678");
}

TEST(Safetensors, RefusesHeadersThatCannotBe) {
  const std::string good = R"({"a":{"dtype":"U8","shape":[8],"data_offsets":[0,8]}})";
  ASSERT_TRUE(parse(file_of(good, "12345678")).ok());
  EXPECT_EQ(cause_of(with_length(good, "12345678", std::uint64_t{1} << 63U)), Cause::too_large);
  EXPECT_EQ(cause_of(with_length(good, "12345678", ~std::uint64_t{0})), Cause::too_large);
  EXPECT_EQ(cause_of(with_length(good, "12345678", 100'000'001)), Cause::too_large);
  EXPECT_EQ(cause_of(with_length(good, "12345678", good.size() + 9)), Cause::truncated);
  EXPECT_EQ(cause_of(with_length(good, "12345678", good.size() - 1)), Cause::malformed);
  EXPECT_EQ(cause_of(with_length(good, "12345678", 0)), Cause::malformed);
  EXPECT_EQ(cause_of(""), Cause::truncated);
  EXPECT_EQ(cause_of("1234567"), Cause::truncated);
  EXPECT_EQ(cause_of(file_of(" " + good, "12345678")), Cause::malformed);
  EXPECT_EQ(cause_of(file_of(good + "x", "12345678")), Cause::malformed);
}

TEST(Safetensors, RefusesFieldsThatAreWrong) {
  const std::vector<std::string> wrong = {
      R"("dtype":"U8","shape":[8])",
      R"("dtype":"U8","data_offsets":[0,8])",
      R"("shape":[8],"data_offsets":[0,8])",
      R"("dtype":"U8","shape":[8],"data_offsets":[0,8],"more":1)",
      R"("dtype":"U8","dtype":"U8","shape":[8],"data_offsets":[0,8])",
      R"("dtype":1,"shape":[8],"data_offsets":[0,8])",
      R"("dtype":"U8","shape":8,"data_offsets":[0,8])",
      R"("dtype":"U8","shape":[[8]],"data_offsets":[0,8])",
      R"("dtype":"U8","shape":{},"data_offsets":[0,8])",
      R"("dtype":"U8","shape":[-8],"data_offsets":[0,8])",
      R"("dtype":"U8","shape":[8.0],"data_offsets":[0,8])",
      R"("dtype":"U8","shape":["8"],"data_offsets":[0,8])",
      R"("dtype":"U8","shape":[null],"data_offsets":[0,8])",
      R"("dtype":"U8","shape":[8],"data_offsets":[0])",
      R"("dtype":"U8","shape":[8],"data_offsets":[0,8,8])",
      R"("dtype":"U8","shape":[8],"data_offsets":[8,0])",
      R"("dtype":"U8","shape":[8],"data_offsets":[0,7])",
      R"("dtype":"U8","shape":[7],"data_offsets":[0,8])",
      R"("dtype":"U8","shape":[7],"data_offsets":[0,7])",
      R"("dtype":"U8","shape":[7],"data_offsets":[1,8])",
      R"("dtype":"U8","shape":[8],"data_offsets":[0,18446744073709551616])",
  };
  for (const std::string& fields : wrong) EXPECT_EQ(cause_of(one(fields)), Cause::malformed) << fields;
  EXPECT_EQ(cause_of(one(R"("dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8])")), Cause::unsupported);
  EXPECT_EQ(cause_of(one(R"("dtype":"U8","shape":[9],"data_offsets":[0,9])")), Cause::truncated);
  EXPECT_EQ(cause_of(one(R"("dtype":"U8","shape":[8],"data_offsets":[0,18446744073709551615])")),
            Cause::truncated);
}

TEST(Safetensors, RefusesShapesThatOverflow) {
  // 2^32 * 2^32 elements are 0 in 64 bits, 2^61 doubles as well.
  EXPECT_EQ(cause_of(one(R"("dtype":"U8","shape":[4294967296,4294967296],"data_offsets":[0,0])")),
            Cause::too_large);
  EXPECT_EQ(cause_of(one(R"("dtype":"F64","shape":[2305843009213693952],"data_offsets":[0,0])")),
            Cause::too_large);
  EXPECT_EQ(cause_of(one(R"("dtype":"U8","shape":[9223372036854775808],"data_offsets":[0,8])")),
            Cause::too_large);
  std::string ones = "1";
  for (int i = 0; i < 64; ++i) ones += ",1";
  EXPECT_EQ(cause_of(one("\"dtype\":\"U8\",\"shape\":[" + ones + "],\"data_offsets\":[0,8]")),
            Cause::too_large);
}

TEST(Safetensors, RefusesOverlapsGapsAndDuplicates) {
  const auto two = [](const std::string& first, const std::string& second, const std::string& name) {
    return file_of(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + first + R"(},")" + name +
                       R"(":{"dtype":"U8","shape":[4],"data_offsets":)" + second + "}}",
                   "12345678");
  };
  ASSERT_TRUE(parse(two("[0,4]", "[4,8]", "b")).ok());
  EXPECT_THAT(parse(two("[0,4]", "[3,7]", "b")).error().text(), HasSubstr("overlaps"));
  EXPECT_THAT(parse(two("[0,4]", "[0,4]", "b")).error().text(), HasSubstr("overlaps"));
  EXPECT_THAT(parse(two("[4,8]", "[4,8]", "b")).error().text(), HasSubstr("gap"));
  EXPECT_THAT(parse(two("[0,4]", "[4,8]", "a")).error().text(), HasSubstr("twice"));
  EXPECT_THAT(
      parse(file_of(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})", "12345")).error().text(),
      HasSubstr("belong to no array"));
}

TEST(Safetensors, MetadataHoldsStringsOnly) {
  const auto good = parse(file_of(R"({"__metadata__":{"k":"v"}})", ""));
  ASSERT_TRUE(good.ok()) << good.error().text();
  EXPECT_EQ(good->metadata.at("k"), "v");
  for (const char* bad :
       {R"({"__metadata__":{"k":1}})", R"({"__metadata__":{"k":{}}})", R"({"__metadata__":[]})",
        R"({"__metadata__":"v"})", R"({"__metadata__":{"k":"1","k":"2"}})",
        R"({"__metadata__":{},"__metadata__":{}})", R"({"a":null})", R"({"a":[]})", R"({"a":true})"}) {
    EXPECT_EQ(cause_of(file_of(bad, "")), Cause::malformed) << bad;
  }
}

TEST(Safetensors, SaysWhereTheJsonBreaks) {
  const auto weights = parse(file_of(R"({"a" 1})", ""));
  ASSERT_FALSE(weights.ok());
  EXPECT_EQ(weights.error().place.byte, 8U + 6U);
}

TEST(Safetensors, DeepNestingIsRefusedAtOnce) {
  EXPECT_EQ(cause_of(file_of("{\"a\":" + std::string(1'000'000, '['), "")), Cause::malformed);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  EXPECT_EQ(cause_of(file_of(objects, "")), Cause::malformed);
}

TEST(Safetensors, TruncationsAreErrors) {
  const auto bytes = format_safetensors(example());
  for (std::size_t size = 0; size < bytes.size(); size += 64)
    EXPECT_FALSE(parse_safetensors(std::span(bytes).first(size), "cut").ok()) << size;
  EXPECT_FALSE(parse_safetensors(std::span(bytes).first(bytes.size() - 1), "cut").ok());
}

TEST(Safetensors, WriterAbortsOnArraysThatDoNotFillTheirShape) {
  WeightFile weights;
  weights.arrays = {{"w", DType::f32, {2}, std::vector<std::byte>(7)}};
  EXPECT_DEATH(format_safetensors(weights), "does not fill");
  weights.arrays = {{"w", DType::u8, {}, std::vector<std::byte>(1)},
                    {"w", DType::u8, {}, std::vector<std::byte>(1)}};
  EXPECT_DEATH(format_safetensors(weights), "twice");
}

}  // namespace
}  // namespace pmtr
