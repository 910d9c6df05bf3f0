// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/weights/torch_file.h"

#include <cstring>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/core/file.h"
#include "support/torch_archive.h"

namespace pmtr {
namespace {

using test::PickleWriter;
using test::torch_zip;
using testing::ElementsAre;
using testing::HasSubstr;

Result<WeightFile> parse_pth(const std::string& file) { return parse_torch_file(as_bytes(file), "test.pth"); }

template <class T>
std::string raw(const std::vector<T>& values) {
  return std::string(as_text(std::as_bytes(std::span(values))));
}

const std::string six = raw<float>({0, 1, 2, 3, 4, 5});

/// A state dict with one tensor "w" over the storage "0" of six floats.
std::string one_tensor(std::int64_t offset, const std::vector<std::int64_t>& shape,
                       const std::vector<std::int64_t>& strides, std::int64_t claimed = 6,
                       std::string_view type = "FloatStorage") {
  PickleWriter pickle;
  pickle.op("}").text("w").tensor(type, "0", claimed, offset, shape, strides).op("s");
  return torch_zip(pickle.stop(), {{"0", six}}).finish();
}

Cause pth_cause(const std::string& file) {
  const auto weights = parse_pth(file);
  if (weights.ok()) {
    ADD_FAILURE() << "was read";
    return Cause::cancelled;
  }
  EXPECT_THAT(weights.error().place.file, testing::StartsWith("test.pth"));
  EXPECT_FALSE(weights.error().message.empty());
  return weights.error().cause;
}

/// As torch.save(model.state_dict()) writes it: an OrderedDict with _metadata as its attribute.
std::string state_dict_file() {
  PickleWriter pickle;
  pickle.call_empty("collections", "OrderedDict").op("(");
  pickle.text("layer.weight").tensor("FloatStorage", "0", 6, 0, {2, 3}, {3, 1});
  pickle.text("layer.bias").tensor("DoubleStorage", "1", 2, 0, {2}, {1});
  pickle.text("steps").tensor("LongStorage", "2", 1, 0, {}, {});
  pickle.op("u}").text("_metadata").call_empty("collections", "OrderedDict").op("sb");
  return torch_zip(pickle.stop(), {{"0", six}, {"1", raw<double>({0.5, -2})}, {"2", raw<std::int64_t>({7})}})
      .finish();
}

TEST(TorchFile, ReadsAStateDictInItsOrder) {
  const auto weights = parse_pth(state_dict_file());
  ASSERT_TRUE(weights.ok()) << weights.error().text();
  ASSERT_EQ(weights->arrays.size(), 3U);
  EXPECT_EQ(weights->arrays[0].name, "layer.weight");
  EXPECT_EQ(weights->arrays[0].dtype, DType::f32);
  EXPECT_THAT(weights->arrays[0].shape, ElementsAre(2, 3));
  EXPECT_THAT(weights->arrays[0].to_float(), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_EQ(weights->arrays[1].name, "layer.bias");
  EXPECT_EQ(weights->arrays[1].dtype, DType::f64);
  EXPECT_THAT(weights->arrays[1].to_float(), ElementsAre(0.5F, -2.0F));
  EXPECT_EQ(weights->arrays[2].dtype, DType::i64);
  EXPECT_TRUE(weights->arrays[2].shape.empty());
  EXPECT_THAT(weights->arrays[2].to_float(), ElementsAre(7.0F));
}

TEST(TorchFile, ReadsZip64) {
  PickleWriter pickle;
  pickle.op("}").text("w").tensor("FloatStorage", "0", 6, 0, {6}, {1}).op("s");
  auto zip = torch_zip(pickle.stop(), {{"0", six}});
  zip.zip64 = true;
  const auto weights = parse_pth(zip.finish());
  ASSERT_TRUE(weights.ok()) << weights.error().text();
  EXPECT_THAT(weights->arrays[0].to_float(), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(TorchFile, ReadsALightningCheckpointAmongOpaqueObjects) {
  PickleWriter pickle;
  pickle.op("}(").text("epoch").op(std::string("K\x03", 2)).text("pytorch-lightning_version").text("2.1.0");
  pickle.text("hyper_parameters").global("omegaconf.dictconfig", "DictConfig").op(")\x81}(");
  pickle.text("_content").op("}").text("lr").op(std::string("G\x3f\x50\x62\x4d\xd2\xf1\xa9\xfc", 9)).op("s");
  pickle.text("_parent").op("Nub");
  pickle.text("callbacks").op("}(").text("ModelCheckpoint").op("}").text("best_model_score");
  pickle.tensor("FloatStorage", "9", 1, 0, {}, {}).op("s");
  pickle.text("Timer").global("my.callbacks", "Timer").op(")R(NNe(").text("k").op("NuNbu");
  pickle.text("optimizer_states").op("]}").text("state").op("}").integer(0).op("}").text("exp_avg");
  pickle.tensor("FloatStorage", "8", 6, 0, {6}, {1}).op("sssa");
  pickle.text("rng").global("numpy.core.multiarray", "scalar").op("NN\x86R");
  pickle.text("state_dict").call_empty("collections", "OrderedDict").op("(");
  pickle.text("model.a").tensor("FloatStorage", "0", 6, 0, {6}, {1});
  pickle.text("model.note").text("not a tensor").text("model.nothing").op("N");
  pickle.text("model.object").global("my.module", "Thing").op(")\x81");
  pickle.text("model.b").tensor("FloatStorage", "0", 6, 2, {2}, {1}).op("uu");
  // The storages "8" and "9" are not there: nobody asks for the optimizer's.
  const auto weights = parse_pth(torch_zip(pickle.stop(), {{"0", six}}).finish());
  ASSERT_TRUE(weights.ok()) << weights.error().text();
  ASSERT_EQ(weights->arrays.size(), 2U);
  EXPECT_EQ(weights->arrays[0].name, "model.a");
  EXPECT_EQ(weights->arrays[1].name, "model.b");
  EXPECT_THAT(weights->arrays[1].to_float(), ElementsAre(2, 3));
}

TEST(TorchFile, ReadsParametersAsTheirTensors) {
  PickleWriter pickle;
  pickle.op("}(").text("p").global("torch._utils", "_rebuild_parameter").op("(");
  pickle.tensor("FloatStorage", "0", 6, 0, {3}, {2}).op("\x88").call_empty("collections", "OrderedDict");
  pickle.op("tRu");
  const auto weights = parse_pth(torch_zip(pickle.stop(), {{"0", six}}).finish());
  ASSERT_TRUE(weights.ok()) << weights.error().text();
  EXPECT_THAT(weights->arrays.at(0).to_float(), ElementsAre(0, 2, 4));
}

TEST(TorchFile, MakesTransposedStridedAndExpandedTensorsContiguous) {
  const auto transposed = parse_pth(one_tensor(0, {3, 2}, {1, 3}));
  ASSERT_TRUE(transposed.ok()) << transposed.error().text();
  EXPECT_THAT(transposed->arrays[0].shape, ElementsAre(3, 2));
  EXPECT_THAT(transposed->arrays[0].to_float(), ElementsAre(0, 3, 1, 4, 2, 5));
  const auto column = parse_pth(one_tensor(1, {2}, {3}));
  ASSERT_TRUE(column.ok());
  EXPECT_THAT(column->arrays[0].to_float(), ElementsAre(1, 4));
  const auto expanded = parse_pth(one_tensor(5, {2, 2}, {0, 0}));
  ASSERT_TRUE(expanded.ok());
  EXPECT_THAT(expanded->arrays[0].to_float(), ElementsAre(5, 5, 5, 5));
  const auto empty = parse_pth(one_tensor(0, {0, 4}, {4, 1}));
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(empty->arrays[0].numel(), 0);
}

TEST(TorchFile, ReadsEveryType) {
  struct Case {
    const char* type;
    std::string data;
    DType dtype;
  };
  const std::vector<Case> cases = {
      {"HalfStorage", raw<std::uint16_t>({0x3C00, 0xC000}), DType::f16},
      {"BFloat16Storage", raw<std::uint16_t>({0x3F80, 0xC000}), DType::bf16},
      {"FloatStorage", raw<float>({1, -2}), DType::f32},
      {"DoubleStorage", raw<double>({1, -2}), DType::f64},
      {"CharStorage", raw<std::int8_t>({1, -2}), DType::i8},
      {"ShortStorage", raw<std::int16_t>({1, -2}), DType::i16},
      {"IntStorage", raw<std::int32_t>({1, -2}), DType::i32},
      {"LongStorage", raw<std::int64_t>({1, -2}), DType::i64},
      {"ByteStorage", raw<std::uint8_t>({1, 254}), DType::u8},
      {"BoolStorage", raw<std::uint8_t>({1, 0}), DType::boolean},
  };
  for (const Case& test : cases) {
    SCOPED_TRACE(test.type);
    PickleWriter pickle;
    pickle.op("}").text("w").tensor(test.type, "0", 2, 0, {2}, {1}).op("s");
    const auto weights = parse_pth(torch_zip(pickle.stop(), {{"0", test.data}}).finish());
    ASSERT_TRUE(weights.ok()) << weights.error().text();
    const NamedArray& array = weights->arrays.at(0);
    EXPECT_EQ(array.dtype, test.dtype);
    EXPECT_EQ(as_text(array.data), test.data);
    const float second = test.dtype == DType::u8 ? 254.0F : test.dtype == DType::boolean ? 0.0F : -2.0F;
    EXPECT_THAT(array.to_float(), ElementsAre(1.0F, second));
  }
}

TEST(TorchFile, ARepeatedKeyTakesItsLastValue) {
  PickleWriter pickle;
  pickle.op("}(").text("a").tensor("FloatStorage", "0", 6, 0, {1}, {1});
  pickle.text("b").tensor("FloatStorage", "0", 6, 1, {1}, {1});
  pickle.text("a").tensor("FloatStorage", "0", 6, 2, {1}, {1}).op("u");
  const auto weights = parse_pth(torch_zip(pickle.stop(), {{"0", six}}).finish());
  ASSERT_TRUE(weights.ok());
  ASSERT_EQ(weights->arrays.size(), 2U);
  EXPECT_EQ(weights->arrays[0].name, "a");
  EXPECT_THAT(weights->arrays[0].to_float(), ElementsAre(2));
}

TEST(TorchFile, RefusesViewsOutsideTheirStorage) {
  constexpr std::int64_t big = std::int64_t{1} << 62U;
  EXPECT_EQ(pth_cause(one_tensor(0, {7}, {1})), Cause::malformed);
  EXPECT_EQ(pth_cause(one_tensor(1, {2, 3}, {3, 1})), Cause::malformed);
  EXPECT_EQ(pth_cause(one_tensor(-1, {2}, {1})), Cause::malformed);
  EXPECT_EQ(pth_cause(one_tensor(5, {2}, {-1})), Cause::malformed);
  EXPECT_EQ(pth_cause(one_tensor(0, {-2}, {1})), Cause::malformed);
  EXPECT_EQ(pth_cause(one_tensor(0, {big, big, 4}, {0, 0, 0})), Cause::malformed);
  EXPECT_EQ(pth_cause(one_tensor(0, {3, 3}, {big + (big - 1), big + (big - 1)})), Cause::malformed);
  EXPECT_EQ(pth_cause(one_tensor(0, {2}, {1, 1})), Cause::malformed);  // one stride too many
  EXPECT_EQ(pth_cause(one_tensor(0, std::vector<std::int64_t>(65, 1), std::vector<std::int64_t>(65, 1))),
            Cause::malformed);
}

TEST(TorchFile, RefusesStoragesThatAreNotThere) {
  EXPECT_EQ(pth_cause(one_tensor(0, {6}, {1}, 7)), Cause::truncated);
  EXPECT_EQ(pth_cause(one_tensor(0, {6}, {1}, std::int64_t{1} << 62U)), Cause::truncated);
  EXPECT_EQ(pth_cause(one_tensor(0, {6}, {1}, -1)), Cause::truncated);
  EXPECT_EQ(pth_cause(one_tensor(0, {6}, {1}, 6, "DoubleStorage")), Cause::truncated);
  EXPECT_EQ(pth_cause(one_tensor(0, {6}, {1}, 6, "ComplexFloatStorage")), Cause::unsupported);
  PickleWriter pickle;
  pickle.op("}").text("w").tensor("FloatStorage", "1", 6, 0, {6}, {1}).op("s");
  EXPECT_EQ(pth_cause(torch_zip(pickle.stop(), {{"0", six}}).finish()), Cause::truncated);
}

TEST(TorchFile, ASmallFileCannotFillTheMemory) {
  constexpr std::int64_t big = std::int64_t{1} << 40U;
  EXPECT_EQ(pth_cause(one_tensor(0, {big}, {0})), Cause::too_large);
  // Nor can many tensors that are small enough each.
  PickleWriter pickle;
  pickle.op("}(");
  for (int i = 0; i < 100; ++i)
    pickle.text(std::to_string(i)).tensor("FloatStorage", "0", 6, 0, {1 << 20}, {0});
  EXPECT_EQ(pth_cause(torch_zip(pickle.op("u").stop(), {{"0", six}}).finish()), Cause::too_large);
}

TEST(TorchFile, FunctionsInTheDictAreNotCalledAndNotKept) {
  PickleWriter pickle;
  pickle.op("}(").text("evil").global("os", "system").text("exit 1").op("\x85R");
  pickle.text("w").tensor("FloatStorage", "0", 6, 0, {6}, {1}).op("u");
  const auto weights = parse_pth(torch_zip(pickle.stop(), {{"0", six}}).finish());
  ASSERT_TRUE(weights.ok()) << weights.error().text();
  EXPECT_EQ(weights->arrays.size(), 1U);
}

TEST(TorchFile, TensorsMadeOfTheWrongThingsAreErrors) {
  // Every argument of the call replaced by None, and by the dict itself.
  for (int wrong = 0; wrong < 4; ++wrong) {
    for (const std::string& value : {std::string("N"), std::string("h\x00", 2)}) {
      PickleWriter pickle;
      pickle.op(std::string("}q\x00", 3)).text("w").global("torch._utils", "_rebuild_tensor_v2").op("(");
      for (int i = 0; i < 4; ++i) {
        if (i == wrong) {
          pickle.op(value);
        } else if (i == 0) {
          pickle.storage("FloatStorage", "0", 6);
        } else if (i == 1) {
          pickle.integer(0);
        } else {
          pickle.integers({1});
        }
      }
      pickle.op("tRs");
      EXPECT_EQ(pth_cause(torch_zip(pickle.stop(), {{"0", six}}).finish()), Cause::malformed);
    }
  }
}

TEST(TorchFile, NamesWhatIsNoStateDict) {
  const auto message = [](const PickleWriter& pickle) {
    const auto weights = parse_pth(torch_zip(pickle.stop(), {{"0", six}}).finish());
    EXPECT_FALSE(weights.ok());
    return weights.ok() ? std::string() : weights.error().text();
  };
  EXPECT_THAT(message(PickleWriter().global("my.net", "Net").op(")\x81}b")), HasSubstr("my.net.Net"));
  EXPECT_THAT(message(PickleWriter().op("]")), HasSubstr("no dict"));
  EXPECT_THAT(message(PickleWriter().op("}")), HasSubstr("keys are: none"));
  EXPECT_THAT(message(PickleWriter().op("}").text("weights").op("Ns")), HasSubstr("keys are: weights"));
  EXPECT_THAT(message(PickleWriter().op("}").text("state_dict").op("}s")), HasSubstr("no tensors"));
  EXPECT_THAT(message(PickleWriter().op("}").text("q").global("torch._utils", "_rebuild_qtensor").op(")Rs")),
              HasSubstr("_rebuild_qtensor"));
  EXPECT_THAT(
      message(PickleWriter().op("}").text("\xff\xfe").tensor("FloatStorage", "0", 6, 0, {6}, {1}).op("s")),
      HasSubstr("UTF-8"));
  EXPECT_THAT(message(PickleWriter()
                          .op("}")
                          .text(std::string(5000, 'n'))
                          .tensor("FloatStorage", "0", 6, 0, {6}, {1})
                          .op("s")),
              HasSubstr("limit"));
}

TEST(TorchFile, RefusesOtherZipsTorchScriptAndBigEndianFiles) {
  test::ZipWriter other;
  other.add("word/document.xml", "<xml/>");
  EXPECT_EQ(pth_cause(other.finish()), Cause::unknown_format);
  PickleWriter pickle;
  pickle.op("}").text("w").tensor("FloatStorage", "0", 6, 0, {6}, {1}).op("s");
  test::ZipWriter script;
  script.add("m/data.pkl", pickle.stop()).add("m/constants.pkl", "").add("m/data/0", six);
  EXPECT_EQ(pth_cause(script.finish()), Cause::unsupported);
  test::ZipWriter big;
  big.add("m/data.pkl", pickle.stop()).add("m/byteorder", "big").add("m/data/0", six);
  EXPECT_EQ(pth_cause(big.finish()), Cause::unsupported);
  test::ZipWriter old;  // no byteorder entry, files at the top
  old.add("data.pkl", pickle.stop()).add("data/0", six);
  EXPECT_TRUE(parse_pth(old.finish()).ok());
}

TEST(TorchFile, WrongChecksumsAreFound) {
  PickleWriter pickle;
  pickle.op("}").text("w").tensor("FloatStorage", "0", 6, 0, {6}, {1}).op("s");
  auto zip = torch_zip(pickle.stop(), {{"0", six}});
  zip.crc_error = 1;
  EXPECT_EQ(pth_cause(zip.finish()), Cause::malformed);
  EXPECT_TRUE(parse_torch_file(as_bytes(zip.finish()), "test.pth", {.check_crc = false}).ok());
  std::string damaged = state_dict_file();
  damaged[damaged.find(six) + 5] ^= 1;
  EXPECT_EQ(pth_cause(damaged), Cause::malformed);
}

TEST(TorchFile, TruncationsAreErrors) {
  const std::string file = state_dict_file();
  for (std::size_t size = 0; size < file.size(); size += 64)
    EXPECT_FALSE(parse_pth(file.substr(0, size)).ok()) << size;
  EXPECT_FALSE(parse_pth(file.substr(0, file.size() - 1)).ok());
}

TEST(TorchFile, TruncatedPicklesAreErrors) {
  PickleWriter pickle;
  pickle.op("}").text("w").tensor("FloatStorage", "0", 6, 0, {6}, {1}).op("s");
  const std::string whole = pickle.stop();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(pth_cause(torch_zip(whole.substr(0, size), {{"0", six}}).finish()), Cause::truncated) << size;
  }
}

}  // namespace
}  // namespace pmtr
