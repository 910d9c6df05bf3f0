// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/formats/zip_writer.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>

#include "pmtr/formats/byte_stream.h"

namespace pmtr {
namespace {

constexpr std::uint32_t too_long = std::numeric_limits<std::uint32_t>::max();  // look into the zip64 field
constexpr std::uint16_t version_plain = 20;
constexpr std::uint16_t version_zip64 = 45;
constexpr std::uint16_t names_are_utf8 = 1U << 11U;
constexpr std::uint16_t first_date = (1U << 5U) | 1U;  // 1 January 1980, where zip's calendar begins
constexpr std::size_t piece = std::size_t{1} << 20U;

bool beyond_32_bits(std::uint64_t value) { return value >= too_long; }
std::uint32_t short_form(std::uint64_t value) {
  return beyond_32_bits(value) ? too_long : static_cast<std::uint32_t>(value);
}

std::uint32_t crc_of(std::uint32_t crc, std::span<const char> bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<z_size_t>(bytes.size())));
}

/// Calls `take` with the content, piece by piece.
Status read_pieces(const std::filesystem::path& path,
                   const std::function<Status(std::span<const char>)>& take) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return error_at(path, Cause::unreadable, std::strerror(errno));
  std::vector<char> buffer(piece);
  while (file) {
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    const auto got = static_cast<std::size_t>(file.gcount());
    if (got == 0) break;
    PMTR_TRY_STATUS(take(std::span<const char>(buffer.data(), got)));
  }
  if (file.bad()) return error_at(path, Cause::unreadable, "cannot be read to its end");
  return {};
}

}  // namespace

bool is_safe_entry_name(std::string_view name) {
  if (name.empty() || name.find('\\') != std::string_view::npos || name.find('\0') != std::string_view::npos)
    return false;
  while (true) {
    const std::size_t slash = name.find('/');
    const std::string_view part = name.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return false;
    if (slash == std::string_view::npos) return true;
    name.remove_prefix(slash + 1);
  }
}

Status ZipWriter::put(std::span<const std::byte> bytes) {
  written_ += bytes.size();
  if (!sink_(bytes)) return Error{Cause::cancelled, "stopped", {}};
  return {};
}

Status ZipWriter::begin(const std::string& name, std::uint64_t size, std::uint32_t crc) {
  PMTR_CHECK(!finished_, "a finished archive takes no entries");
  PMTR_CHECK(is_safe_entry_name(name), "the name of an entry leads out of its folder: " + name);
  PMTR_CHECK(
      std::none_of(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.name == name; }),
      "two entries of one name: " + name);
  if (name.size() > std::numeric_limits<std::uint16_t>::max())
    return Error{Cause::too_large, "a file name is too long for a zip file", {name, {}, {}}};
  const bool zip64 = beyond_32_bits(size);
  ByteWriter header;
  header.put<std::uint32_t>(0x04034b50);
  header.put<std::uint16_t>(zip64 ? version_zip64 : version_plain);
  header.put<std::uint16_t>(names_are_utf8);
  header.put<std::uint16_t>(0);  // stored
  header.put<std::uint16_t>(0);  // midnight
  header.put<std::uint16_t>(first_date);
  header.put<std::uint32_t>(crc);
  header.put<std::uint32_t>(short_form(size));
  header.put<std::uint32_t>(short_form(size));
  header.put<std::uint16_t>(static_cast<std::uint16_t>(name.size()));
  header.put<std::uint16_t>(zip64 ? 20 : 0);
  entries_.push_back({name, written_, size, crc});
  PMTR_TRY_STATUS(put(header.take()));
  PMTR_TRY_STATUS(put(as_bytes(name)));
  if (!zip64) return {};
  ByteWriter field;
  field.put<std::uint16_t>(1);
  field.put<std::uint16_t>(16);
  field.put<std::uint64_t>(size);
  field.put<std::uint64_t>(size);
  return put(field.take());
}

Status ZipWriter::add(const std::string& name, std::span<const std::byte> content) {
  const std::uint32_t crc = crc_of(0, {reinterpret_cast<const char*>(content.data()), content.size()});
  PMTR_TRY_STATUS(begin(name, content.size(), crc));
  return put(content);
}

Status ZipWriter::add_file(const std::string& name, const std::filesystem::path& path) {
  std::uint32_t crc = 0;
  std::uint64_t size = 0;
  PMTR_TRY_STATUS(read_pieces(path, [&](std::span<const char> bytes) -> Status {
    crc = crc_of(crc, bytes);
    size += bytes.size();
    return {};
  }));
  PMTR_TRY_STATUS(begin(name, size, crc));
  std::uint32_t crc_again = 0;
  std::uint64_t size_again = 0;
  PMTR_TRY_STATUS(read_pieces(path, [&](std::span<const char> bytes) -> Status {
    crc_again = crc_of(crc_again, bytes);
    size_again += bytes.size();
    return put(std::as_bytes(bytes));
  }));
  if (crc_again != crc || size_again != size)
    return error_at(path, Cause::mismatch, "was changed while it was read");
  return {};
}

Status ZipWriter::finish() {
  PMTR_CHECK(!finished_, "an archive is finished once");
  finished_ = true;
  const std::uint64_t directory = written_;
  for (const Entry& entry : entries_) {
    ByteWriter extra;
    if (beyond_32_bits(entry.size)) {
      extra.put<std::uint64_t>(entry.size);
      extra.put<std::uint64_t>(entry.size);
    }
    if (beyond_32_bits(entry.offset)) extra.put<std::uint64_t>(entry.offset);
    const std::vector<std::byte> field = extra.take();
    const auto field_size = static_cast<std::uint16_t>(field.size());
    ByteWriter header;
    header.put<std::uint32_t>(0x02014b50);
    header.put<std::uint16_t>((3U << 8U) | version_zip64);  // made on Unix
    header.put<std::uint16_t>(field.empty() ? version_plain : version_zip64);
    header.put<std::uint16_t>(names_are_utf8);
    header.put<std::uint16_t>(0);
    header.put<std::uint16_t>(0);
    header.put<std::uint16_t>(first_date);
    header.put<std::uint32_t>(entry.crc);
    header.put<std::uint32_t>(short_form(entry.size));
    header.put<std::uint32_t>(short_form(entry.size));
    header.put<std::uint16_t>(static_cast<std::uint16_t>(entry.name.size()));
    header.put<std::uint16_t>(static_cast<std::uint16_t>(field.empty() ? 0 : field_size + 4));
    header.put<std::uint16_t>(0);  // no comment
    header.put<std::uint16_t>(0);  // the only disk
    header.put<std::uint16_t>(0);
    header.put<std::uint32_t>(0100644U << 16U);  // a plain file
    header.put<std::uint32_t>(short_form(entry.offset));
    PMTR_TRY_STATUS(put(header.take()));
    PMTR_TRY_STATUS(put(as_bytes(entry.name)));
    if (field.empty()) continue;
    ByteWriter head;
    head.put<std::uint16_t>(1);
    head.put<std::uint16_t>(field_size);
    PMTR_TRY_STATUS(put(head.take()));
    PMTR_TRY_STATUS(put(field));
  }
  const std::uint64_t size = written_ - directory;
  const bool many = entries_.size() >= std::numeric_limits<std::uint16_t>::max();
  ByteWriter end;
  if (many || beyond_32_bits(directory) || beyond_32_bits(size)) {
    const std::uint64_t zip64_end = written_;
    end.put<std::uint32_t>(0x06064b50);
    end.put<std::uint64_t>(44);  // what follows of this record
    end.put<std::uint16_t>((3U << 8U) | version_zip64);
    end.put<std::uint16_t>(version_zip64);
    end.put<std::uint32_t>(0);
    end.put<std::uint32_t>(0);
    end.put<std::uint64_t>(entries_.size());
    end.put<std::uint64_t>(entries_.size());
    end.put<std::uint64_t>(size);
    end.put<std::uint64_t>(directory);
    end.put<std::uint32_t>(0x07064b50);
    end.put<std::uint32_t>(0);
    end.put<std::uint64_t>(zip64_end);
    end.put<std::uint32_t>(1);
  }
  const auto count =
      many ? std::numeric_limits<std::uint16_t>::max() : static_cast<std::uint16_t>(entries_.size());
  end.put<std::uint32_t>(0x06054b50);
  end.put<std::uint16_t>(0);
  end.put<std::uint16_t>(0);
  end.put<std::uint16_t>(count);
  end.put<std::uint16_t>(count);
  end.put<std::uint32_t>(short_form(size));
  end.put<std::uint32_t>(short_form(directory));
  end.put<std::uint16_t>(0);
  return put(end.take());
}

}  // namespace pmtr
