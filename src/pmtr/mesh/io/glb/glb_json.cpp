// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/glb/glb_json.h"

#include <cmath>

#include <fmt/format.h>

namespace pmtr::glb {

Result<Json> parse_json(std::string_view text, const std::string& name) {
  // Some writers pad with zeros instead of spaces.
  while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
  auto json = json_fields::parse(text, name);
  if (!json.ok() && json.error().cause == Cause::malformed)
    return error_at(name, Cause::malformed, "the JSON chunk is not valid JSON");
  return json;
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
  if (!index) return malformed(fmt::format("{}: {} is not a whole number", where, key));
  return *index;
}

std::string_view text_at(const Json& value, const char* key) {
  const Json* member = find(value, key);
  if (member == nullptr || !member->is_string()) return {};
  return member->get_ref<const std::string&>();
}

}  // namespace pmtr::glb
