// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "pmtr/core/check.h"
#include "pmtr/weights/pickle.h"
#include "pmtr/weights/safetensors.h"
#include "pmtr/weights/state_dict.h"

/// The pickle alone: inside a zip file a mutation of its length would break the directory. Every storage
/// has the same few bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto pickle = pmtr::parse_pickle(std::as_bytes(std::span(data, size)), "fuzz");
  if (!pickle.ok()) return 0;
  static const std::array<std::byte, 64> storage{};
  const pmtr::StorageReader read_storage =
      [](const std::string&) -> pmtr::Result<std::span<const std::byte>> {
    return std::span<const std::byte>(storage);
  };
  pmtr::WeightFile weights;
  auto arrays = pmtr::read_state_dict(*pickle, read_storage, 1U << 20U, "fuzz");
  if (!arrays.ok()) return 0;
  weights.arrays = *std::move(arrays);
  const auto again = pmtr::parse_safetensors(pmtr::format_safetensors(weights), "again");
  PMTR_CHECK(again.ok(), again.error().text());
  return 0;
}
