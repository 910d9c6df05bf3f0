// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/formats/zip_reader.h"

#include <zlib.h>

#include <utility>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/formats/byte_order.h"

namespace pmtr {
namespace {

constexpr std::uint32_t local_signature = 0x04034b50;
constexpr std::uint32_t central_signature = 0x02014b50;
constexpr std::uint32_t end_signature = 0x06054b50;
constexpr std::uint32_t zip64_end_signature = 0x06064b50;
constexpr std::uint32_t zip64_locator_signature = 0x07064b50;
constexpr std::uint64_t local_size = 30;
constexpr std::uint64_t central_size = 46;
constexpr std::uint64_t end_size = 22;
constexpr std::uint64_t zip64_end_size = 56;
constexpr std::uint64_t zip64_locator_size = 20;
constexpr std::uint64_t max_comment = 65535;
constexpr std::uint32_t in_zip64 = 0xFFFFFFFF;  // "look into the zip64 field instead"

/// The 8-byte values of an entry's zip64 field, which holds only those that are marked, in fixed order.
class Zip64Field {
 public:
  explicit Zip64Field(std::span<const std::byte> extra) {
    while (extra.size() >= 4) {
      const auto id = load_little<std::uint16_t>(extra, 0);
      const auto size = load_little<std::uint16_t>(extra, 2);
      if (size > extra.size() - 4) return;
      if (id == 1) {
        field_ = extra.subspan(4, size);
        return;
      }
      extra = extra.subspan(4U + size);
    }
  }
  /// Replaces a marked value; false if the field does not hold it.
  bool resolve(std::uint64_t& value) {
    if (value != in_zip64) return true;
    if (field_.size() < 8) return false;
    value = load_little<std::uint64_t>(field_, 0);
    field_ = field_.subspan(8);
    return true;
  }

 private:
  std::span<const std::byte> field_;
};

}  // namespace

struct ZipReader::Directory {
  std::uint64_t count = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;
};

std::uint32_t crc32(std::span<const std::byte> bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<z_size_t>(bytes.size())));
}

Error ZipReader::error(Cause cause, std::string message, std::uint64_t byte) const {
  return {cause, std::move(message), {name_, byte, {}}};
}

Result<ZipReader> ZipReader::open(std::span<const std::byte> bytes, const std::string& name, bool check_crc) {
  ZipReader reader(bytes, name, check_crc);
  PMTR_TRY(const Directory directory, reader.find_directory());
  PMTR_TRY_STATUS(reader.read_directory(directory));
  return reader;
}

Result<ZipReader::Directory> ZipReader::find_directory() const {
  // The end record is the last thing but for a comment of unknown length, so it is searched from behind.
  if (bytes_.size() < end_size) return error(Cause::truncated, "too short for a zip file", bytes_.size());
  const std::uint64_t last = bytes_.size() - end_size;
  const std::uint64_t first = last > max_comment ? last - max_comment : 0;
  std::uint64_t at = last;
  while (load_little<std::uint32_t>(bytes_, at) != end_signature) {
    if (at == first)
      return error(Cause::truncated, "the zip file has no directory at its end; it may be cut off",
                   bytes_.size());
    --at;
  }
  if (at >= zip64_locator_size &&
      load_little<std::uint32_t>(bytes_, at - zip64_locator_size) == zip64_locator_signature)
    return read_zip64_end(at);
  if (load_little<std::uint16_t>(bytes_, at + 4) != 0)
    return error(Cause::unsupported, "is one part of a zip file in several parts", at);
  return Directory{load_little<std::uint16_t>(bytes_, at + 10), load_little<std::uint32_t>(bytes_, at + 12),
                   load_little<std::uint32_t>(bytes_, at + 16)};
}

Result<ZipReader::Directory> ZipReader::read_zip64_end(std::uint64_t end_record) const {
  const std::uint64_t locator = end_record - zip64_locator_size;
  const auto at = load_little<std::uint64_t>(bytes_, locator + 8);
  if (at > locator || locator - at < zip64_end_size ||
      load_little<std::uint32_t>(bytes_, at) != zip64_end_signature)
    return error(Cause::malformed, "the zip64 end record is not where it should be", locator);
  return Directory{load_little<std::uint64_t>(bytes_, at + 32), load_little<std::uint64_t>(bytes_, at + 40),
                   load_little<std::uint64_t>(bytes_, at + 48)};
}

Status ZipReader::read_directory(const Directory& directory) {
  if (directory.offset > bytes_.size() || directory.size > bytes_.size() - directory.offset)
    return error(Cause::malformed, "the zip directory lies outside the file", bytes_.size());
  if (directory.count > directory.size / central_size) {
    return error(
        Cause::malformed,
        fmt::format("the zip directory claims {} entries in {} bytes", directory.count, directory.size),
        directory.offset);
  }
  const auto block = bytes_.subspan(directory.offset, directory.size);
  entries_.reserve(directory.count);
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < directory.count; ++i) {
    const std::uint64_t place = directory.offset + at;
    if (block.size() - at < central_size || load_little<std::uint32_t>(block, at) != central_signature)
      return error(Cause::malformed, "broken entry in the zip directory", place);
    const std::uint64_t name_size = load_little<std::uint16_t>(block, at + 28);
    const std::uint64_t extra_size = load_little<std::uint16_t>(block, at + 30);
    const std::uint64_t comment_size = load_little<std::uint16_t>(block, at + 32);
    if (block.size() - at - central_size < name_size + extra_size + comment_size)
      return error(Cause::malformed, "broken entry in the zip directory", place);

    ZipEntry entry;
    entry.name = as_text(block.subspan(at + central_size, name_size));
    entry.stored = load_little<std::uint16_t>(block, at + 10) == 0;
    entry.crc = load_little<std::uint32_t>(block, at + 16);
    entry.size = load_little<std::uint32_t>(block, at + 20);
    std::uint64_t uncompressed = load_little<std::uint32_t>(block, at + 24);
    entry.header_offset = load_little<std::uint32_t>(block, at + 42);
    Zip64Field zip64(block.subspan(at + central_size + name_size, extra_size));
    if (!zip64.resolve(uncompressed) || !zip64.resolve(entry.size) || !zip64.resolve(entry.header_offset))
      return error(Cause::malformed, "broken zip64 field in the zip directory", place);
    if ((load_little<std::uint16_t>(block, at + 8) & 1U) != 0)
      return error(Cause::unsupported, fmt::format("the zip entry '{}' is encrypted", entry.name), place);
    if (entry.stored && uncompressed != entry.size)
      return error(Cause::malformed, fmt::format("the zip entry '{}' has two sizes", entry.name), place);
    if (!index_by_name_.emplace(entry.name, entries_.size()).second)
      return error(Cause::malformed, fmt::format("the zip entry '{}' occurs twice", entry.name), place);
    entries_.push_back(std::move(entry));
    at += central_size + name_size + extra_size + comment_size;
  }
  return {};
}

const ZipEntry* ZipReader::find(const std::string& entry_name) const {
  const auto found = index_by_name_.find(entry_name);
  return found == index_by_name_.end() ? nullptr : &entries_[found->second];
}

Result<std::span<const std::byte>> ZipReader::read(const ZipEntry& entry) const {
  if (!entry.stored) {
    return error(Cause::unsupported,
                 fmt::format("the zip entry '{}' is compressed, which torch.save never does; it was packed "
                             "again with another program",
                             entry.name),
                 entry.header_offset);
  }
  const std::uint64_t at = entry.header_offset;
  if (at > bytes_.size() || bytes_.size() - at < local_size)
    return error(Cause::truncated, fmt::format("the zip entry '{}' lies outside the file", entry.name), at);
  if (load_little<std::uint32_t>(bytes_, at) != local_signature)
    return error(Cause::malformed, fmt::format("the zip entry '{}' has no header", entry.name), at);
  // The directory's sizes count; the local ones may be left zero by writers that stream.
  const std::uint64_t skip =
      local_size + load_little<std::uint16_t>(bytes_, at + 26) + load_little<std::uint16_t>(bytes_, at + 28);
  if (bytes_.size() - at < skip || bytes_.size() - at - skip < entry.size)
    return error(Cause::truncated, fmt::format("the zip entry '{}' lies outside the file", entry.name), at);
  const auto content = bytes_.subspan(at + skip, entry.size);
  if (check_crc_ && crc32(content) != entry.crc)
    return error(Cause::malformed, fmt::format("the zip entry '{}' is damaged (wrong checksum)", entry.name),
                 at + skip);
  return content;
}

}  // namespace pmtr
