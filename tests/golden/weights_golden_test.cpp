// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pmtr/weights/safetensors.h"
#include "pmtr/weights/weight_file.h"
#include "support/shared_folder.h"

namespace pmtr {
namespace {

/// A line of keys.txt: what the reference network itself says of its weights.
struct Key {
  std::string name;
  std::string kind;   // "param" or "buffer"
  std::string dtype;  // "float32"
  std::vector<std::int64_t> shape;
  std::int64_t numel = 0;
};

std::vector<Key> read_keys() {
  std::ifstream file(test::shared_folder() / "golden" / "keys.txt");
  std::vector<Key> keys;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    Key key;
    std::string shape;
    std::string numel;
    std::getline(fields, key.name, '\t');
    std::getline(fields, key.kind, '\t');
    std::getline(fields, key.dtype, '\t');
    std::getline(fields, shape, '\t');
    std::getline(fields, numel, '\t');
    std::istringstream sizes(shape);
    for (std::string size; std::getline(sizes, size, 'x');) key.shape.push_back(std::stoll(size));
    // The one scalar of the network; the list shows it as "1".
    if (key.name == "optimal_transport.alpha") key.shape.clear();
    key.numel = std::stoll(numel);
    keys.push_back(key);
  }
  return keys;
}

Result<WeightFile> read_golden(const char* file) {
  return read_weights(test::shared_folder() / "golden" / file);
}

TEST(WeightsGolden, TorchFileHoldsTheKeysOfTheReferenceInItsOrder) {
  PMTR_REQUIRE_SHARED("golden");
  const auto keys = read_keys();
  ASSERT_EQ(keys.size(), 235U);
  const auto weights = read_golden("state_dict.pth");
  ASSERT_TRUE(weights.ok()) << weights.error().text();
  ASSERT_EQ(weights->arrays.size(), keys.size());
  std::map<std::string, std::int64_t> floats_by_kind;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const NamedArray& array = weights->arrays[i];
    SCOPED_TRACE(keys[i].name);
    EXPECT_EQ(array.name, keys[i].name);
    EXPECT_EQ(array.shape, keys[i].shape);
    EXPECT_EQ(array.numel(), keys[i].numel);
    EXPECT_EQ(keys[i].dtype, "float32");
    EXPECT_EQ(array.dtype, DType::f32);
    EXPECT_EQ(array.data.size(), 4U * static_cast<std::size_t>(keys[i].numel));
    EXPECT_EQ(keys[i].kind == "buffer", array.name.ends_with("kernel_points"));
    floats_by_kind[keys[i].kind] += array.numel();
  }
  EXPECT_EQ(floats_by_kind["param"], 1'873'633);
  EXPECT_EQ(floats_by_kind["buffer"], 360);
}

TEST(WeightsGolden, TorchFileAndSafetensorsHoldTheSameArrays) {
  PMTR_REQUIRE_SHARED("golden");
  const auto torch = read_golden("state_dict.pth");
  const auto safetensors = read_golden("state_dict.safetensors");
  ASSERT_TRUE(torch.ok()) << torch.error().text();
  ASSERT_TRUE(safetensors.ok()) << safetensors.error().text();
  ASSERT_EQ(torch->arrays.size(), safetensors->arrays.size());
  for (const NamedArray& array : torch->arrays) {
    SCOPED_TRACE(array.name);
    const NamedArray* other = safetensors->find(array.name);
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(array.dtype, other->dtype);
    EXPECT_EQ(array.shape, other->shape);
    EXPECT_TRUE(array.data == other->data);
  }
}

TEST(WeightsGolden, SurvivesOurOwnWriter) {
  PMTR_REQUIRE_SHARED("golden");
  const auto torch = read_golden("state_dict.pth");
  ASSERT_TRUE(torch.ok()) << torch.error().text();
  const auto bytes = format_safetensors(*torch);
  const auto again = parse_safetensors(bytes, "again");
  ASSERT_TRUE(again.ok()) << again.error().text();
  ASSERT_EQ(again->arrays.size(), torch->arrays.size());
  for (std::size_t i = 0; i < again->arrays.size(); ++i) {
    EXPECT_EQ(again->arrays[i].name, torch->arrays[i].name);
    EXPECT_EQ(again->arrays[i].shape, torch->arrays[i].shape);
    EXPECT_TRUE(again->arrays[i].data == torch->arrays[i].data);
  }
  EXPECT_TRUE(format_safetensors(*again) == bytes);
}

}  // namespace
}  // namespace pmtr
