// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "pmtr/core/result.h"

namespace pmtr {

struct OffHeader {
  bool textures = false;  ///< ST
  bool colours = false;   ///< C
  bool normals = false;   ///< N
  std::size_t vertices = 0;
  std::size_t faces = 0;
  std::size_t body = 0;         ///< the first byte of the line after the counts
  std::uint64_t body_line = 1;  ///< and its number
};

/// The keyword and the counts; they are possible: a line for each fits into the bytes that follow.
Result<OffHeader> parse_off_header(std::string_view text, const std::string& name);

/// Whether the text begins with one of the OFF keywords.
bool looks_like_off(std::string_view text);

}  // namespace pmtr
