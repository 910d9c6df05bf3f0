// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/weights/weight_file.h"

namespace pmtr {

/// What the JSON header says of one array. The offsets count from the first byte after the header.
struct SafetensorsEntry {
  std::string name;
  DType dtype = DType::f32;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::map<std::string, std::string> metadata;
  std::vector<SafetensorsEntry> entries;  ///< in the header's order, names unique
};

/// Reads the JSON text event by event: nothing is built that the format has no place for, so that a hostile
/// header cannot cost more memory than a few times its own size.
Result<SafetensorsHeader> parse_safetensors_header(std::string_view json, const std::string& name);

}  // namespace pmtr
