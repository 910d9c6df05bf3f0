// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace pmtr {

/// Appends the bytes as base64, with padding and without line ends.
inline void append_base64(std::string& text, std::span<const std::byte> bytes) {
  constexpr char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  text.reserve(text.size() + (bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const auto at = [&](std::size_t k) { return k < left ? static_cast<unsigned>(bytes[i + k]) : 0U; };
    const unsigned three = at(0) << 16U | at(1) << 8U | at(2);
    text += letters[three >> 18U & 63U];
    text += letters[three >> 12U & 63U];
    text += left > 1 ? letters[three >> 6U & 63U] : '=';
    text += left > 2 ? letters[three & 63U] : '=';
  }
}

}  // namespace pmtr
