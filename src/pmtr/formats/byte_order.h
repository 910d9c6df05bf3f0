// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <span>

#include "pmtr/core/check.h"

namespace pmtr {

/// A number from unaligned bytes written in the given order.
template <class T>
T load_bytes(const std::byte* from, std::endian order) {
  std::array<std::byte, sizeof(T)> raw;
  std::memcpy(raw.data(), from, sizeof(T));
  if (order != std::endian::native) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<T>(raw);
}

template <class T>
void store_bytes(std::byte* to, T value, std::endian order) {
  auto raw = std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
  if (order != std::endian::native) std::reverse(raw.begin(), raw.end());
  std::memcpy(to, raw.data(), sizeof(T));
}

/// The unsigned integer stored at `offset`, lowest byte first. The caller has checked that it is there.
template <std::unsigned_integral T>
T load_little(std::span<const std::byte> bytes, std::size_t offset) {
  PMTR_CHECK(offset <= bytes.size() && sizeof(T) <= bytes.size() - offset, "read beyond the end");
  return load_bytes<T>(bytes.data() + offset, std::endian::little);
}

}  // namespace pmtr
