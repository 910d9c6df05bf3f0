// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <concepts>
#include <cstddef>
#include <span>

#include "pmtr/core/check.h"

namespace pmtr {

/// The unsigned integer stored at `offset`, lowest byte first. The caller has checked that it is there.
template <std::unsigned_integral T>
T load_little(std::span<const std::byte> bytes, std::size_t offset) {
  PMTR_CHECK(offset <= bytes.size() && sizeof(T) <= bytes.size() - offset, "read beyond the end");
  T value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) {
    value = static_cast<T>((static_cast<unsigned long long>(value) << 8U) |
                           std::to_integer<unsigned>(bytes[offset + i]));
  }
  return value;
}

}  // namespace pmtr
