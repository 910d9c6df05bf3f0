// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/formats/json_fields.h"

#include <cmath>
#include <utility>
#include <vector>

namespace pmtr::json_fields {
namespace {

constexpr std::size_t deepest = 100;
constexpr std::uint64_t most_keys = 10'000;

Status check_shape(std::string_view text, const std::string& file) {
  std::vector<std::uint64_t> keys;  // of the open objects and lists
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{' || c == '[') {
      if (keys.size() == deepest) return error_at(file, Cause::too_large, "the JSON is nested too deeply");
      keys.push_back(0);
    }
    if ((c == '}' || c == ']') && !keys.empty()) keys.pop_back();
    if (c == ':' && !keys.empty() && ++keys.back() > most_keys)
      return error_at(file, Cause::too_large, "an object in the JSON has too many members");
  }
  return {};
}

template <class T>
bool convert_whole(const Json& json, T& value) {
  if (!json.is_number_integer()) return false;
  if (json.is_number_unsigned()) {
    const auto number = json.get<std::uint64_t>();
    if (!std::in_range<T>(number)) return false;
    value = static_cast<T>(number);
    return true;
  }
  const auto number = json.get<std::int64_t>();
  if (!std::in_range<T>(number)) return false;
  value = static_cast<T>(number);
  return true;
}

}  // namespace

Error wrong(const std::string& file, std::string message) {
  return error_at(file, Cause::malformed, std::move(message));
}

Result<Json> parse(std::string_view text, const std::string& file) {
  PMTR_TRY_STATUS(check_shape(text, file));
  Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (json.is_discarded()) return wrong(file, "is not JSON");
  if (!json.is_object()) return wrong(file, "is not a JSON object");
  return json;
}

Error Where::error(std::string_view key, std::string_view expected) const {
  return wrong(file, fmt::format("{}{} is not {}", prefix, key, expected));
}

const Json* find(const Json& object, const char* key) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(key);
  return found == object.end() ? nullptr : &*found;
}

bool is_null(const Json& object, const char* key) {
  const Json* value = find(object, key);
  return value == nullptr || value->is_null();
}

Result<const Json*> list(const Json& object, const char* key, const Where& where) {
  const Json* value = find(object, key);
  if (value == nullptr || !value->is_array()) return where.error(key, "a list");
  return value;
}

Result<std::string> text(const Json& object, const char* key, const Where& where) {
  const Json* value = find(object, key);
  if (value == nullptr || !value->is_string()) return where.error(key, "text");
  return value->get<std::string>();
}

Result<bool> truth(const Json& object, const char* key, const Where& where) {
  const Json* value = find(object, key);
  if (value == nullptr || !value->is_boolean()) return where.error(key, "true or false");
  return value->get<bool>();
}

Result<std::int64_t> whole(const Json& object, const char* key, std::int64_t low, std::int64_t high,
                           const Where& where) {
  const Json* value = find(object, key);
  std::int64_t found = 0;
  if (value == nullptr || !convert(*value, found) || found < low || found > high)
    return where.error(key, fmt::format("a whole number from {} to {}", low, high));
  return found;
}

Result<double> number(const Json& object, const char* key, double low, double high, const Where& where) {
  const Json* value = find(object, key);
  double found = std::nan("");  // fails below
  if (value != nullptr) convert(*value, found);
  if (!(found >= low && found <= high))
    return where.error(key, fmt::format("a number from {} to {}", low, high));
  return found;
}

bool convert(const Json& json, bool& value) {
  if (!json.is_boolean()) return false;
  value = json.get<bool>();
  return true;
}

bool convert(const Json& json, int& value) { return convert_whole(json, value); }
bool convert(const Json& json, std::int64_t& value) { return convert_whole(json, value); }
bool convert(const Json& json, std::uint64_t& value) { return convert_whole(json, value); }

bool convert(const Json& json, double& value) {
  if (!json.is_number()) return false;
  value = json.get<double>();
  return true;
}

bool convert(const Json& json, float& value) {
  if (!json.is_number()) return false;
  value = json.get<float>();
  return true;
}

bool convert(const Json& json, std::string& value) {
  if (!json.is_string()) return false;
  value = json.get<std::string>();
  return true;
}

}  // namespace pmtr::json_fields
