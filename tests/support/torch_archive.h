// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pmtr/core/file.h"
#include "pmtr/formats/zip_reader.h"

namespace pmtr::test {

inline std::string little(std::uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i, value >>= 8U) text += static_cast<char>(value & 0xFFU);
  return text;
}

/// Writes pickles opcode by opcode, honest and hostile ones.
class PickleWriter {
 public:
  std::string bytes{"\x80\x02", 2};

  PickleWriter& op(std::string_view raw) {
    bytes += raw;
    return *this;
  }
  PickleWriter& text(std::string_view value) { return op("X").op(little(value.size(), 4)).op(value); }
  PickleWriter& integer(std::int64_t value) {  // LONG1 with 8 bytes: any number
    return op("\x8a\x08").op(little(static_cast<std::uint64_t>(value), 8));
  }
  PickleWriter& integers(const std::vector<std::int64_t>& values) {
    op("(");
    for (const auto value : values) integer(value);
    return op("t");
  }
  PickleWriter& global(std::string_view module, std::string_view name) {
    return op("c").op(module).op("\n").op(name).op("\n");
  }
  PickleWriter& call_empty(std::string_view module, std::string_view name) {
    return global(module, name).op(")R");
  }
  PickleWriter& storage(std::string_view type, std::string_view key, std::int64_t numel) {
    op("(").text("storage").global("torch", type).text(key).text("cpu").integer(numel);
    return op("tQ");
  }
  /// What torch.save writes for a tensor.
  PickleWriter& tensor(std::string_view type, std::string_view key, std::int64_t numel, std::int64_t offset,
                       const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides) {
    global("torch._utils", "_rebuild_tensor_v2").op("(").storage(type, key, numel).integer(offset);
    integers(shape).integers(strides).op("\x89").call_empty("collections", "OrderedDict");
    return op("tR");
  }
  std::string stop() const { return bytes + "."; }
};

/// Writes zip files as torch.save does: stored, each entry's data wherever it falls.
class ZipWriter {
 public:
  bool zip64 = false;                   ///< all sizes and offsets in zip64 fields
  std::uint16_t method = 0;             ///< 8 claims deflate
  std::uint32_t crc_error = 0;          ///< XORed into every checksum
  std::string comment;                  ///< at the end of the file
  std::uint64_t claimed_entries = 0;    ///< added to the true number
  std::uint64_t data_offset_error = 0;  ///< added to every local header's offset

  ZipWriter& add(const std::string& name, const std::string& content) {
    entries_.emplace_back(name, content);
    return *this;
  }

  std::string finish() const {
    std::string file;
    std::string directory;
    for (const auto& [name, content] : entries_) {
      const std::uint64_t offset = file.size() + data_offset_error;
      const std::uint32_t crc = crc32(as_bytes(content)) ^ crc_error;
      const std::uint64_t size = zip64 ? 0xFFFFFFFFU : content.size();
      const std::string extra = zip64 ? little(1, 2) + little(24, 2) + little(content.size(), 8) +
                                            little(content.size(), 8) + little(offset, 8)
                                      : std::string();
      const std::string padding = "FB" + little(3, 2) + "ZZZ";  // torch aligns data with such a field
      file += little(0x04034b50, 4) + little(0, 4) + little(method, 2) + little(0, 4) + little(crc, 4) +
              little(0, 8) + little(name.size(), 2) + little(padding.size(), 2) + name + padding + content;
      directory += little(0x02014b50, 4) + little(0, 6) + little(method, 2) + little(0, 4) + little(crc, 4) +
                   little(size, 4) + little(size, 4) + little(name.size(), 2) + little(extra.size(), 2) +
                   little(0, 10) + little(zip64 ? 0xFFFFFFFFU : offset, 4) + name + extra;
    }
    const std::uint64_t start = file.size();
    const std::uint64_t count = entries_.size() + claimed_entries;
    file += directory;
    if (zip64) {
      const std::uint64_t record = file.size();
      file += little(0x06064b50, 4) + little(44, 8) + little(0, 12) + little(count, 8) + little(count, 8) +
              little(directory.size(), 8) + little(start, 8);
      file += little(0x07064b50, 4) + little(0, 4) + little(record, 8) + little(1, 4);
    }
    file += little(0x06054b50, 4) + little(0, 4) + little(zip64 ? 0xFFFFU : count, 2) +
            little(zip64 ? 0xFFFFU : count, 2) + little(zip64 ? 0xFFFFFFFFU : directory.size(), 4) +
            little(zip64 ? 0xFFFFFFFFU : start, 4) + little(comment.size(), 2) + comment;
    return file;
  }

 private:
  std::vector<std::pair<std::string, std::string>> entries_;
};

/// A file of torch.save around a pickle: storages by key.
inline ZipWriter torch_zip(const std::string& pickle,
                           const std::vector<std::pair<std::string, std::string>>& storages) {
  ZipWriter zip;
  zip.add("archive/data.pkl", pickle).add("archive/byteorder", "little");
  for (const auto& [key, content] : storages) zip.add("archive/data/" + key, content);
  zip.add("archive/version", "3\n");
  return zip;
}

}  // namespace pmtr::test
