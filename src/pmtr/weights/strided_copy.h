// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace pmtr {

/// How a tensor lies in its storage. Strides and offset count elements.
struct StridedView {
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> strides;
  std::int64_t offset = 0;
  std::size_t element_size = 1;
};

/// True if every element lies inside a storage of that many elements. Negative strides never fit: torch
/// has none.
bool fits(const StridedView& view, std::uint64_t storage_elements);

/// The elements in row-major order. The view must fit.
std::vector<std::byte> copy_contiguous(const StridedView& view, std::span<const std::byte> storage);

}  // namespace pmtr
