// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <regex>
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
  std::smatch match;
  if (!std::regex_search(header, match, std::regex("'descr': *'([^']*)'")))
    throw std::runtime_error("npy: descr");
  npy.dtype = match[1];
  if (header.find("'fortran_order': True") != std::string::npos) throw std::runtime_error("npy: order");
  if (!std::regex_search(header, match, std::regex("'shape': *\\(([^)]*)\\)")))
    throw std::runtime_error("npy: shape");
  const std::string dims = match[1];
  const std::regex number("[0-9]+");
  for (std::sregex_iterator it(dims.begin(), dims.end(), number), end; it != end; ++it) {
    npy.shape.push_back(std::stoll(it->str()));
  }
  npy.data.assign(bytes->begin() + static_cast<std::ptrdiff_t>(10 + header_size), bytes->end());
  return npy;
}

}  // namespace pmtr::test
