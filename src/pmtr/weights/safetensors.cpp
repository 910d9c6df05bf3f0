// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/weights/safetensors.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "pmtr/core/check.h"
#include "pmtr/core/file.h"
#include "pmtr/formats/array_shape.h"
#include "pmtr/formats/byte_order.h"
#include "pmtr/weights/safetensors_header.h"

namespace pmtr {
namespace {

constexpr std::size_t length_bytes = 8;
constexpr std::uint64_t max_header = 100'000'000;  // the format's own limit

std::string json_string(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// The arrays must tile the data without gap or overlap, as the format demands: no byte is hidden or shared.
Status check_layout(std::vector<SafetensorsEntry>& entries, std::uint64_t available, std::uint64_t data_start,
                    const std::string& name) {
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  std::uint64_t covered = 0;
  for (const SafetensorsEntry& entry : entries) {
    const auto fail = [&](Cause cause, std::string message) -> Status {
      return Error{
          cause, fmt::format("array '{}' {}", entry.name, message), {name, data_start + covered, {}}};
    };
    if (entry.end < entry.begin) return fail(Cause::malformed, "ends before it begins");
    if (entry.end > available) {
      return fail(Cause::truncated,
                  fmt::format("ends at byte {} of the data, of which there are {}", entry.end, available));
    }
    const auto expected = checked_byte_count(entry.shape, dtype_size(entry.dtype));
    if (!expected) return fail(Cause::too_large, "has a shape beyond 63 bits");
    if (*expected != entry.end - entry.begin) {
      return fail(Cause::malformed,
                  fmt::format("has {} bytes, its shape [{}] of {} needs {}", entry.end - entry.begin,
                              fmt::join(entry.shape, ", "), dtype_name(entry.dtype), *expected));
    }
    if (entry.begin < covered) return fail(Cause::malformed, "overlaps the one before");
    if (entry.begin > covered) return fail(Cause::malformed, "leaves a gap to the one before");
    covered = entry.end;
  }
  if (covered != available) {
    return Error{Cause::malformed,
                 fmt::format("{} bytes at the end belong to no array", available - covered),
                 {name, data_start + covered, {}}};
  }
  return {};
}

}  // namespace

Result<WeightFile> parse_safetensors(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() < length_bytes)
    return Error{Cause::truncated, "too short for a safetensors file", {name, bytes.size(), {}}};
  const auto header_size = load_little<std::uint64_t>(bytes, 0);
  if (header_size > max_header) {
    return Error{Cause::too_large,
                 fmt::format("the header claims {} bytes, the limit is {}", header_size, max_header),
                 {name, 0, {}}};
  }
  if (header_size > bytes.size() - length_bytes) {
    return Error{Cause::truncated,
                 fmt::format("the header claims {} bytes, the file holds {} more", header_size,
                             bytes.size() - length_bytes),
                 {name, 0, {}}};
  }
  const auto json = as_text(bytes.subspan(length_bytes, header_size));
  if (!json.starts_with('{'))
    return Error{Cause::malformed, "the header does not begin with '{'", {name, length_bytes, {}}};
  PMTR_TRY(SafetensorsHeader header, parse_safetensors_header(json, name));
  const auto data = bytes.subspan(length_bytes + header_size);
  PMTR_TRY_STATUS(check_layout(header.entries, data.size(), length_bytes + header_size, name));

  WeightFile weights;
  weights.metadata = std::move(header.metadata);
  weights.arrays.reserve(header.entries.size());
  for (SafetensorsEntry& entry : header.entries) {
    const auto part = data.subspan(entry.begin, entry.end - entry.begin);
    weights.arrays.push_back(
        {std::move(entry.name), entry.dtype, std::move(entry.shape), {part.begin(), part.end()}});
  }
  return weights;
}

std::vector<std::byte> format_safetensors(const WeightFile& weights) {
  std::string header = "{";
  if (!weights.metadata.empty()) {
    header += "\"__metadata__\":{";
    for (const auto& [key, value] : weights.metadata) {
      if (header.back() != '{') header += ',';
      header += json_string(key) + ':' + json_string(value);
    }
    header += '}';
  }
  std::set<std::string_view> names;
  std::uint64_t offset = 0;
  for (const NamedArray& array : weights.arrays) {
    PMTR_CHECK(array.name != "__metadata__" && names.insert(array.name).second,
               "array name used twice: " + array.name);
    const auto expected = checked_byte_count(array.shape, dtype_size(array.dtype));
    PMTR_CHECK(expected && *expected == array.data.size(),
               "array " + array.name + " does not fill its shape");
    if (header.size() > 1) header += ',';
    header +=
        fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", json_string(array.name),
                    dtype_name(array.dtype), fmt::join(array.shape, ","), offset, offset + array.data.size());
    offset += array.data.size();
  }
  header += '}';
  // Spaces after the JSON put the data on a multiple of 8, so that a mapped file can be used in place.
  header.resize((header.size() + 7) / 8 * 8, ' ');
  PMTR_CHECK(header.size() <= max_header, "safetensors header over the format's limit");

  std::vector<std::byte> bytes;
  bytes.reserve(length_bytes + header.size() + offset);
  for (std::size_t i = 0; i < length_bytes; ++i)
    bytes.push_back(static_cast<std::byte>((header.size() >> (8 * i)) & 0xFFU));
  const auto text = as_bytes(header);
  bytes.insert(bytes.end(), text.begin(), text.end());
  for (const NamedArray& array : weights.arrays)
    bytes.insert(bytes.end(), array.data.begin(), array.data.end());
  return bytes;
}

}  // namespace pmtr
