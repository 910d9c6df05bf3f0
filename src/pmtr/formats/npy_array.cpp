// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/formats/npy_array.h"

#include <bit>
#include <charconv>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "pmtr/core/check.h"
#include "pmtr/core/file.h"
#include "pmtr/formats/array_shape.h"
#include "pmtr/formats/byte_order.h"

namespace pmtr {
namespace {

constexpr std::size_t max_header = 65536;
constexpr std::string_view magic = "\x93NUMPY";

/// What stands after 'key': in the header, a Python dictionary in one line.
std::optional<std::string_view> value_of(std::string_view header, std::string_view key) {
  const std::size_t at = header.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view rest = header.substr(at + key.size() + 3);
  while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
  return rest;
}

bool parse_descr(std::string_view header, NpyArray& array) {
  const auto value = value_of(header, "descr");
  if (!value || value->size() < 5 || value->front() != '\'') return false;
  const std::size_t end = value->find('\'', 1);
  if (end == std::string_view::npos || end < 4) return false;
  const std::string_view descr = value->substr(1, end - 1);
  if (descr[0] != '<' && descr[0] != '|') return false;  // big endian is nobody's default any more
  array.kind = descr[1];
  unsigned size = 0;
  const auto [stop, error] = std::from_chars(descr.data() + 2, descr.data() + descr.size(), size);
  if (error != std::errc() || stop != descr.data() + descr.size()) return false;
  if (array.kind == 'U') {
    if (size > max_header) return false;
    array.item_size = std::size_t{size} * 4;
    return array.item_size > 0;
  }
  array.item_size = size;
  if (array.kind == 'f') return size == 4 || size == 8;
  return (array.kind == 'i' || array.kind == 'u') && (size == 1 || size == 2 || size == 4 || size == 8);
}

bool parse_shape(std::string_view header, NpyArray& array) {
  auto value = value_of(header, "shape");
  if (!value || value->empty() || value->front() != '(') return false;
  value->remove_prefix(1);
  while (true) {
    while (!value->empty() && (value->front() == ' ' || value->front() == ',')) value->remove_prefix(1);
    if (value->empty()) return false;
    if (value->front() == ')') return true;
    std::uint64_t size = 0;
    const auto [stop, error] = std::from_chars(value->data(), value->data() + value->size(), size);
    if (error != std::errc() || array.shape.size() >= max_array_rank) return false;
    array.shape.push_back(size);
    value->remove_prefix(static_cast<std::size_t>(stop - value->data()));
  }
}

}  // namespace

double NpyArray::number(std::size_t i) const {
  const std::size_t at = i * item_size;
  if (kind == 'f') {
    if (item_size == 4) return std::bit_cast<float>(load_little<std::uint32_t>(data, at));
    return std::bit_cast<double>(load_little<std::uint64_t>(data, at));
  }
  PMTR_CHECK(kind == 'i' || kind == 'u', "not numbers");
  const bool is_signed = kind == 'i';
  switch (item_size) {
    case 1: {
      const auto bits = load_little<std::uint8_t>(data, at);
      return is_signed ? static_cast<std::int8_t>(bits) : bits;
    }
    case 2: {
      const auto bits = load_little<std::uint16_t>(data, at);
      return is_signed ? static_cast<std::int16_t>(bits) : bits;
    }
    case 4: {
      const auto bits = load_little<std::uint32_t>(data, at);
      return is_signed ? static_cast<double>(static_cast<std::int32_t>(bits)) : static_cast<double>(bits);
    }
    default: {
      const auto bits = load_little<std::uint64_t>(data, at);
      return is_signed ? static_cast<double>(static_cast<std::int64_t>(bits)) : static_cast<double>(bits);
    }
  }
}

std::string NpyArray::text(std::size_t i) const {
  PMTR_CHECK(kind == 'U', "not text");
  std::string out;
  for (std::size_t at = i * item_size; at < (i + 1) * item_size; at += 4) {
    const auto code = load_little<std::uint32_t>(data, at);
    if (code == 0) break;
    // Names of fractures are plain; anything else only has to stay readable.
    out.push_back(code < 0x80 ? static_cast<char>(code) : '?');
  }
  return out;
}

Result<NpyArray> parse_npy(std::span<const std::byte> bytes, const std::string& name) {
  const auto fail = [&](Cause cause, std::string message, std::uint64_t byte) {
    return Error{cause, std::move(message), {name, byte, {}}};
  };
  const std::string_view all = as_text(bytes);
  if (all.size() < 10) return fail(Cause::truncated, "too short for a NumPy array", all.size());
  if (!all.starts_with(magic)) return fail(Cause::unknown_format, "not a NumPy array", 0);
  const auto version = load_little<std::uint8_t>(bytes, 6);
  if (version < 1 || version > 3)
    return fail(Cause::unsupported, fmt::format("NumPy array of version {}", version), 6);
  const std::size_t begin = version == 1 ? 10 : 12;
  if (all.size() < begin) return fail(Cause::truncated, "too short for a NumPy array", all.size());
  const std::size_t length =
      version == 1 ? load_little<std::uint16_t>(bytes, 8) : load_little<std::uint32_t>(bytes, 8);
  if (length > max_header || length > all.size() - begin)
    return fail(Cause::truncated, "the header of the NumPy array is longer than the file", 8);
  const std::string_view header = all.substr(begin, length);
  NpyArray array;
  array.name = name;
  if (!parse_descr(header, array))
    return fail(Cause::unsupported, "the NumPy array holds values of a kind that is not read here", begin);
  if (const auto order = value_of(header, "fortran_order"); !order || !order->starts_with("False"))
    return fail(Cause::unsupported, "the NumPy array is not in C order", begin);
  if (!parse_shape(header, array))
    return fail(Cause::malformed, "the NumPy array has no readable shape", begin);
  std::optional<std::uint64_t> size = array.item_size;
  for (const std::uint64_t extent : array.shape)
    if (size) size = checked_product(*size, extent);
  const std::uint64_t there = all.size() - begin - length;
  if (!size || *size != there) {
    return fail(Cause::truncated,
                fmt::format("the NumPy array holds {} bytes, which is not what its shape says", there),
                begin + length);
  }
  array.data = bytes.subspan(begin + length);
  return array;
}

}  // namespace pmtr
