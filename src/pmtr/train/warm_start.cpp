// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/warm_start.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

namespace pmtr {
namespace {

std::string some(const char* what, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  constexpr std::size_t shown = 3;
  const std::vector<std::string> first(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(shown, names.size())));
  return fmt::format("; {} {}: {}{}", names.size(), what, fmt::join(first, ", "),
                     names.size() > shown ? ", ..." : "");
}

}  // namespace

std::string WarmStart::text() const {
  return fmt::format("warm start: {} tensors loaded", loaded.size()) + some("of another shape", other_shape) +
         some("not in the file", missing) + some("left as initialised", fresh) + some("not used", unused);
}

Result<WarmStart> warm_start(const Parameters& parameters, const std::filesystem::path& path,
                             std::span<const std::string> fresh) {
  PMTR_TRY(WeightFile weights, read_weights(path));
  strip_common_prefix(weights);
  return warm_start(parameters, weights, path.string(), fresh);
}

Result<WarmStart> warm_start(const Parameters& parameters, const WeightFile& weights, const std::string& name,
                             std::span<const std::string> fresh) {
  WarmStart result;
  std::set<std::string> used;
  for (const auto& entry : parameters.entries()) {
    if (std::any_of(fresh.begin(), fresh.end(),
                    [&](const std::string& prefix) { return entry.name.starts_with(prefix); })) {
      result.fresh.push_back(entry.name);
      continue;
    }
    const NamedArray* array = weights.find(entry.name);
    if (array == nullptr) {
      result.missing.push_back(entry.name);
      continue;
    }
    used.insert(entry.name);
    if (array->shape != entry.tensor.sizes().vec()) {
      result.other_shape.push_back(entry.name);
      continue;
    }
    const std::vector<float> values = array->to_float();
    std::copy(values.begin(), values.end(), entry.tensor.data_ptr<float>());
    result.loaded.push_back(entry.name);
  }
  for (const NamedArray& array : weights.arrays) {
    if (!used.contains(array.name)) result.unused.push_back(array.name);
  }
  if (result.loaded.empty())
    return Error{Cause::mismatch, "nothing in this file fits the network", {name, {}, {}}};
  return result;
}

}  // namespace pmtr
