// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "pmtr/core/check.h"
#include "pmtr/formats/npy_array.h"

/// What is accepted has the bytes that its shape says, and every element can be taken.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto array = pmtr::parse_npy(std::as_bytes(std::span(data, size)), "fuzz");
  if (!array.ok()) return 0;
  PMTR_CHECK(array->item_size > 0, "elements of no size");
  PMTR_CHECK(array->data.size() % array->item_size == 0, "half an element");
  const std::size_t count = std::min<std::size_t>(array->data.size() / array->item_size, 1000);
  double sum = 0.0;
  std::size_t letters = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (array->kind == 'U') {
      letters += array->text(i).size();
    } else {
      sum += array->number(i);
    }
  }
  return letters > size || (sum > 0.0 && count == 0) ? -1 : 0;
}
