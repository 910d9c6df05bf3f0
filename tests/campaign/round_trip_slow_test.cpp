// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The same with many more; PMTR_ROUND_TRIPS says how many, PMTR_ROUND_SEED where the seeds begin.
#include <cstdlib>

#include "round_trip.h"

namespace pmtr::test {
namespace {

int from_environment(const char* name, int otherwise) {
  const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread
  return text == nullptr ? otherwise : std::stoi(text);
}

TEST(ManyRoundTripsOfStrangeMeshes, end_in_a_sentence_or_in_numbers) {
  expect_round_trips(static_cast<std::uint64_t>(from_environment("PMTR_ROUND_SEED", 1000)),
                     from_environment("PMTR_ROUND_TRIPS", 1000));
}

}  // namespace
}  // namespace pmtr::test
