// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/glb/glb_container.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "pmtr/core/check.h"
#include "pmtr/core/file.h"

namespace pmtr::glb {
namespace {

static_assert(std::endian::native == std::endian::little, "glTF is little endian");

constexpr std::uint32_t magic = 0x46546C67;        // "glTF"
constexpr std::uint32_t json_type = 0x4E4F534A;    // "JSON"
constexpr std::uint32_t binary_type = 0x004E4942;  // "BIN"
constexpr std::size_t header_size = 12;
constexpr std::size_t chunk_header_size = 8;

std::uint32_t word_at(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint32_t word = 0;
  std::memcpy(&word, bytes.data() + offset, sizeof word);
  return word;
}

void append_word(std::vector<std::byte>& bytes, std::uint32_t word) {
  std::byte raw[sizeof word];
  std::memcpy(raw, &word, sizeof word);
  bytes.insert(bytes.end(), raw, raw + sizeof word);
}

}  // namespace

Result<Chunks> split(std::span<const std::byte> bytes, const std::string& name) {
  const auto error = [&](Cause cause, std::string message, std::size_t byte) {
    return Error{cause, std::move(message), {name, byte, {}}};
  };
  if (bytes.empty()) return error_at(name, Cause::empty, "is an empty file");
  if (bytes.size() < header_size) return error(Cause::truncated, "ends inside the GLB header", bytes.size());
  if (word_at(bytes, 0) != magic)
    return error(Cause::malformed, "is not a GLB file: it does not start with glTF", 0);
  const std::uint32_t version = word_at(bytes, 4);
  if (version != 2)
    return error(Cause::unsupported, fmt::format("is glTF version {}, only 2 is read", version), 4);
  const std::uint32_t length = word_at(bytes, 8);
  if (length > bytes.size()) {
    return error(Cause::truncated, fmt::format("should have {} bytes, has {}", length, bytes.size()),
                 bytes.size());
  }
  if (length < header_size) return error(Cause::malformed, "claims to be shorter than its header", 8);
  bytes = bytes.first(length);

  Chunks chunks;
  bool has_json = false;
  for (std::size_t at = header_size; bytes.size() - at >= chunk_header_size;) {
    const std::uint32_t size = word_at(bytes, at);
    const std::uint32_t type = word_at(bytes, at + 4);
    const std::size_t content = at + chunk_header_size;
    if (size > bytes.size() - content) {
      return error(Cause::truncated, fmt::format("a chunk of {} bytes reaches beyond the end", size), at);
    }
    const auto span = bytes.subspan(content, size);
    if (!has_json) {
      if (type != json_type) return error(Cause::malformed, "the first chunk is not JSON", at);
      has_json = true;
      chunks.json = as_text(span);
      chunks.after_json = bytes.subspan(content + size);
    } else if (type == binary_type && !chunks.binary) {
      chunks.binary = span;
    }
    at = content + size;
  }
  if (!has_json) return error(Cause::truncated, "ends before its JSON chunk", bytes.size());
  return chunks;
}

Result<std::vector<std::byte>> join(std::string_view json, std::span<const std::byte> after_json,
                                    const std::string& name) {
  const std::size_t padded = (json.size() + 3) / 4 * 4;
  const std::size_t total = header_size + chunk_header_size + padded + after_json.size();
  if (total > std::numeric_limits<std::uint32_t>::max()) {
    return error_at(name, Cause::too_large, fmt::format("{} bytes do not fit into a GLB file", total));
  }
  std::vector<std::byte> bytes;
  bytes.reserve(total);
  append_word(bytes, magic);
  append_word(bytes, 2);
  append_word(bytes, static_cast<std::uint32_t>(total));
  append_word(bytes, static_cast<std::uint32_t>(padded));
  append_word(bytes, json_type);
  const auto text = as_bytes(json);
  bytes.insert(bytes.end(), text.begin(), text.end());
  bytes.resize(header_size + chunk_header_size + padded, std::byte{' '});
  bytes.insert(bytes.end(), after_json.begin(), after_json.end());
  return bytes;
}

std::vector<std::byte> binary_chunk(std::span<const std::byte> content) {
  const std::size_t padded = (content.size() + 3) / 4 * 4;
  PMTR_CHECK(padded < std::numeric_limits<std::uint32_t>::max(), "a GLB chunk holds less than 4 GiB");
  std::vector<std::byte> bytes;
  bytes.reserve(chunk_header_size + padded);
  append_word(bytes, static_cast<std::uint32_t>(padded));
  append_word(bytes, binary_type);
  bytes.insert(bytes.end(), content.begin(), content.end());
  bytes.resize(chunk_header_size + padded);
  return bytes;
}

}  // namespace pmtr::glb
