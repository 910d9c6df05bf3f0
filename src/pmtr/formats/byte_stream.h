// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pmtr/core/file.h"
#include "pmtr/formats/byte_order.h"

namespace pmtr {

/// Numbers and texts one after another, little endian.
class ByteWriter {
 public:
  template <class T>
  void put(T value) {
    bytes_.resize(bytes_.size() + sizeof(T));
    store_bytes(bytes_.data() + bytes_.size() - sizeof(T), value, std::endian::little);
  }
  void put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    const auto raw = as_bytes(text);
    bytes_.insert(bytes_.end(), raw.begin(), raw.end());
  }
  void reserve(std::size_t more) { bytes_.reserve(bytes_.size() + more); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

/// Reads them back. After the first thing that is not there everything is zero and good() is false, so a
/// reader may check once per group. Counts must pass fits() before anything is allocated.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool good() const { return good_; }
  void fail() { good_ = false; }
  std::size_t place() const { return place_; }
  std::size_t left() const { return bytes_.size() - place_; }
  bool fits(std::uint64_t count, std::size_t bytes_each) {
    if (count > left() / bytes_each) good_ = false;
    return good_;
  }
  template <class T>
  T get() {
    if (!good_ || left() < sizeof(T)) {
      good_ = false;
      return T{};
    }
    place_ += sizeof(T);
    return load_bytes<T>(bytes_.data() + place_ - sizeof(T), std::endian::little);
  }
  std::string get_text() {
    const auto size = get<std::uint32_t>();
    if (!fits(size, 1)) return {};
    place_ += size;
    return std::string(as_text(bytes_.subspan(place_ - size, size)));
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t place_ = 0;
  bool good_ = true;
};

}  // namespace pmtr
