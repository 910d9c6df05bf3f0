// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/glb/data_uri.h"

#include <utility>

#include "pmtr/formats/base64.h"

namespace pmtr {

std::optional<DataUri> decode_data_uri(std::string_view uri) {
  if (!uri.starts_with("data:")) return std::nullopt;
  uri.remove_prefix(5);
  const std::size_t comma = uri.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const std::string_view head = uri.substr(0, comma);
  if (!head.ends_with(";base64")) return std::nullopt;
  auto bytes = decode_base64(uri.substr(comma + 1));
  if (!bytes) return std::nullopt;
  return DataUri{std::string(head.substr(0, head.find(';'))), *std::move(bytes)};
}

}  // namespace pmtr
