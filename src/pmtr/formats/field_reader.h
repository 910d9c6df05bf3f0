// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pmtr/formats/json_fields.h"

namespace pmtr::json_fields {

/// Null is none.
template <class T>
bool convert(const Json& json, std::optional<T>& value);
template <class T, std::size_t N>
bool convert(const Json& json, std::array<T, N>& values);
template <class T>
bool convert(const Json& json, std::vector<T>& values);
template <class T>
bool convert(const Json& json, std::map<std::string, T>& values);

/// Reads the fields of one object into variables, one line each: the first problem is kept and after it
/// nothing is read. The object and the file's name must outlive the reader.
class FieldReader {
 public:
  FieldReader(const Json& object, Where where) : object_(object), where_(std::move(where)) {}

  /// A field that must be there.
  template <class T>
  void required(const char* key, T& value) {
    const Json* found = take(key);
    if (!status_.ok()) return;
    if (found == nullptr) return fail(fmt::format("{} is missing", key));
    if (!convert(*found, value)) fail(fmt::format("{} has a wrong value", key));
  }
  /// A field that may be absent: then the value stays as it is.
  template <class T>
  void optional(const char* key, T& value) {
    if (find(object_, key) != nullptr) required(key, value);
  }
  /// A word that stands for a value; absent: the value stays as it is.
  template <class T>
  void optional_word(const char* key, const std::map<std::string, T>& meanings, T& value) {
    std::string word;
    optional(key, word);
    if (!status_.ok() || find(object_, key) == nullptr) return;
    const auto meaning = meanings.find(word);
    if (meaning == meanings.end()) return fail(fmt::format("{} has a wrong value", key));
    value = meaning->second;
  }
  /// The objects of a list; a reader of "samples[2]." for each.
  std::vector<FieldReader> objects(const char* key);

  /// Keeps a problem found by the caller, with the place put before it.
  void fail(std::string_view message);
  bool ok() const { return status_.ok(); }
  /// The first problem, if there is one.
  const Status& status() const { return status_; }
  /// The same; and a key that nobody asked for is a problem too.
  Status finish() const;

 private:
  const Json* take(const char* key);

  const Json& object_;
  Where where_;
  Status status_;
  std::set<std::string> known_;
};

template <class T>
bool convert(const Json& json, std::optional<T>& value) {
  value.reset();
  return json.is_null() || convert(json, value.emplace());
}

template <class T, std::size_t N>
bool convert(const Json& json, std::array<T, N>& values) {
  if (!json.is_array() || json.size() != N) return false;
  for (std::size_t i = 0; i < N; ++i) {
    if (!convert(json[i], values[i])) return false;
  }
  return true;
}

template <class T>
bool convert(const Json& json, std::vector<T>& values) {
  if (!json.is_array()) return false;
  values.resize(json.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!convert(json[i], values[i])) return false;
  }
  return true;
}

template <class T>
bool convert(const Json& json, std::map<std::string, T>& values) {
  if (!json.is_object()) return false;
  for (const auto& [key, member] : json.items()) {
    if (!convert(member, values[key])) return false;
  }
  return true;
}

}  // namespace pmtr::json_fields
