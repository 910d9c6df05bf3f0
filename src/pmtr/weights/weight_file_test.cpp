// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/weights/weight_file.h"

#include <unistd.h>

#include <cmath>
#include <cstring>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/core/file.h"
#include "pmtr/weights/safetensors.h"
#include "support/torch_archive.h"

namespace pmtr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

NamedArray array_of(const std::string& name) { return {name, DType::u8, {}, std::vector<std::byte>(1)}; }

template <class T>
NamedArray array_of_values(DType dtype, const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {"v", dtype, {static_cast<std::int64_t>(values.size())}, {bytes.begin(), bytes.end()}};
}

/// read_weights of a file with this content.
Result<WeightFile> read_content(std::string_view content) {
  const auto path = std::filesystem::temp_directory_path() / ("pmtr_weights_" + std::to_string(::getpid()));
  EXPECT_TRUE(write_file(path, content).ok());
  auto weights = read_weights(path);
  std::filesystem::remove(path);
  return weights;
}

std::string message_for(std::string_view content) {
  const auto weights = read_content(content);
  EXPECT_FALSE(weights.ok());
  return weights.ok() ? std::string() : weights.error().text();
}

TEST(WeightFile, HalfBecomesFloatForEveryBitPattern) {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  const auto values = array_of_values(DType::f16, all).to_float();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const int exponent = static_cast<int>((i >> 10U) & 0x1FU);
    const auto fraction = static_cast<double>(i & 0x3FFU);
    const double sign = (i & 0x8000U) != 0 ? -1.0 : 1.0;
    if (exponent == 31) {
      EXPECT_EQ(std::isnan(values[i]), fraction != 0) << i;
      if (fraction == 0) {
        EXPECT_EQ(values[i], sign * std::numeric_limits<double>::infinity());
      }
    } else {
      const double magnitude =
          exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024.0 + fraction, exponent - 25);
      ASSERT_EQ(static_cast<double>(values[i]), sign * magnitude) << i;
      EXPECT_EQ(std::signbit(values[i]), sign < 0) << i;
    }
  }
}

TEST(WeightFile, OtherTypesBecomeFloat) {
  EXPECT_THAT(array_of_values<std::uint16_t>(DType::bf16, {0x3F80, 0xC049, 0x0000, 0x7F80}).to_float(),
              ElementsAre(1.0F, -3.140625F, 0.0F, std::numeric_limits<float>::infinity()));
  EXPECT_THAT(array_of_values<float>(DType::f32, {0.1F, -0.0F}).to_float(), ElementsAre(0.1F, -0.0F));
  EXPECT_THAT(array_of_values<double>(DType::f64, {0.1, -1e300}).to_float(),
              ElementsAre(0.1F, -std::numeric_limits<float>::infinity()));
  EXPECT_THAT(array_of_values<std::int8_t>(DType::i8, {-128, 127}).to_float(), ElementsAre(-128, 127));
  EXPECT_THAT(array_of_values<std::uint8_t>(DType::u8, {0, 255}).to_float(), ElementsAre(0, 255));
  EXPECT_THAT(array_of_values<std::int16_t>(DType::i16, {-32768}).to_float(), ElementsAre(-32768));
  EXPECT_THAT(array_of_values<std::int32_t>(DType::i32, {-7}).to_float(), ElementsAre(-7));
  EXPECT_THAT(array_of_values<std::int64_t>(DType::i64, {std::int64_t{1} << 40U}).to_float(),
              ElementsAre(0x1p40F));
  EXPECT_THAT(array_of_values<std::uint8_t>(DType::boolean, {0, 1, 2}).to_float(), ElementsAre(0, 1, 1));
}

TEST(WeightFile, CountsElements) {
  NamedArray array;
  EXPECT_EQ(array.numel(), 1);
  array.shape = {2, 3, 4};
  EXPECT_EQ(array.numel(), 24);
  array.shape = {std::int64_t{1} << 62U, std::int64_t{1} << 62U, 0};
  EXPECT_EQ(array.numel(), 0);
}

TEST(WeightFile, FindsByName) {
  WeightFile weights;
  weights.arrays = {array_of("a"), array_of("b")};
  EXPECT_EQ(weights.find("b"), &weights.arrays[1]);
  EXPECT_EQ(weights.find("c"), nullptr);
}

TEST(WeightFile, StripsThePrefixesOfWrappersOnly) {
  const auto strip = [](const std::vector<std::string>& names) {
    WeightFile weights;
    for (const auto& name : names) weights.arrays.push_back(array_of(name));
    std::vector<std::string> result = {strip_common_prefix(weights)};
    for (const auto& array : weights.arrays) result.push_back(array.name);
    return result;
  };
  EXPECT_THAT(strip({"model.a.w", "model.b"}), ElementsAre("model.", "a.w", "b"));
  EXPECT_THAT(strip({"model.module._orig_mod.a", "model.module._orig_mod.b"}),
              ElementsAre("model.module._orig_mod.", "a", "b"));
  EXPECT_THAT(strip({"model.a", "loss.b"}), ElementsAre("", "model.a", "loss.b"));
  EXPECT_THAT(strip({"backbone.a", "backbone.b"}), ElementsAre("", "backbone.a", "backbone.b"));
  EXPECT_THAT(strip({"model.", "model.a"}), ElementsAre("", "model.", "model.a"));
  EXPECT_THAT(strip({}), ElementsAre(""));
}

TEST(ReadWeights, ReadsBothFormatsByContent) {
  WeightFile weights;
  weights.arrays = {array_of("a")};
  const auto safetensors = read_content(as_text(format_safetensors(weights)));
  ASSERT_TRUE(safetensors.ok()) << safetensors.error().text();
  EXPECT_EQ(safetensors->arrays.at(0).name, "a");
  test::PickleWriter pickle;
  pickle.op("}").text("b").tensor("ByteStorage", "0", 1, 0, {}, {}).op("s");
  const auto torch = read_content(test::torch_zip(pickle.stop(), {{"0", "x"}}).finish());
  ASSERT_TRUE(torch.ok()) << torch.error().text();
  EXPECT_EQ(torch->arrays.at(0).name, "b");
}

TEST(ReadWeights, NamesWhatPeopleHaveInstead) {
  EXPECT_THAT(message_for(""), HasSubstr("empty"));
  EXPECT_THAT(message_for("\n\t<!DOCTYPE HTML><html>"), HasSubstr("web page"));
  EXPECT_THAT(message_for("<HTML lang=en>"), HasSubstr("web page"));
  EXPECT_THAT(message_for("version https://git-lfs.github.com/spec/v1\noid sha256:0\n"),
              HasSubstr("git lfs pull"));
  const std::string legacy("\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.\x80\x02M\xe9\x03.", 21);
  EXPECT_THAT(message_for(legacy), HasSubstr("save it again"));
  EXPECT_THAT(message_for(std::string("\x80\x04}.", 4)), HasSubstr("bare Python pickle"));
  EXPECT_THAT(message_for("\x89HDF\r\n\x1a\n and so on"), HasSubstr("neither a safetensors file"));
  EXPECT_THAT(message_for("PK and then nothing"), HasSubstr("too short for a zip file"));
  const auto missing = read_weights("/nonexistent/weights.safetensors");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().cause, Cause::unreadable);
}

}  // namespace
}  // namespace pmtr
