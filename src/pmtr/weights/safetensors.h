// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "pmtr/weights/weight_file.h"

namespace pmtr {

Result<WeightFile> parse_safetensors(std::span<const std::byte> bytes, const std::string& name);

/// Deterministic: metadata sorted by key, arrays in the given order, data aligned to 8 bytes.
std::vector<std::byte> format_safetensors(const WeightFile& weights);

}  // namespace pmtr
