// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/result.h"

namespace pmtr {

/// Writes a zip file from the front to the back, so that it can be sent while it is made: entries are stored
/// as they are, zip64 where sizes ask for it. Nothing but the list of entries is kept in memory. The same
/// files give the same bytes: every entry has the same date.
class ZipWriter {
 public:
  /// Gets the bytes in order. False: nobody wants them any more, which is Cause::cancelled.
  using Sink = std::function<bool(std::span<const std::byte>)>;

  explicit ZipWriter(Sink sink) : sink_(std::move(sink)) {}

  /// The name must be relative, with forward slashes, and must not lead out of the folder that the archive is
  /// unpacked in; a second entry of one name is a mistake of the caller as well.
  Status add(const std::string& name, std::span<const std::byte> content);
  /// The file is read twice, piece by piece: the checksum stands before the content. One that changes in
  /// between is Cause::mismatch, and the archive is of no use.
  Status add_file(const std::string& name, const std::filesystem::path& path);
  /// The list of entries; nothing can be added after it.
  Status finish();

 private:
  struct Entry {
    std::string name;
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint32_t crc = 0;
  };
  Status begin(const std::string& name, std::uint64_t size, std::uint32_t crc);
  Status put(std::span<const std::byte> bytes);

  Sink sink_;
  std::uint64_t written_ = 0;
  std::vector<Entry> entries_;
  bool finished_ = false;
};

/// Relative, forward slashes, no empty, "." or ".." parts.
bool is_safe_entry_name(std::string_view name);

}  // namespace pmtr
