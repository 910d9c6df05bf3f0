// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/formats/base64.h"

#include <cstdint>

namespace pmtr {
namespace {

constexpr char base64_letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;  // '-' and '_' belong to the variant for addresses
  if (c == '/' || c == '_') return 63;
  return -1;
}

}  // namespace

void append_base64(std::string& text, std::span<const std::byte> bytes) {
  text.reserve(text.size() + (bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = bytes.size() - i;
    const auto at = [&](std::size_t k) { return k < left ? static_cast<unsigned>(bytes[i + k]) : 0U; };
    const unsigned three = at(0) << 16U | at(1) << 8U | at(2);
    text += base64_letters[three >> 18U & 63U];
    text += base64_letters[three >> 12U & 63U];
    text += left > 1 ? base64_letters[three >> 6U & 63U] : '=';
    text += left > 2 ? base64_letters[three & 63U] : '=';
  }
}

std::optional<std::vector<std::byte>> decode_base64(std::string_view text) {
  while (text.ends_with('=')) text.remove_suffix(1);
  std::vector<std::byte> bytes;
  bytes.reserve(text.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int have = 0;
  for (const char c : text) {
    const int value = base64_value(c);
    if (value < 0) return std::nullopt;
    bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xFFFFFFU;
    have += 6;
    if (have >= 8) {
      have -= 8;
      bytes.push_back(static_cast<std::byte>(bits >> have & 0xFFU));
    }
  }
  return bytes;
}

}  // namespace pmtr
