// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstddef>
#include <cstdint>
#include <span>

#include "pmtr/core/check.h"
#include "pmtr/weights/safetensors.h"
#include "pmtr/weights/torch_file.h"

/// The zip file as a whole, without checksums. What can be read must be fit for our own format.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto weights =
      pmtr::parse_torch_file(std::as_bytes(std::span(data, size)), "fuzz", {.check_crc = false});
  if (!weights.ok()) return 0;
  const auto again = pmtr::parse_safetensors(pmtr::format_safetensors(*weights), "again");
  PMTR_CHECK(again.ok(), again.error().text());
  return 0;
}
