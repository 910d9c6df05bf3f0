// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "round_trip.h"

namespace pmtr::test {
namespace {

TEST(RoundTripOfStrangeMeshes, ends_in_a_sentence_or_in_numbers) { expect_round_trips(1, 2 * strange_kinds); }

}  // namespace
}  // namespace pmtr::test
