// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <system_error>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/core/stable_hash.h"
#include "pmtr/weights/safetensors.h"

namespace pmtr {
namespace {

constexpr std::string_view weights_prefix = "network/";
constexpr std::string_view average_prefix = "average/";
constexpr std::string_view mean_prefix = "adam.mean/";
constexpr std::string_view square_prefix = "adam.square/";

/// Over names and data: against a damaged disk.
std::string digest_of(const WeightFile& file) {
  StableHash digest;
  for (const auto& [key, value] : file.metadata) {
    if (key == "digest") continue;
    digest.add(as_bytes(key));
    digest.add(as_bytes(value));
  }
  for (const NamedArray& array : file.arrays) {
    digest.add(as_bytes(array.name));
    digest.add(array.data);
  }
  return fmt::format("{:016x}", digest.value());
}

void append(WeightFile& all, const WeightFile& part, std::string_view prefix) {
  for (NamedArray array : part.arrays) {
    array.name = std::string(prefix) + array.name;
    all.arrays.push_back(std::move(array));
  }
}

/// A number that fills the whole text.
template <class T>
bool parse(const std::map<std::string, std::string>& metadata, const std::string& key, T& value) {
  const auto found = metadata.find(key);
  if (found == metadata.end()) return false;
  const std::string& text = found->second;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  return result.ec == std::errc() && result.ptr == text.data() + text.size();
}

}  // namespace

std::vector<std::byte> to_bytes(const Checkpoint& checkpoint) {
  WeightFile all;
  all.metadata = checkpoint.weights.metadata;
  all.metadata["step"] = std::to_string(checkpoint.step);
  all.metadata["best_score"] = fmt::format("{}", checkpoint.best_score);
  all.metadata["adam_steps"] = std::to_string(checkpoint.adam_steps);
  all.metadata["options"] = checkpoint.options;
  append(all, checkpoint.weights, weights_prefix);
  append(all, checkpoint.average, average_prefix);
  append(all, checkpoint.adam_mean, mean_prefix);
  append(all, checkpoint.adam_square, square_prefix);
  all.metadata["digest"] = digest_of(all);
  return format_safetensors(all);
}

Result<Checkpoint> checkpoint_from_bytes(std::vector<std::byte> bytes, const std::string& name) {
  PMTR_TRY(WeightFile all, parse_safetensors(bytes, name));
  const auto damaged = [&](const std::string& why) { return Error{Cause::malformed, why, {name, {}, {}}}; };
  const auto digest = all.metadata.find("digest");
  if (digest == all.metadata.end()) return damaged("not a checkpoint of a training run");
  if (digest->second != digest_of(all)) return damaged("the checkpoint is damaged: its digest does not fit");
  Checkpoint checkpoint;
  if (!parse(all.metadata, "step", checkpoint.step) ||
      !parse(all.metadata, "best_score", checkpoint.best_score) ||
      !parse(all.metadata, "adam_steps", checkpoint.adam_steps))
    return damaged("the checkpoint does not say where the run was");
  checkpoint.options = all.metadata["options"];
  for (const char* key : {"step", "best_score", "adam_steps", "options", "digest"}) all.metadata.erase(key);
  checkpoint.weights.metadata = all.metadata;
  for (NamedArray& array : all.arrays) {
    const auto take = [&](std::string_view prefix, WeightFile& part) {
      if (!array.name.starts_with(prefix)) return false;
      array.name.erase(0, prefix.size());
      part.arrays.push_back(std::move(array));
      return true;
    };
    if (!take(weights_prefix, checkpoint.weights) && !take(average_prefix, checkpoint.average) &&
        !take(mean_prefix, checkpoint.adam_mean) && !take(square_prefix, checkpoint.adam_square))
      return damaged(fmt::format("'{}' does not belong into a checkpoint", array.name));
  }
  return checkpoint;
}

std::vector<std::filesystem::path> CheckpointFolder::files() const {
  std::vector<std::filesystem::path> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("step_") && name.ends_with(".safetensors")) found.push_back(entry.path());
  }
  // Numbers have leading zeros, so the order of names is that of steps.
  std::sort(found.begin(), found.end(), std::greater<>());
  return found;
}

Status CheckpointFolder::write(const Checkpoint& checkpoint) const {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error)
    return Error{
        Cause::unwritable, "cannot create the folder: " + error.message(), {folder_.string(), {}, {}}};
  PMTR_TRY_STATUS(
      write_file(folder_ / fmt::format("step_{:09}.safetensors", checkpoint.step), to_bytes(checkpoint)));
  const auto all = files();
  for (std::size_t i = static_cast<std::size_t>(kept_); i < all.size(); ++i)
    std::filesystem::remove(all[i], error);
  return {};
}

Result<std::optional<Checkpoint>> CheckpointFolder::newest(const Listener& listener) const {
  for (const auto& path : files()) {
    Result<Checkpoint> read = [&]() -> Result<Checkpoint> {
      PMTR_TRY(std::vector<std::byte> bytes, read_file(path));
      return checkpoint_from_bytes(std::move(bytes), path.string());
    }();
    if (read.ok()) return std::optional<Checkpoint>(std::move(read).value());
    listener.warn(read.error().text() + "; trying the one before");
  }
  return std::optional<Checkpoint>();
}

}  // namespace pmtr
