// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstddef>
#include <cstdint>
#include <string>

#include "pmtr/core/check.h"
#include "pmtr/network/network_options.h"

/// The description of the network in a weight file: what is accepted is valid, and survives being written.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto options = pmtr::network_options_from_json(text, "fuzz");
  if (!options.ok()) return 0;
  const std::string written = pmtr::to_json(*options);
  const auto again = pmtr::network_options_from_json(written, "again");
  PMTR_CHECK(again.ok(), again.error().text());
  PMTR_CHECK(pmtr::to_json(*again) == written, "written twice, different");
  return 0;
}
