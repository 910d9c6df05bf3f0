// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <memory>

namespace pmtr {

/// The most bytes of tensors that this thread has held at once since the object was made, beside those that
/// were there before. One at a time per thread.
class AllocationPeak {
 public:
  AllocationPeak();
  ~AllocationPeak();
  AllocationPeak(const AllocationPeak&) = delete;
  AllocationPeak& operator=(const AllocationPeak&) = delete;

  std::int64_t bytes() const;

 private:
  struct Watch;
  std::unique_ptr<Watch> watch_;
};

}  // namespace pmtr
