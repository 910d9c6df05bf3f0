// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/result.h"

namespace pmtr {

/// What the central directory says of one entry.
struct ZipEntry {
  std::string name;
  std::uint64_t header_offset = 0;  ///< of the local header
  std::uint64_t size = 0;           ///< in the archive, and uncompressed where stored
  std::uint32_t crc = 0;
  bool stored = true;  ///< not compressed
};

/// Zip files as torch.save writes them: entries stored as they are, zip64 where sizes ask for it. The bytes
/// must outlive the reader.
class ZipReader {
 public:
  /// Reads the central directory. Entry names are unique, or the file is refused: which of two would count
  /// depends on the reader.
  static Result<ZipReader> open(std::span<const std::byte> bytes, const std::string& name,
                                bool check_crc = true);

  const std::vector<ZipEntry>& entries() const { return entries_; }
  const ZipEntry* find(const std::string& entry_name) const;

  /// The content of an entry, checked against its checksum; no copy.
  Result<std::span<const std::byte>> read(const ZipEntry& entry) const;

 private:
  ZipReader(std::span<const std::byte> bytes, std::string name, bool check_crc)
      : bytes_(bytes), name_(std::move(name)), check_crc_(check_crc) {}
  struct Directory;
  Result<Directory> find_directory() const;
  Result<Directory> read_zip64_end(std::uint64_t end_record) const;
  Status read_directory(const Directory& directory);
  Error error(Cause cause, std::string message, std::uint64_t byte) const;

  std::span<const std::byte> bytes_;
  std::string name_;
  bool check_crc_;
  std::vector<ZipEntry> entries_;
  std::map<std::string, std::size_t> index_by_name_;
};

/// The checksum of zip and PNG (polynomial 0xEDB88320).
std::uint32_t crc32(std::span<const std::byte> bytes);

}  // namespace pmtr
