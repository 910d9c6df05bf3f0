// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/weights/strided_copy.h"

#include <algorithm>
#include <cstring>

#include "pmtr/core/check.h"
#include "pmtr/formats/array_shape.h"

namespace pmtr {

bool fits(const StridedView& view, std::uint64_t storage_elements) {
  PMTR_CHECK(view.shape.size() == view.strides.size(), "one stride per dimension");
  const auto negative = [](std::int64_t value) { return value < 0; };
  if (view.offset < 0 || std::any_of(view.shape.begin(), view.shape.end(), negative) ||
      std::any_of(view.strides.begin(), view.strides.end(), negative))
    return false;
  if (std::find(view.shape.begin(), view.shape.end(), 0) != view.shape.end()) return true;
  std::uint64_t last = static_cast<std::uint64_t>(view.offset);
  for (std::size_t d = 0; d < view.shape.size(); ++d) {
    const auto reach = checked_product(static_cast<std::uint64_t>(view.shape[d] - 1),
                                       static_cast<std::uint64_t>(view.strides[d]));
    const auto sum = reach ? checked_sum(last, *reach) : reach;
    if (!sum) return false;
    last = *sum;
  }
  return last < storage_elements;
}

std::vector<std::byte> copy_contiguous(const StridedView& view, std::span<const std::byte> storage) {
  const std::size_t element = view.element_size;
  PMTR_CHECK(fits(view, storage.size() / element), "the view reaches outside its storage");
  const auto bytes = checked_byte_count(view.shape, element);
  PMTR_CHECK(bytes.has_value(), "impossible shape");
  std::vector<std::byte> out(*bytes);
  if (out.empty()) return out;

  // The innermost dimensions that already lie one after the other are copied as one block.
  std::size_t outer = view.shape.size();
  std::uint64_t block = 1;
  while (outer > 0 &&
         (view.shape[outer - 1] == 1 || static_cast<std::uint64_t>(view.strides[outer - 1]) == block)) {
    block *= static_cast<std::uint64_t>(view.shape[outer - 1]);
    --outer;
  }
  std::vector<std::int64_t> index(outer, 0);
  auto source = static_cast<std::uint64_t>(view.offset);
  for (std::size_t done = 0; done < out.size(); done += block * element) {
    std::memcpy(out.data() + done, storage.data() + source * element, block * element);
    for (std::size_t d = outer; d-- > 0;) {  // count up, last dimension fastest
      source += static_cast<std::uint64_t>(view.strides[d]);
      if (++index[d] < view.shape[d]) break;
      source -= static_cast<std::uint64_t>(view.strides[d]) * static_cast<std::uint64_t>(view.shape[d]);
      index[d] = 0;
    }
  }
  return out;
}

}  // namespace pmtr
