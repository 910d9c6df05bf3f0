// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "pmtr/formats/json_fields.h"

/// What GLB adds to the strict reading of JSON: numbered entries of lists, and members that may be absent.
/// Errors get the file's name where the whole file is known.
namespace pmtr::glb {

using json_fields::find;
using json_fields::Json;

inline Error malformed(std::string message) { return {Cause::malformed, std::move(message), {}}; }

Result<Json> parse_json(std::string_view text, const std::string& name);

/// An entry of one of the document's lists, such as "nodes"; null if there is none.
const Json* entry(const Json& document, const char* list, std::uint64_t index);

/// How many entries a list has; 0 if it is absent or no list.
std::size_t entry_count(const Json& document, const char* list);

/// A whole number of at least 0 (also written as 5.0); none for anything else.
std::optional<std::uint64_t> as_index(const Json& value);

/// The number at `key`, the fallback if it is absent, an error (naming `where`) if it is no whole number.
Result<std::uint64_t> index_at(const Json& value, const char* key, std::uint64_t fallback,
                               std::string_view where);

/// Text at `key`, or nothing.
std::string_view text_at(const Json& value, const char* key);

}  // namespace pmtr::glb
