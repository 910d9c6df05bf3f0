// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/rigid3.h"
#include "pmtr/formats/byte_stream.h"

/// Values of results that are kept, field by field, bit for bit. A type says once, in visit_fields(), what
/// its fields are; writing and reading follow it, so they cannot differ.
namespace pmtr::kept {

/// Writes fields one after another.
class Put {
 public:
  template <class T>
  requires std::is_arithmetic_v<T>
  void operator()(const T& value) { out_.put(value); }
  template <class Scalar, int Rows, int Columns>
  void operator()(const Eigen::Matrix<Scalar, Rows, Columns>& matrix) {
    for (Eigen::Index i = 0; i < matrix.size(); ++i) out_.put(matrix.data()[i]);
  }
  void operator()(const Rigid3& pose) {
    (*this)(pose.rotation);
    (*this)(pose.translation);
  }
  template <class T>
  void operator()(const std::vector<T>& list) {
    out_.put(static_cast<std::uint64_t>(list.size()));
    for (const T& value : list) (*this)(value);
  }
  template <class T>
  requires requires(Put& put, const T& value) { visit_fields(put, value); }
  void operator()(const T& value) { visit_fields(*this, value); }
  std::vector<std::byte> take() { return out_.take(); }

 private:
  ByteWriter out_;
};

/// Counts the bytes that Put writes of a value whose lists are empty. Looks at types alone, never at a value.
class LeastBytes {
 public:
  template <class T>
  requires std::is_arithmetic_v<T>
  void operator()(const T&) { count_ += sizeof(T); }
  template <class Scalar, int Rows, int Columns>
  void operator()(const Eigen::Matrix<Scalar, Rows, Columns>&) {
    static_assert(Rows > 0 && Columns > 0);
    count_ += sizeof(Scalar) * Rows * Columns;
  }
  void operator()(const Rigid3& pose) {
    (*this)(pose.rotation);
    (*this)(pose.translation);
  }
  template <class T>
  void operator()(const std::vector<T>&) {
    count_ += sizeof(std::uint64_t);
  }
  template <class T>
  requires requires(LeastBytes& count, const T& value) { visit_fields(count, value); }
  void operator()(const T& value) { visit_fields(*this, value); }
  std::size_t count() const { return count_; }

 private:
  std::size_t count_ = 0;
};

/// Reads them back. A number that is not finite, a truth that is neither 0 nor 1 and a list that is longer
/// than the bytes that are left are not good.
class Get {
 public:
  explicit Get(std::span<const std::byte> bytes) : in_(bytes) {}

  template <class T>
  requires std::is_arithmetic_v<T>
  void operator()(T& value) {
    if constexpr (std::same_as<T, bool>) {
      const auto byte = in_.get<std::uint8_t>();
      if (byte > 1) in_.fail();
      value = byte == 1;
    } else {
      value = in_.get<T>();
      if constexpr (std::is_floating_point_v<T>) {
        if (!std::isfinite(value)) in_.fail();
      }
    }
  }
  template <class Scalar, int Rows, int Columns>
  void operator()(Eigen::Matrix<Scalar, Rows, Columns>& matrix) {
    for (Eigen::Index i = 0; i < matrix.size(); ++i) (*this)(matrix.data()[i]);
  }
  void operator()(Rigid3& pose) {
    (*this)(pose.rotation);
    (*this)(pose.translation);
  }
  template <class T>
  void operator()(std::vector<T>& list) {
    const auto count = in_.get<std::uint64_t>();
    list.clear();
    if (!in_.fits(count, least_bytes<T>())) return;
    list.resize(static_cast<std::size_t>(count));
    for (T& value : list) {
      (*this)(value);
      if (!in_.good()) return;
    }
  }
  template <class T>
  requires requires(Get& get, T& value) { visit_fields(get, value); }
  void operator()(T& value) { visit_fields(*this, value); }
  bool good() const { return in_.good(); }
  std::size_t place() const { return in_.place(); }
  bool at_end() const { return in_.left() == 0; }

 private:
  /// That a value takes in the file: what bounds how many there can be.
  template <class T>
  static std::size_t least_bytes() {
    LeastBytes bytes;
    bytes(T{});
    return bytes.count();
  }

  ByteReader in_;
};

}  // namespace pmtr::kept
