// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pmtr/core/result.h"

/// The GLB container: a header, a chunk of JSON, a chunk of binary data, perhaps others.
namespace pmtr::glb {

struct Chunks {
  std::string_view json;
  std::optional<std::span<const std::byte>> binary;  ///< the BIN chunk's content
  std::span<const std::byte> after_json;             ///< everything behind the JSON chunk, with chunk headers
};

/// Views into `bytes`. Every length is checked.
Result<Chunks> split(std::span<const std::byte> bytes, const std::string& name);

/// Puts a file together again; the JSON is padded. Fails only if it becomes too large for the format (4 GiB).
Result<std::vector<std::byte>> join(std::string_view json, std::span<const std::byte> after_json,
                                    const std::string& name);

/// A BIN chunk with header and padding, for join.
std::vector<std::byte> binary_chunk(std::span<const std::byte> content);

}  // namespace pmtr::glb
