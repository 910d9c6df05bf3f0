// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pmtr/core/check.h"
#include "pmtr/train/config.h"

/// A TOML configuration: what is accepted is valid, and survives being written.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = pmtr::parse_config(text, "fuzz");
  if (!config.ok()) return 0;
  PMTR_CHECK(config->validate().ok(), "not valid");
  const std::string written = pmtr::to_toml(*config);
  const auto again = pmtr::parse_config(written, "again");
  PMTR_CHECK(again.ok(), again.error().text());
  PMTR_CHECK(pmtr::to_toml(*again) == written, "written twice, different");
  return 0;
}
