// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "console.h"
#include "info.h"
#include "pmtr/weights/weight_file.h"

namespace pmtr::command {
namespace {

std::string shape_text(const NamedArray& array) { return fmt::format("[{}]", fmt::join(array.shape, ", ")); }

std::string describe(const nlohmann::json& info, const WeightFile& weights, bool with_tensors) {
  std::string text =
      fmt::format("{}: weights, {}\n", info["file"].get<std::string>(), info["format"].get<std::string>());
  text += fmt::format("  tensors     {}\n", weights.arrays.size());
  text += fmt::format("  parameters  {}\n", info["parameters"].get<std::int64_t>());
  for (const auto& [key, value] : weights.metadata) text += fmt::format("  {}: {}\n", key, value);
  if (!with_tensors) return text;
  std::size_t width = 0;
  for (const NamedArray& array : weights.arrays) width = std::max(width, array.name.size());
  for (const NamedArray& array : weights.arrays) {
    text +=
        fmt::format("  {:<{}}  {:<4}  {}\n", array.name, width, dtype_name(array.dtype), shape_text(array));
  }
  return text;
}

}  // namespace

int print_weight_info(const InfoArguments& arguments) {
  const Result<WeightFile> weights = read_weights(arguments.file);
  if (!weights.ok()) return report(weights.error());
  // read_weights has just accepted it, so two bytes tell which of the two it is: a zip begins with "PK".
  char start[2] = {};
  std::ifstream(arguments.file, std::ios::binary).read(start, sizeof start);
  const bool zip = std::string_view(start, sizeof start) == "PK";
  nlohmann::json info{{"file", arguments.file.string()},
                      {"kind", "weights"},
                      {"format", zip ? "PyTorch" : "safetensors"},
                      {"metadata", weights->metadata},
                      {"tensor_count", weights->arrays.size()}};
  std::int64_t parameters = 0;
  for (const NamedArray& array : weights->arrays) {
    parameters += array.numel();
    if (!arguments.tensors) continue;
    info["tensors"].push_back(
        {{"name", array.name}, {"dtype", dtype_name(array.dtype)}, {"shape", array.shape}});
  }
  info["parameters"] = parameters;
  return arguments.json ? print_json(info) : print(describe(info, *weights, arguments.tensors));
}

}  // namespace pmtr::command
