// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/formats/field_reader.h"

namespace pmtr::json_fields {

const Json* FieldReader::take(const char* key) {
  known_.insert(key);
  return find(object_, key);
}

std::vector<FieldReader> FieldReader::objects(const char* key) {
  std::vector<FieldReader> readers;
  const Json* entries = take(key);
  if (!status_.ok()) return readers;
  if (entries == nullptr || !entries->is_array()) {
    status_ = where_.error(key, "a list");
    return readers;
  }
  for (std::size_t i = 0; i < entries->size(); ++i) {
    const std::string name = fmt::format("{}{}[{}]", where_.prefix, key, i);
    if (!(*entries)[i].is_object()) {
      status_ = wrong(where_.file, name + " is not an object");
      return {};
    }
    readers.emplace_back((*entries)[i], Where{where_.file, name + "."});
  }
  return readers;
}

void FieldReader::fail(std::string_view message) {
  if (status_.ok()) status_ = wrong(where_.file, fmt::format("{}{}", where_.prefix, message));
}

Status FieldReader::finish() const {
  if (!status_.ok()) return status_;
  if (!object_.is_object()) return wrong(where_.file, "is not a JSON object");
  for (const auto& [key, value] : object_.items()) {
    if (!known_.contains(key))
      return wrong(where_.file, fmt::format("{}{} is not known here", where_.prefix, key));
  }
  return {};
}

}  // namespace pmtr::json_fields
