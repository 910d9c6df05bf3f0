// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "pmtr/core/result.h"

/// Fields of JSON files, read strictly: a missing key, a wrong type or a number out of range is an error that
/// names the file and the key. Nothing here throws, whatever the text says.
namespace pmtr::json_fields {

using Json = nlohmann::ordered_json;  // keys stay in the file's order when it is written again

Error wrong(const std::string& file, std::string message);

/// A JSON object. Nesting and keys per object are bounded before the parser sees the text: writing recurses,
/// and finding a key is linear.
Result<Json> parse(std::string_view text, const std::string& file);

/// The places in a file that messages name: "joints[3].a".
struct Where {
  const std::string& file;
  std::string prefix;

  Error error(std::string_view key, std::string_view expected) const;
};

/// A member of an object; null if there is none, or if it is no object.
const Json* find(const Json& object, const char* key);

/// Null, or not there at all.
bool is_null(const Json& object, const char* key);

Result<const Json*> list(const Json& object, const char* key, const Where& where);
Result<std::string> text(const Json& object, const char* key, const Where& where);
Result<bool> truth(const Json& object, const char* key, const Where& where);
Result<std::int64_t> whole(const Json& object, const char* key, std::int64_t low, std::int64_t high,
                           const Where& where);
Result<double> number(const Json& object, const char* key, double low, double high, const Where& where);

inline constexpr double any_number = std::numeric_limits<double>::max();

/// A value of the file as one of the program; false if it is of another kind or does not fit.
bool convert(const Json& json, bool& value);
bool convert(const Json& json, int& value);
bool convert(const Json& json, std::int64_t& value);
bool convert(const Json& json, std::uint64_t& value);
bool convert(const Json& json, float& value);
bool convert(const Json& json, double& value);
bool convert(const Json& json, std::string& value);

}  // namespace pmtr::json_fields
