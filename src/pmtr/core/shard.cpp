// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/core/shard.h"

#include <charconv>

#include <fmt/format.h>

namespace pmtr {

Result<Shard> parse_shard(std::string_view text) {
  int number = 0;
  Shard shard;
  const char* end = text.data() + text.size();
  const auto [slash, first] = std::from_chars(text.data(), end, number);
  if (first == std::errc() && slash != end && *slash == '/') {
    const auto [stop, second] = std::from_chars(slash + 1, end, shard.count);
    if (second == std::errc() && stop == end && 1 <= number && number <= shard.count) {
      shard.index = number - 1;
      return shard;
    }
  }
  return Error{Cause::invalid_option,
               fmt::format("the shard '{}' is not I/N with I from 1 to N, such as 2/4", text),
               {}};
}

std::string format_shard(const Shard& shard) { return fmt::format("{}/{}", shard.index + 1, shard.count); }

}  // namespace pmtr
