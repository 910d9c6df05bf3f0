// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstddef>
#include <cstdint>
#include <span>

#include "pmtr/core/check.h"
#include "pmtr/weights/safetensors.h"

/// What can be read must survive being written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto weights = pmtr::parse_safetensors(std::as_bytes(std::span(data, size)), "fuzz");
  if (!weights.ok()) return 0;
  for (const pmtr::NamedArray& array : weights->arrays) (void)array.to_float();
  const auto bytes = pmtr::format_safetensors(*weights);
  const auto again = pmtr::parse_safetensors(bytes, "again");
  PMTR_CHECK(again.ok(), again.error().text());
  PMTR_CHECK(pmtr::format_safetensors(*again) == bytes, "written twice, different");
  return 0;
}
