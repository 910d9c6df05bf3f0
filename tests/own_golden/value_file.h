// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstring>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pmtr/weights/weight_file.h"

namespace pmtr::test {

inline std::filesystem::path own_golden_folder() { return PMTR_OWN_GOLDEN_DIR; }

/// Arrays by name in a safetensors file. Test support: throws on surprises.
class ValueFile {
 public:
  ValueFile() = default;
  explicit ValueFile(const std::string& name) {
    auto read = read_weights(own_golden_folder() / name);
    if (!read.ok()) throw std::runtime_error(read.error().text());
    file_ = *std::move(read);
  }

  template <class T>
  std::vector<T> get(const std::string& name) const {
    const NamedArray* array = file_.find(name);
    if (array == nullptr || array->data.size() != sizeof(T) * static_cast<std::size_t>(array->numel()))
      throw std::runtime_error("no such values: " + name);
    std::vector<T> values(static_cast<std::size_t>(array->numel()));
    std::memcpy(static_cast<void*>(values.data()), array->data.data(), array->data.size());
    return values;
  }

  void add(const std::string& name, std::span<const float> values, std::int64_t columns) {
    add(name, DType::f32, std::as_bytes(values), std::ssize(values) / columns, columns);
  }
  void add(const std::string& name, std::span<const double> values, std::int64_t columns) {
    add(name, DType::f64, std::as_bytes(values), std::ssize(values) / columns, columns);
  }

  WeightFile& file() { return file_; }
  const WeightFile& file() const { return file_; }

 private:
  void add(const std::string& name, DType type, std::span<const std::byte> bytes, std::int64_t rows,
           std::int64_t columns) {
    file_.arrays.push_back({name, type, {rows, columns}, {bytes.begin(), bytes.end()}});
  }

  WeightFile file_;
};

}  // namespace pmtr::test
