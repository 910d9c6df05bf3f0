// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace pmtr::kernels {

/// Memory that a thread keeps from call to call: large blocks straight from the system cost a page fault per
/// 4 KB each time, which is more than some kernels take.
void* take_scratch(std::size_t bytes);
void return_scratch(void* block);

/// An uninitialised array on a 64-byte boundary, for the duration of a call. Destroyed by the thread that
/// made it; others may read and write it in between.
template <class T>
class Scratch {
 public:
  Scratch() = default;
  explicit Scratch(std::int64_t count)
      : data_(static_cast<T*>(take_scratch(static_cast<std::size_t>(count) * sizeof(T)))) {}
  ~Scratch() {
    if (data_ != nullptr) return_scratch(data_);
  }
  Scratch(Scratch&& other) noexcept : data_(std::exchange(other.data_, nullptr)) {}
  Scratch& operator=(Scratch&& other) noexcept {
    std::swap(data_, other.data_);
    return *this;
  }

  T* data() const { return data_; }
  T& operator[](std::int64_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
};

}  // namespace pmtr::kernels
