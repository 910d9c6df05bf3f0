// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/ply/ply_values.h"

#include <cmath>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/formats/byte_order.h"
#include "pmtr/formats/number_text.h"

namespace pmtr {
namespace {

double load(const std::byte* from, PlyType type, std::endian order) {
  switch (type) {
    case PlyType::int8:
      return load_bytes<std::int8_t>(from, order);
    case PlyType::uint8:
      return load_bytes<std::uint8_t>(from, order);
    case PlyType::int16:
      return load_bytes<std::int16_t>(from, order);
    case PlyType::uint16:
      return load_bytes<std::uint16_t>(from, order);
    case PlyType::int32:
      return load_bytes<std::int32_t>(from, order);
    case PlyType::uint32:
      return load_bytes<std::uint32_t>(from, order);
    case PlyType::float32:
      return static_cast<double>(load_bytes<float>(from, order));
    case PlyType::float64:
      return load_bytes<double>(from, order);
  }
  return 0;
}

}  // namespace

PlyValues::PlyValues(std::span<const std::byte> bytes, const PlyHeader& header, const std::string& name)
    : bytes_(bytes),
      name_(name),
      encoding_(header.encoding),
      words_(as_text(bytes), header.body, header.body_line),
      begin_(header.body),
      end_(header.body),
      line_(header.body_line) {}

Error PlyValues::error(Cause cause, std::string message) const {
  Place place{name_, {}, {}};
  if (encoding_ == PlyEncoding::ascii) {
    place.line = line_;
  } else {
    place.byte = begin_;
  }
  return {cause, std::move(message), std::move(place)};
}

bool PlyValues::fail(Cause cause, std::string message) {
  failure_ = error(cause, std::move(message));
  return false;
}

bool PlyValues::read(PlyType type, double& value) {
  if (encoding_ == PlyEncoding::ascii) return read_word(value);
  begin_ = end_;
  if (bytes_.size() - begin_ < size_of(type))
    return fail(Cause::truncated, "the file ends in the middle of its data");
  const std::endian order = encoding_ == PlyEncoding::little_endian ? std::endian::little : std::endian::big;
  value = load(bytes_.data() + begin_, type, order);
  end_ = begin_ + size_of(type);
  return true;
}

bool PlyValues::read_word(double& value) {
  Word word;
  if (!words_.next(word)) {
    line_ = words_.line();
    begin_ = end_ = bytes_.size();
    return fail(Cause::truncated, "the file ends in the middle of its data");
  }
  begin_ = word.begin;
  end_ = word.end();
  line_ = word.line;
  const std::optional<double> number = parse_number(word.text);
  if (!number) return fail(Cause::malformed, fmt::format("{} is not a number", shown(word.text)));
  value = *number;
  return true;
}

bool PlyValues::read_count(const PlyProperty& list, std::uint64_t& count) {
  double value = 0;
  if (!read(*list.count_type, value)) return false;
  if (!(value >= 0 && value <= 4294967295.0 && value == std::floor(value)))
    return fail(Cause::malformed, fmt::format("a list {} with {} entries", shown(list.name), value));
  count = static_cast<std::uint64_t>(value);
  const bool ascii = encoding_ == PlyEncoding::ascii;
  const std::uint64_t left = bytes_.size() - end_;
  if (count > left / (ascii ? 2 : size_of(list.type))) {
    return fail(Cause::truncated, fmt::format("a list {} promises {} entries, but only {} bytes are left",
                                              shown(list.name), count, left));
  }
  return true;
}

bool PlyValues::skip_bytes(std::uint64_t count) {
  if (bytes_.size() - end_ < count) return fail(Cause::truncated, "the file ends in the middle of its data");
  end_ += static_cast<std::size_t>(count);
  begin_ = end_;
  return true;
}

bool PlyValues::skip(const PlyProperty& property) {
  std::uint64_t count = 1;
  if (property.count_type && !read_count(property, count)) return false;
  if (encoding_ != PlyEncoding::ascii) return skip_bytes(count * size_of(property.type));
  double ignored = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!read_word(ignored)) return false;
  }
  return true;
}

bool PlyValues::skip(const PlyElement& element) {
  if (encoding_ != PlyEncoding::ascii && !element.has_lists())
    return skip_bytes(element.count * element.row_size());
  for (std::uint64_t row = 0; row < element.count; ++row) {
    for (const PlyProperty& property : element.properties) {
      if (!skip(property)) return false;
    }
  }
  return true;
}

}  // namespace pmtr
