// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pmtr/core/result.h"

namespace pmtr {

/// The whole content of a regular file. Folders, pipes and files over `limit` bytes are errors.
Result<std::vector<std::byte>> read_file(const std::filesystem::path& path,
                                         std::uint64_t limit = std::uint64_t{1} << 33);

/// Writes beside the destination, flushes, then renames: an interrupted write leaves the old file whole.
Status write_file(const std::filesystem::path& path, std::span<const std::byte> content);
Status write_file(const std::filesystem::path& path, std::string_view content);

/// The bytes seen as text; no copy.
inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
inline std::span<const std::byte> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

}  // namespace pmtr
