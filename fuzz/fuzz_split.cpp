// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pmtr/core/check.h"
#include "pmtr/dataset/split_file.h"

/// No path leads out of the dataset, and what was read is read the same when it is written.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto lines = pmtr::parse_split(text, "fuzz");
  if (!lines.ok()) return 0;
  for (const pmtr::SplitLine& line : *lines) {
    PMTR_CHECK(!line.path.empty() && line.path.front() != '/', line.path);
    const std::string inside = "/" + line.path + "/";
    PMTR_CHECK(inside.find("/../") == std::string::npos && inside.find("//") == std::string::npos, line.path);
    // With a number in front, since a path may begin with one.
    const auto again = pmtr::parse_split("2 " + line.path, "again");
    PMTR_CHECK(again.ok() && again->size() == 1 && again->front().path == line.path, line.path);
  }
  return 0;
}
