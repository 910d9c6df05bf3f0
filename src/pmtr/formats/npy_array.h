// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/result.h"

namespace pmtr {

/// An array as NumPy stores it; the bytes are the file's own.
struct NpyArray {
  std::string name;  ///< for messages
  char kind = 'f';   ///< 'f' float, 'i' signed, 'u' unsigned, 'U' text of 32-bit characters
  std::size_t item_size = 0;
  std::vector<std::uint64_t> shape;
  std::span<const std::byte> data;  ///< exactly the product of shape times item_size

  /// Element i of whole numbers or floats, exact for all but 64-bit integers beyond 2^53.
  double number(std::size_t i) const;
  /// Element i of text, in UTF-8, without its padding.
  std::string text(std::size_t i) const;
};

/// Little endian, C order, versions 1 to 3. Anything else is an error that says so.
Result<NpyArray> parse_npy(std::span<const std::byte> bytes, const std::string& name);

}  // namespace pmtr
