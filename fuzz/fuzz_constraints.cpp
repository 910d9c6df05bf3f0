// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "pmtr/assemble/constraints.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto constraints = pmtr::parse_constraints(text, "fuzz");
  if (!constraints.ok()) return 0;
  const std::string written = pmtr::format_constraints(*constraints);
  const auto again = pmtr::parse_constraints(written, "again");
  if (!again.ok() || pmtr::format_constraints(*again) != written) std::abort();
  return 0;
}
