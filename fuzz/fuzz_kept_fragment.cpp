// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstddef>
#include <cstdint>
#include <span>

#include "pmtr/core/check.h"
#include "pmtr/project/kept_fragment.h"

/// What can be read must survive being written and read again. The input is what follows the head.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto fragment = pmtr::parse_fragment_body(std::as_bytes(std::span(data, size)), "fuzz");
  if (!fragment.ok()) return 0;
  const auto bytes = pmtr::format_fragment(*fragment);
  const auto again = pmtr::parse_fragment(bytes, "again");
  PMTR_CHECK(again.ok(), again.error().text());
  PMTR_CHECK(pmtr::format_fragment(*again) == bytes, "written twice, different");
  return 0;
}
