// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/weights/safetensors_header.h"

#include <array>
#include <limits>
#include <optional>
#include <unordered_set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pmtr/formats/array_shape.h"
#include "pmtr/formats/word_reader.h"

namespace pmtr {
namespace {

std::optional<DType> dtype_from_name(std::string_view name) {
  constexpr std::array all = {DType::f16, DType::bf16, DType::f32, DType::f64, DType::i8,
                              DType::u8,  DType::i16,  DType::i32, DType::i64, DType::boolean};
  for (const DType dtype : all) {
    if (name == dtype_name(dtype)) return dtype;
  }
  return std::nullopt;
}

/// Names in messages are cut, so that a hostile one cannot fill the screen.
std::string in_quotes(std::string_view name) { return fmt::format("'{}'", shortened(name)); }

/// Follows the parser through { name: { dtype, shape: [...], data_offsets: [...] }, __metadata__: { ... } }.
/// Every event returns false, which stops the parser, as soon as something else comes.
class HeaderReader : public nlohmann::json_sax<nlohmann::json> {
 public:
  SafetensorsHeader header;
  std::optional<Error> error;

  bool start_object(std::size_t) override {
    if (level_ == Level::outside) {
      level_ = Level::file;
      return true;
    }
    if (level_ != Level::file)
      return fail(fmt::format("an object where none belongs, in {}", in_quotes(key_)));
    if (key_ == "__metadata__") {
      level_ = Level::metadata;
      return true;
    }
    level_ = Level::array;
    header.entries.push_back({.name = key_, .dtype = {}, .shape = {}, .begin = {}, .end = {}});
    seen_ = {};
    return true;
  }

  bool end_object() override {
    if (level_ == Level::file) {
      level_ = Level::outside;
      return true;
    }
    if (level_ == Level::array && !(seen_.dtype && seen_.shape && seen_.offsets)) {
      return fail(
          fmt::format("array {} lacks dtype, shape or data_offsets", in_quotes(header.entries.back().name)));
    }
    level_ = Level::file;
    return true;
  }

  bool key(string_t& key) override {
    if (level_ == Level::file && !names_.insert(key).second)
      return fail(fmt::format("the name {} occurs twice", in_quotes(key)));
    if (level_ == Level::metadata && header.metadata.contains(key))
      return fail(fmt::format("the metadata key {} occurs twice", in_quotes(key)));
    if (level_ == Level::array) {
      bool* seen = key == "dtype"          ? &seen_.dtype
                   : key == "shape"        ? &seen_.shape
                   : key == "data_offsets" ? &seen_.offsets
                                           : nullptr;
      if (seen == nullptr) return fail(fmt::format("unknown field {} of an array", in_quotes(key)));
      if (*seen) return fail(fmt::format("the field {} of an array occurs twice", in_quotes(key)));
      *seen = true;
    }
    key_ = std::move(key);
    return true;
  }

  bool string(string_t& text) override {
    if (level_ == Level::metadata) {
      header.metadata.emplace(key_, std::move(text));
      return true;
    }
    if (level_ != Level::array || key_ != "dtype") return misplaced("a string");
    const auto dtype = dtype_from_name(text);
    if (!dtype) {
      return fail(fmt::format("array {} has the unsupported type {}", in_quotes(header.entries.back().name),
                              in_quotes(text)),
                  Cause::unsupported);
    }
    header.entries.back().dtype = *dtype;
    return true;
  }

  bool start_array(std::size_t) override {
    if (level_ != Level::array || key_ == "dtype") return misplaced("a list");
    level_ = key_ == "shape" ? Level::shape : Level::offsets;
    offsets_read_ = 0;
    return true;
  }

  bool end_array() override {
    if (level_ == Level::offsets && offsets_read_ != 2) return fail("data_offsets must hold two numbers");
    level_ = Level::array;
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    if (level_ == Level::shape) {
      auto& shape = header.entries.back().shape;
      if (shape.size() == max_array_rank)
        return fail(fmt::format("an array has more than {} dimensions", max_array_rank), Cause::too_large);
      if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return fail("a size in a shape does not fit into 63 bits", Cause::too_large);
      shape.push_back(static_cast<std::int64_t>(value));
      return true;
    }
    if (level_ != Level::offsets || offsets_read_ == 2) return misplaced("a number");
    (offsets_read_++ == 0 ? header.entries.back().begin : header.entries.back().end) = value;
    return true;
  }

  bool null() override { return misplaced("null"); }
  bool boolean(bool) override { return misplaced("true or false"); }
  bool number_integer(number_integer_t) override { return misplaced("a negative number"); }
  bool number_float(number_float_t, const string_t&) override {
    return misplaced("a fraction or a number beyond 64 bits");
  }
  bool binary(binary_t&) override { return misplaced("binary data"); }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    fail("the header is not valid JSON");
    position_ = position;
    return false;
  }

  std::optional<std::uint64_t> position() const { return position_; }

 private:
  enum class Level { outside, file, metadata, array, shape, offsets };
  struct Seen {
    bool dtype = false;
    bool shape = false;
    bool offsets = false;
  };

  bool fail(std::string message, Cause cause = Cause::malformed) {
    error = Error{cause, std::move(message), {}};
    return false;
  }
  bool misplaced(std::string_view what) {
    if (level_ == Level::outside) return fail("the header must be a JSON object");
    return fail(fmt::format("{} where none belongs, in {}", what, in_quotes(key_)));
  }

  Level level_ = Level::outside;
  Seen seen_;
  std::string key_;
  int offsets_read_ = 0;
  std::unordered_set<std::string> names_;
  std::optional<std::uint64_t> position_;
};

}  // namespace

Result<SafetensorsHeader> parse_safetensors_header(std::string_view json, const std::string& name) {
  HeaderReader reader;
  const bool parsed = nlohmann::json::sax_parse(json.begin(), json.end(), &reader);
  if (!parsed || reader.error) {
    Error error = reader.error.value_or(Error{Cause::malformed, "the header is not valid JSON", {}});
    error.place.file = name;
    if (reader.position()) error.place.byte = 8 + *reader.position();
    return error;
  }
  return std::move(reader.header);
}

}  // namespace pmtr
