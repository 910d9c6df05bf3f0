// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pmtr/core/file.h"

namespace pmtr::test {

/// An array from a .npy file. Test support only: trusts its input, throws on surprises.
struct Npy {
  std::string dtype;  // "<f4", "<i4", "|u1", ...
  std::vector<std::int64_t> shape;
  std::vector<std::byte> data;

  std::int64_t size() const {
    std::int64_t n = 1;
    for (auto d : shape) n *= d;
    return n;
  }
  template <class T>
  std::vector<T> as() const {
    if (data.size() != sizeof(T) * static_cast<std::size_t>(size()))
      throw std::runtime_error("npy: wrong type");
    std::vector<T> values(static_cast<std::size_t>(size()));
    std::memcpy(values.data(), data.data(), data.size());
    return values;
  }
};

inline Npy read_npy(const std::filesystem::path& path) {
  auto bytes = read_file(path);
  if (!bytes.ok()) throw std::runtime_error(bytes.error().text());
  const std::string text(as_text(*bytes));
  const std::size_t header_size =
      static_cast<unsigned char>(text[8]) + 256U * static_cast<unsigned char>(text[9]);
  const std::string header = text.substr(10, header_size);
  Npy npy;
  const auto after = [&](const std::string& key, char open, char close) {
    const std::size_t from = header.find(open, header.find(key) + key.size());
    const std::size_t to = header.find(close, from + 1);
    if (header.find(key) == std::string::npos || to == std::string::npos)
      throw std::runtime_error("npy: " + key);
    return header.substr(from + 1, to - from - 1);
  };
  npy.dtype = after("'descr':", '\'', '\'');
  if (header.find("'fortran_order': True") != std::string::npos) throw std::runtime_error("npy: order");
  std::istringstream dims(after("'shape':", '(', ')'));
  for (std::string number; std::getline(dims, number, ',');) {
    if (number.find_first_of("0123456789") != std::string::npos) npy.shape.push_back(std::stoll(number));
  }
  npy.data.assign(bytes->begin() + static_cast<std::ptrdiff_t>(10 + header_size), bytes->end());
  return npy;
}

}  // namespace pmtr::test
