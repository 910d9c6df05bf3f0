// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstddef>
#include <cstdint>
#include <span>

#include "pmtr/core/check.h"
#include "pmtr/project/kept_file.h"
#include "pmtr/project/kept_pairs.h"

namespace {

template <class Parse, class Format>
void round_trip(pmtr::KeptKind kind, std::span<const std::byte> body, const Parse& parse,
                const Format& format) {
  const auto pairs = parse(pmtr::seal_kept(kind, body), "fuzz");
  if (!pairs.ok()) return;
  const auto bytes = format(*pairs);
  const auto again = parse(bytes, "again");
  PMTR_CHECK(again.ok(), again.error().text());
  PMTR_CHECK(format(*again) == bytes, "written twice, different");
}

}  // namespace

/// The three kinds of lists of pairs and what one search found: the input is the body of a file whose head is
/// right.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto body = std::as_bytes(std::span(data, size));
  round_trip(pmtr::KeptKind::matches, body, pmtr::parse_matches,
             [](const auto& pairs) { return pmtr::format_matches(pairs); });
  round_trip(pmtr::KeptKind::scores, body, pmtr::parse_scores,
             [](const auto& pairs) { return pmtr::format_scores(pairs); });
  round_trip(pmtr::KeptKind::candidates, body, pmtr::parse_candidates,
             [](const auto& pairs) { return pmtr::format_candidates(pairs); });
  round_trip(pmtr::KeptKind::search, body, pmtr::parse_search,
             [](const auto& search) { return pmtr::format_search(search); });
  return 0;
}
