// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace pmtr {

/// More dimensions than any framework writes; a bound for what a file may claim.
inline constexpr std::size_t max_array_rank = 64;

/// a * b, or nothing if that does not fit.
inline std::optional<std::uint64_t> checked_product(std::uint64_t a, std::uint64_t b) {
  if (a != 0 && b > std::numeric_limits<std::uint64_t>::max() / a) return std::nullopt;
  return a * b;
}

/// a + b, or nothing if that does not fit.
inline std::optional<std::uint64_t> checked_sum(std::uint64_t a, std::uint64_t b) {
  if (b > std::numeric_limits<std::uint64_t>::max() - a) return std::nullopt;
  return a + b;
}

/// Bytes of an array, or nothing if a size is negative or the product does not fit into 63 bits. Empty
/// arrays take none, however large their other sizes are.
inline std::optional<std::uint64_t> checked_byte_count(std::span<const std::int64_t> shape,
                                                       std::size_t element_size) {
  bool empty = false;
  for (const std::int64_t size : shape) {
    if (size < 0) return std::nullopt;
    empty = empty || size == 0;
  }
  if (empty) return 0;
  std::optional<std::uint64_t> bytes = element_size;
  for (const std::int64_t size : shape) {
    bytes = checked_product(*bytes, static_cast<std::uint64_t>(size));
    if (!bytes) return std::nullopt;
  }
  if (*bytes > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  return bytes;
}

}  // namespace pmtr
