// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pmtr/core/check.h"
#include "pmtr/project/project.h"

/// What can be read must survive being written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto project = pmtr::parse_project({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!project.ok()) return 0;
  const auto text = pmtr::format_project(*project);
  const auto again = pmtr::parse_project(text, "again");
  PMTR_CHECK(again.ok(), again.error().text());
  PMTR_CHECK(pmtr::format_project(*again) == text, "written twice, different");
  return 0;
}
