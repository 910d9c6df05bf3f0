// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/glb/data_uri.h"

#include <cstdint>

namespace pmtr {
namespace {

int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;  // '-' and '_' belong to the variant for addresses
  if (c == '/' || c == '_') return 63;
  return -1;
}

}  // namespace

std::optional<DataUri> decode_data_uri(std::string_view uri) {
  if (!uri.starts_with("data:")) return std::nullopt;
  uri.remove_prefix(5);
  const std::size_t comma = uri.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::string_view head = uri.substr(0, comma);
  std::string_view body = uri.substr(comma + 1);
  if (!head.ends_with(";base64")) return std::nullopt;
  DataUri result;
  result.mime = std::string(head.substr(0, head.find(';')));
  while (body.ends_with('=')) body.remove_suffix(1);
  result.bytes.reserve(body.size() / 4 * 3 + 3);
  std::uint32_t bits = 0;
  int have = 0;
  for (const char c : body) {
    const int value = base64_value(c);
    if (value < 0) return std::nullopt;
    bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xFFFFFFU;
    have += 6;
    if (have >= 8) {
      have -= 8;
      result.bytes.push_back(static_cast<std::byte>(bits >> have & 0xFFU));
    }
  }
  return result;
}

}  // namespace pmtr
