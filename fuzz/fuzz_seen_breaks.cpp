// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "pmtr/core/check.h"
#include "pmtr/core/stable_hash.h"
#include "pmtr/report/record/seen_breaks.h"

/// The input is what follows the head of a breaks.bin; the head, with its checksum, is made here.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> file = pmtr::format_seen_breaks({});
  constexpr std::size_t head = 20;
  constexpr std::size_t sum_at = 12;
  file.resize(head);
  const auto body = std::as_bytes(std::span(data, size));
  pmtr::StableHash hash;
  hash.add(body);
  const std::uint64_t sum = hash.value();
  std::memcpy(file.data() + sum_at, &sum, sizeof sum);
  file.insert(file.end(), body.begin(), body.end());
  const auto seen = pmtr::parse_seen_breaks(file, "fuzz");
  if (!seen.ok()) return 0;
  const auto again = pmtr::parse_seen_breaks(pmtr::format_seen_breaks(*seen), "again");
  PMTR_CHECK(again.ok(), again.error().text());
  PMTR_CHECK(again->surfaces.size() == seen->surfaces.size() && again->pairs.size() == seen->pairs.size(),
             "written twice, different");
  return 0;
}
