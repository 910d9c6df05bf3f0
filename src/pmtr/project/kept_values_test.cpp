// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// What is kept comes back bit for bit; what is cut, damaged or cannot be is refused.
#include <limits>

#include <gmock/gmock.h>

#include "pmtr/project/kept_file.h"
#include "pmtr/project/project_test_values.h"

namespace pmtr {
namespace {

using test::some_candidates;
using test::some_fragment;
using test::some_matches;

TEST(KeptFragment, comes_back_bit_for_bit) {
  for (const std::size_t points : {std::size_t{1}, std::size_t{6}}) {
    const EncodedFragment fragment = some_fragment(points);
    const auto bytes = format_fragment(fragment);
    const auto again = parse_fragment(bytes, "one");
    ASSERT_TRUE(again.ok()) << again.error().text();
    EXPECT_EQ(format_fragment(*again), bytes);
    EXPECT_EQ(again->clouds.dense.points, fragment.clouds.dense.points);
    EXPECT_EQ(again->clouds.cloud.normals, fragment.clouds.cloud.normals);
    EXPECT_EQ(again->clouds.faces, fragment.clouds.faces);
    EXPECT_EQ(again->clouds.area, fragment.clouds.area);
    EXPECT_EQ(again->clouds.centre, fragment.clouds.centre);
    EXPECT_EQ(again->clouds.unit, fragment.clouds.unit);
    EXPECT_EQ(again->features.points, fragment.features.points);
    EXPECT_EQ(again->features.superpoints, fragment.features.superpoints);
    EXPECT_EQ(again->features.fracture, fragment.features.fracture);
    EXPECT_EQ(again->features.patches.offsets, fragment.features.patches.offsets);
    EXPECT_EQ(again->features.patches.points, fragment.features.patches.points);
    EXPECT_EQ(again->features.as_source.fine.values, fragment.features.as_source.fine.values);
    EXPECT_EQ(again->features.as_target.coarse.values, fragment.features.as_target.coarse.values);
    ASSERT_EQ(again->features.breaks.points.size(), points);
    EXPECT_EQ(again->features.breaks.points.back().x, fragment.features.breaks.points.back().x);
    EXPECT_EQ(again->features.breaks.points.back().has_x, fragment.features.breaks.points.back().has_x);
    EXPECT_EQ(again->features.breaks.support_rim, fragment.features.breaks.support_rim);
    EXPECT_EQ(again->features.breaks.diameter, fragment.features.breaks.diameter);
  }
}

TEST(KeptFragment, without_a_break_comes_back) {
  EncodedFragment fragment = some_fragment();
  const std::vector<float> fracture = fragment.features.fracture;
  fragment.features = {};
  fragment.features.fracture = fracture;
  const auto again = parse_fragment(format_fragment(fragment), "one");
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_TRUE(again->features.points.empty());
  EXPECT_EQ(again->features.fracture, fracture);
}

TEST(KeptFragment, cut_anywhere_is_refused) {
  const auto bytes = format_fragment(some_fragment());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_FALSE(parse_fragment(std::span(bytes).first(size), "cut").ok()) << size;
  // The same without a checksum, which would find all of these.
  const auto body = std::span(bytes).subspan(kept_head);
  for (std::size_t size = 0; size < body.size(); ++size)
    ASSERT_FALSE(parse_fragment_body(body.first(size), "cut").ok()) << size;
  std::vector<std::byte> longer(body.begin(), body.end());
  longer.push_back(std::byte{0});
  EXPECT_FALSE(parse_fragment_body(longer, "longer").ok());
}

TEST(KeptFragment, with_a_wrong_bit_is_refused) {
  const auto bytes = format_fragment(some_fragment());
  for (std::size_t i = 0; i < bytes.size(); i += 11) {
    auto damaged = bytes;
    damaged[i] ^= std::byte{4};
    ASSERT_FALSE(parse_fragment(damaged, "damaged").ok()) << i;
  }
}

TEST(KeptFragment, whose_lists_do_not_belong_together_is_refused) {
  const auto body_of = [](const EncodedFragment& fragment) {
    const auto bytes = format_fragment(fragment);
    return std::vector<std::byte>(bytes.begin() + kept_head, bytes.end());
  };
  // A count of 2^60 points where there are 12: nothing of that size is allocated.
  auto body = body_of(some_fragment());
  body[7] = std::byte{0x10};
  const auto promised = parse_fragment_body(body, "promised");
  ASSERT_FALSE(promised.ok());
  EXPECT_EQ(promised.error().cause, Cause::malformed);
  // A coordinate that is no number.
  body = body_of(some_fragment());
  for (std::size_t i = 8; i < 12; ++i) body[i] = std::byte{0xff};
  EXPECT_FALSE(parse_fragment_body(body, "nan").ok());
}

TEST(KeptPairs, come_back_bit_for_bit) {
  const auto matches = parse_matches(format_matches(some_matches()), "matches");
  ASSERT_TRUE(matches.ok()) << matches.error().text();
  ASSERT_EQ(matches->size(), 2U);
  EXPECT_EQ((*matches)[0].mutual[1].a, 7);
  EXPECT_EQ((*matches)[0].mutual[2].distance, 0.75F);
  EXPECT_EQ((*matches)[0].poses[1].a_from_b.rotation, some_matches()[0].poses[1].a_from_b.rotation);
  EXPECT_EQ((*matches)[0].poses[0].agreeing, some_matches()[0].poses[0].agreeing);
  EXPECT_EQ(format_matches(*matches), format_matches(some_matches()));

  const std::vector<KeptScore> scores = {{0, 1, 1.0 / 3.0, true}, {0, 2, 0.0, false}};
  const auto again = parse_scores(format_scores(scores), "scores");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ((*again)[0].score, 1.0 / 3.0);
  EXPECT_TRUE((*again)[0].compared);
  EXPECT_FALSE((*again)[1].compared);

  const auto candidates = parse_candidates(format_candidates(some_candidates()), "candidates");
  ASSERT_TRUE(candidates.ok());
  const JointEvidence& evidence = (*candidates)[0].poses[0].evidence;
  const JointEvidence expected = some_candidates()[0].poses[0].evidence;
  EXPECT_EQ(evidence.contact_points, expected.contact_points);
  EXPECT_EQ(evidence.border_points, expected.border_points);
  EXPECT_EQ(evidence.border_step, expected.border_step);
  EXPECT_EQ(evidence.penetration_depth, expected.penetration_depth);
  EXPECT_EQ(format_candidates(*candidates), format_candidates(some_candidates()));
}

TEST(KeptPairs, cut_or_of_another_kind_are_refused) {
  const auto bytes = format_matches(some_matches());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    ASSERT_FALSE(parse_matches(std::span(bytes).first(size), "cut").ok()) << size;
  const auto other = parse_scores(bytes, "matches");
  ASSERT_FALSE(other.ok());
  EXPECT_EQ(other.error().cause, Cause::mismatch);
}

TEST(KeptPairs, that_cannot_be_are_refused) {
  std::vector<KeptMatches> matches = some_matches();
  matches[0].mutual[0].a = -1;
  EXPECT_FALSE(parse_matches(format_matches(matches), "negative").ok());
  matches = some_matches();
  matches[0].poses[0].agreeing[0] = 3;
  EXPECT_FALSE(parse_matches(format_matches(matches), "beyond").ok());
  matches = some_matches();
  matches[0].poses[0].a_from_b.translation.x() = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(parse_matches(format_matches(matches), "infinite").ok());
}

}  // namespace
}  // namespace pmtr
