// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/search_pairs.h"

#include <gtest/gtest.h>

#include "pmtr/pose/pose_test_scene.h"

namespace pmtr {
namespace {

PairCandidates look(int a, int b, double confidence) {
  PairCandidates result{a, b, {}};
  result.poses.push_back({Rigid3{}, {}, confidence});
  return result;
}

TEST(Shortlist, each_fragment_keeps_its_best_and_what_is_sure) {
  // Fragment 3 has only bad partners; its best one is still searched.
  const std::vector<PairCandidates> looks = {look(0, 1, 0.9), look(0, 2, 0.01),  look(0, 3, 0.002),
                                             look(1, 2, 0.8), look(1, 3, 0.001), look(2, 3, 0.003)};
  PairSearchOptions options;
  options.partners = 1;
  options.promising = 0.5;
  const std::vector<bool> none(4, false);
  EXPECT_EQ(shortlist(looks, none, options), (std::vector<std::size_t>{0, 3, 5}));
  // Those that are held already need no partner; what is promising is searched all the same.
  EXPECT_EQ(shortlist(looks, {true, true, true, false}, options), (std::vector<std::size_t>{0, 3, 5}));
  EXPECT_EQ(shortlist(looks, {false, false, false, true}, options), (std::vector<std::size_t>{0, 3}));
  options.promising = 0.0;
  EXPECT_EQ(shortlist(looks, none, options).size(), 6U);
  // What the coarse search has settled is not searched again.
  options.accepted = 0.85;
  EXPECT_EQ(shortlist(looks, none, options).size(), 5U);
  options.promising = 1.0;
  options.exhaustive = true;
  EXPECT_EQ(shortlist(looks, none, options).size(), 6U);
}

TEST(Shortlist, grow_with_fragments_and_not_with_pairs) {
  for (const int n : {10, 20, 40}) {
    std::vector<PairCandidates> looks;
    Random random(static_cast<std::uint64_t>(n));
    for (const auto& [a, b] : all_pairs(n)) looks.push_back(look(a, b, 0.1 * random.uniform()));
    EXPECT_LE(shortlist(looks, std::vector<bool>(static_cast<std::size_t>(n), false), {}).size(),
              static_cast<std::size_t>(4 * n));
  }
}

TEST(SearchPairs, without_a_blind_search_only_hints_are_followed) {
  const test::BrokenBlock block(0.02, 0.02);
  const std::vector<OrientedCloud> clouds = {block.a(), block.b({}), block.a()};
  const PairSearchOptions options = PairSearchOptions{}.only_hints();
  EXPECT_FALSE(options.blind);
  const auto pairs = all_pairs(3);
  const std::vector<std::vector<Rigid3>> hints = {{Rigid3{}}, {}, {}};
  const PairSearch search = coarse_search(clouds, pairs, hints, options, Threads::none(), {});
  EXPECT_TRUE(search.shortlist.empty());
  EXPECT_GT(search.pairs[0].confidence(), 0.9);
  EXPECT_TRUE(search.pairs[2].poses.empty());  // it would be found, if one looked
  // The same in two steps, the first of them for one pair at a time.
  std::vector<PairCandidates> seen;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto one = look_at_hints(clouds, std::span(pairs).subspan(i, 1), std::span(hints).subspan(i, 1),
                                   options, Threads::none(), {});
    seen.insert(seen.end(), one.begin(), one.end());
  }
  const PairSearch again = coarse_search(clouds, pairs, hints, options, Threads::none(), {}, seen);
  ASSERT_EQ(again.pairs[0].poses.size(), search.pairs[0].poses.size());
  EXPECT_EQ(again.pairs[0].poses[0].a_from_b.rotation, search.pairs[0].poses[0].a_from_b.rotation);
  EXPECT_EQ(again.pairs[0].confidence(), search.pairs[0].confidence());
  const PairSearch alone =
      coarse_search(clouds, std::vector<std::pair<int, int>>{{1, 2}}, {}, options, Threads::none(), {});
  EXPECT_TRUE(alone.pairs[0].poses.empty() && alone.shortlist.empty());
}

TEST(SearchPairs, finds_the_pair_that_belongs_together) {
  const test::BrokenBlock block(0.02, 0.02);
  const test::BrokenBlock other(0.035, 0.0203);
  const Rigid3 b_from_world = test::some_motion(4);
  const std::vector<OrientedCloud> clouds = {other.a(), block.a(), block.b(b_from_world)};
  PairSearchOptions options;
  options.partners = 1;
  options.promising = 0.5;
  options.accepted = 1.0;  // so that the search has its say
  std::int64_t last = 0;
  std::vector<std::string> stages;
  Listener listener;
  listener.progress = [&](std::string_view stage, std::int64_t done, std::int64_t total) {
    if (stages.empty() || stages.back() != stage) stages.emplace_back(stage);
    last = done;
    EXPECT_LE(done, total);
  };
  const auto pairs = all_pairs(3);
  PairSearch search = coarse_search(clouds, pairs, {}, options, Threads::none(), listener);
  const std::vector<std::vector<Rigid3>> hints(pairs.size());
  search = full_search(clouds, std::move(search), hints, options, Threads::none(), listener);
  const std::vector<PairCandidates>& found = search.pairs;
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(stages, (std::vector<std::string>{"coarse search", "groups", "full search"}));
  EXPECT_EQ(last, static_cast<std::int64_t>(search.shortlist.size()));
  ASSERT_EQ(found[2].a, 1);
  ASSERT_FALSE(found[2].poses.empty());
  EXPECT_LT(test::degrees_between(found[2].poses[0].a_from_b, b_from_world.inverse()), 1.0);
  EXPECT_GT(found[2].poses[0].confidence, 0.8);
  for (const int i : {0, 1}) {
    const auto& poses = found[static_cast<std::size_t>(i)].poses;
    EXPECT_LT(poses.empty() ? 0.0 : poses[0].confidence, 0.5);
  }
}

TEST(SearchPairs, stops_when_asked) {
  const test::BrokenBlock block(0.02, 0.03);
  const std::vector<OrientedCloud> clouds = {block.a(), block.b({})};
  Listener listener;
  listener.cancelled = [] { return true; };
  PairSearch search = coarse_search(clouds, all_pairs(2), {}, {}, Threads::none(), listener);
  search = full_search(clouds, std::move(search), {}, {}, Threads::none(), listener);
  for (const PairCandidates& found : search.pairs) EXPECT_TRUE(found.poses.empty());
}

TEST(PairSearchOptions, are_checked) {
  EXPECT_TRUE(PairSearchOptions{}.validate().ok());
  PairSearchOptions options;
  options.partners = 0;
  EXPECT_FALSE(options.validate().ok());
  options = {};
  options.promising = 2.0;
  EXPECT_FALSE(options.validate().ok());
}

TEST(PoseSearchOptions, effort_follows_the_surfaces) {
  const test::BrokenBlock small(0.02, 0.04);
  const test::BrokenBlock large(0.02, 0.01);
  const PoseSearchOptions options;
  const PoseSearchOptions less = options.scaled_to(small.a(), small.b({}));
  const PoseSearchOptions more = options.scaled_to(large.a(), large.b({}));
  EXPECT_LT(less.point_pairs.draws, options.point_pairs.draws);
  EXPECT_LT(less.refined, options.refined);
  EXPECT_EQ(more.point_pairs.draws, options.point_pairs.draws);
  EXPECT_TRUE(less.validate().ok());
  EXPECT_TRUE(PoseSearchOptions::brief().validate().ok());
}

}  // namespace
}  // namespace pmtr
