// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstddef>
#include <cstdint>
#include <span>

#include "pmtr/core/check.h"
#include "pmtr/dataset/cached_object.h"

/// What can be read must survive being written and read again. The input is what follows the checksum.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto cached = pmtr::parse_cached_body(std::as_bytes(std::span(data, size)), "fuzz");
  if (!cached.ok()) return 0;
  const auto bytes = pmtr::format_cached_object(cached->object, cached->stamp);
  const auto again = pmtr::parse_cached_object(bytes, "again");
  PMTR_CHECK(again.ok(), again.error().text());
  PMTR_CHECK(pmtr::format_cached_object(again->object, again->stamp) == bytes, "written twice, different");
  return 0;
}
