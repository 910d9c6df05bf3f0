// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/known_searches.h"

#include <map>
#include <mutex>
#include <tuple>

#include <gtest/gtest.h>

#include "pmtr/pose/pose_test_scene.h"
#include "pmtr/pose/search_pairs.h"

namespace pmtr {
namespace {

/// In memory, by the digests, the number of hints and the effort.
class Remembered final : public KnownSearches {
 public:
  std::vector<PoseCandidate> find(std::uint64_t a, std::uint64_t b, std::span<const Rigid3> hints,
                                  const PoseSearchOptions& options, const Search& search) override {
    const std::lock_guard lock(mutex_);
    const auto [at, is_new] = known_.try_emplace({a, b, hints.size(), options.verified});
    made += is_new ? 1 : 0;
    if (is_new) at->second = search();
    return at->second;
  }
  int made = 0;

 private:
  std::mutex mutex_;
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::size_t, int>, std::vector<PoseCandidate>> known_;
};

TEST(SearchDigest, tells_clouds_apart_by_whatever_a_search_reads) {
  const test::BrokenBlock block(0.02, 0.02);
  const OrientedCloud cloud = block.a();
  EXPECT_EQ(search_digest(cloud), search_digest(block.a()));
  std::vector<OrientedCloud> others(10, cloud);
  others[0].points[3].position.x() += 1e-6F;
  others[1].points[3].normal = -others[1].points[3].normal;
  others[2].points.pop_back();
  others[3].fracture[0].score *= 0.5F;
  others[4].fracture.pop_back();
  others[5].border[0].outer_normal *= -1.0F;
  others[6].near_border[0] ^= 1U;
  others[7].spacing *= 1.01F;
  others[8].centre.y() += 1e-9;
  others[9].covariance(1, 1) += 1e-9;
  for (const OrientedCloud& other : others) EXPECT_NE(search_digest(other), search_digest(cloud));
}

TEST(SearchPairs, what_is_known_is_not_searched_again_and_changes_nothing) {
  const test::BrokenBlock block(0.02, 0.02);
  const std::vector<OrientedCloud> clouds = {block.a(), block.b({}), block.a()};
  const std::vector<std::vector<Rigid3>> hints = {{Rigid3{}}, {}, {}};
  const auto search = [&](KnownSearches* known) {
    PairSearchOptions options;
    options.full = PoseSearchOptions::brief();
    options.known = known;
    PairSearch found = coarse_search(clouds, all_pairs(3), hints, options, Threads::none(), {});
    return full_search(clouds, std::move(found), hints, options, Threads::none(), {});
  };
  Remembered known;
  const PairSearch plain = search(nullptr);
  const PairSearch first = search(&known);
  const int made = known.made;
  EXPECT_GT(made, 0);
  const PairSearch second = search(&known);
  EXPECT_EQ(known.made, made);
  for (const PairSearch* other : {&first, &second}) {
    EXPECT_EQ(other->shortlist, plain.shortlist);
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_EQ(other->pairs[i].poses.size(), plain.pairs[i].poses.size());
      for (std::size_t k = 0; k < plain.pairs[i].poses.size(); ++k)
        EXPECT_EQ(other->pairs[i].poses[k].a_from_b.matrix(), plain.pairs[i].poses[k].a_from_b.matrix());
    }
  }
}

}  // namespace
}  // namespace pmtr
