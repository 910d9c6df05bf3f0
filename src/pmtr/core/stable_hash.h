// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace pmtr {

/// FNV-1a, 64 bits: the same on every machine, unlike std::hash. Against accidents, not against an enemy.
class StableHash {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) value_ = (value_ ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3U;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

inline std::uint64_t stable_hash(std::string_view text) {
  StableHash hash;
  hash.add(std::as_bytes(std::span(text)));
  return hash.value();
}

}  // namespace pmtr
