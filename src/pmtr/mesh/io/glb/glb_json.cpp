// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/glb/glb_json.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace pmtr::glb {
namespace {

constexpr std::size_t deepest = 100;
constexpr std::uint64_t most_keys = 10'000;

Status check_shape(std::string_view text, const std::string& name) {
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
      if (keys.size() == deepest)
        return Error{Cause::too_large, "the JSON is nested too deeply", {name, {}, {}}};
      keys.push_back(0);
    }
    if ((c == '}' || c == ']') && !keys.empty()) keys.pop_back();
    if (c == ':' && !keys.empty() && ++keys.back() > most_keys) {
      return Error{Cause::too_large, "an object in the JSON has too many members", {name, {}, {}}};
    }
  }
  return {};
}

}  // namespace

Result<Json> parse_json(std::string_view text, const std::string& name) {
  PMTR_TRY_STATUS(check_shape(text, name));
  // Some writers pad with zeros instead of spaces.
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  Json json = Json::parse(text.begin(), text.end(), nullptr, false);
  if (json.is_discarded() || !json.is_object()) {
    return Error{Cause::malformed, "the JSON chunk is not valid JSON", {name, {}, {}}};
  }
  return json;
}

const Json* find(const Json& value, const char* key) {
  if (!value.is_object()) return nullptr;
  const auto member = value.find(key);
  return member == value.end() ? nullptr : &*member;
}

const Json* entry(const Json& document, const char* list, std::uint64_t index) {
  if (index >= entry_count(document, list)) return nullptr;
  return &(*find(document, list))[static_cast<std::size_t>(index)];
}

std::size_t entry_count(const Json& document, const char* list) {
  const Json* entries = find(document, list);
  return entries != nullptr && entries->is_array() ? entries->size() : 0;
}

std::optional<std::uint64_t> as_index(const Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (!value.is_number_float()) return std::nullopt;
  const double number = value.get<double>();
  if (!(number >= 0 && number < 0x1p53 && number == std::floor(number))) return std::nullopt;
  return static_cast<std::uint64_t>(number);
}

Result<std::uint64_t> index_at(const Json& value, const char* key, std::uint64_t fallback,
                               std::string_view where) {
  const Json* member = find(value, key);
  if (member == nullptr) return fallback;
  const auto index = as_index(*member);
  if (!index) return Error{Cause::malformed, fmt::format("{}: {} is not a whole number", where, key), {}};
  return *index;
}

std::string_view text_at(const Json& value, const char* key) {
  const Json* member = find(value, key);
  if (member == nullptr || !member->is_string()) return {};
  return member->get_ref<const std::string&>();
}

}  // namespace pmtr::glb
