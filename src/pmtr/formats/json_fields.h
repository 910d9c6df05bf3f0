// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pmtr/core/result.h"

/// Fields of our own JSON files, read strictly: a missing key, a wrong type or a number out of range is an
/// error that names the key. Nothing here throws.
namespace pmtr::json_fields {

using Json = nlohmann::json;

inline Error wrong(const std::string& file, std::string message) {
  return {Cause::malformed, std::move(message), {file, {}, {}}};
}

inline Result<Json> parse(std::string_view text, const std::string& file) {
  Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return wrong(file, "is not JSON");
  if (!json.is_object()) return wrong(file, "is not a JSON object");
  return json;
}

/// The places in a file that messages name: "joints[3].a".
struct Where {
  const std::string& file;
  std::string prefix;

  Error error(const char* key, std::string_view expected) const {
    return wrong(file, fmt::format("{}{} is not {}", prefix, key, expected));
  }
};

inline const Json* find(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

inline Result<const Json*> list(const Json& object, const char* key, const Where& where) {
  const Json* value = find(object, key);
  if (value == nullptr || !value->is_array()) return where.error(key, "a list");
  return value;
}

inline Result<std::string> text(const Json& object, const char* key, const Where& where) {
  const Json* value = find(object, key);
  if (value == nullptr || !value->is_string()) return where.error(key, "text");
  return value->get<std::string>();
}

inline Result<bool> truth(const Json& object, const char* key, const Where& where) {
  const Json* value = find(object, key);
  if (value == nullptr || !value->is_boolean()) return where.error(key, "true or false");
  return value->get<bool>();
}

inline Result<std::int64_t> whole(const Json& object, const char* key, std::int64_t low, std::int64_t high,
                                  const Where& where) {
  const Json* value = find(object, key);
  const auto expected = [&] { return fmt::format("a whole number from {} to {}", low, high); };
  if (value == nullptr || !value->is_number_integer()) return where.error(key, expected());
  if (value->is_number_unsigned() &&
      value->get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    return where.error(key, expected());
  }
  const auto number = value->get<std::int64_t>();
  if (number < low || number > high) return where.error(key, expected());
  return number;
}

inline Result<double> number(const Json& object, const char* key, double low, double high,
                             const Where& where) {
  const Json* value = find(object, key);
  const double found =
      value != nullptr && value->is_number() ? value->get<double>() : std::nan("");  // NaN fails below
  if (!(found >= low && found <= high))
    return where.error(key, fmt::format("a number from {} to {}", low, high));
  return found;
}

/// Null, or not there at all.
inline bool is_null(const Json& object, const char* key) {
  const Json* value = find(object, key);
  return value == nullptr || value->is_null();
}

inline constexpr double any_number = std::numeric_limits<double>::max();

}  // namespace pmtr::json_fields
