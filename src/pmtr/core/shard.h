// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string>
#include <string_view>

#include "pmtr/core/result.h"

namespace pmtr {

/// One of `count` equal parts of the work, so that several processes can share it.
struct Shard {
  int index = 0;  ///< from 0
  int count = 1;
};

/// "2/4": the second of four.
Result<Shard> parse_shard(std::string_view text);
std::string format_shard(const Shard& shard);

}  // namespace pmtr
