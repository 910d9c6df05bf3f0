// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/record/distinct_names.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <fmt/format.h>

namespace pmtr {
namespace {

namespace fs = std::filesystem;

/// The folders and the name of a file, without what leads up or begins at the root.
std::vector<std::string> steps_of(const std::string& file) {
  std::vector<std::string> steps;
  for (const fs::path& step : fs::path(file).lexically_normal().relative_path()) {
    if (!step.empty() && step != "." && step != "..") steps.push_back(step.string());
  }
  if (steps.empty()) steps.push_back(fs::path(file).filename().string());
  return steps;
}

/// The last of the steps.
std::string ending(const std::vector<std::string>& steps, std::size_t count) {
  std::string name;
  for (std::size_t i = steps.size() - std::min(count, steps.size()); i < steps.size(); ++i)
    name += name.empty() ? steps[i] : "/" + steps[i];
  return name;
}

}  // namespace

std::vector<std::string> distinct_names(std::span<const std::string> files) {
  std::vector<std::vector<std::string>> steps;
  std::size_t longest = 1;
  for (const std::string& file : files) {
    steps.push_back(steps_of(file));
    longest = std::max(longest, steps.back().size());
  }
  std::vector<std::string> names(files.size());
  std::vector<bool> open(files.size(), true);
  for (std::size_t count = 1; count <= longest; ++count) {
    std::map<std::string, int> times;
    for (std::size_t i = 0; i < files.size(); ++i) {
      if (open[i]) names[i] = ending(steps[i], count);
      ++times[names[i]];
    }
    for (std::size_t i = 0; i < files.size(); ++i) open[i] = times[names[i]] > 1;
  }
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (open[i]) names[i] = fmt::format("{}/{}", i, names[i]);
  }
  return names;
}

}  // namespace pmtr
