// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pmtr {

struct DataUri {
  std::string mime;
  std::vector<std::byte> bytes;
};

/// Decodes "data:image/png;base64,...."; none if it is not a data URI or not valid base64. Other encodings of
/// data URIs do not occur in mesh files and are not read.
std::optional<DataUri> decode_data_uri(std::string_view uri);

}  // namespace pmtr
