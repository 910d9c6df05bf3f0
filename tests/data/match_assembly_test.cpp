// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstdio>

#include <gtest/gtest.h>

#include "pmtr/assemble/assemble_many.h"
#include "pmtr/assemble/components.h"
#include "support/data_folder.h"
#include "support/scattered_object.h"

namespace pmtr {
namespace {

using test::BrokenThing;

bool all_right(const BrokenThing& thing, const Assembly& assembly, std::size_t but) {
  const auto right = thing.right(assembly);
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (i != but && !right[i]) return false;
  }
  return true;
}

/// Do all pieces hang together without this one? Otherwise nothing could tell where the rest belongs.
bool connected_without(const BrokenThing& thing, std::size_t lost) {
  DisjointSets sets(static_cast<int>(thing.pieces.size()));
  std::size_t joined = 0;
  for (std::size_t i = 0; i < thing.pieces.size(); ++i) {
    for (const std::int32_t p : thing.pieces[i].partner) {
      if (p < 0 || i == lost || p == static_cast<std::int32_t>(lost)) continue;
      joined += sets.join(static_cast<int>(i), p) ? 1U : 0U;
    }
  }
  return joined + 2 == thing.pieces.size();
}

/// Perfect matches, some replaced by random ones, on real fractures of 2 to 8 parts: what comes after the
/// network must not be what limits the whole.
TEST(MatchAssembly, wrong_matches_are_survived) {
  PMTR_REQUIRE_DATA();
  const auto objects = test::fractures_by_object(test::fractures_folder());
  struct Level {
    double wrong = 0.0, least = 0.0;
    int complete = 0;
  };
  std::vector<Level> levels = {{0.0, 0.99}, {0.2, 0.99}, {0.5, 0.95}, {0.8, 0.80}};
  int total = 0;
  test::for_broken_things(objects, 50, 2, 8, 20000, 41, [&](const BrokenThing& thing, std::size_t number) {
    ++total;
    for (Level& level : levels) {
      const auto joints = test::joints_by_matches(thing, level.wrong, number);
      const auto assembly = assemble_many(thing.shapes(), joints, 1.0, {});
      ASSERT_TRUE(assembly.ok());
      level.complete += all_right(thing, *assembly, thing.pieces.size()) ? 1 : 0;
    }
  });
  for (const Level& level : levels) {
    std::printf("  %.0f %% wrong: %d of %d complete\n", 100.0 * level.wrong, level.complete, total);
    EXPECT_GE(level.complete, level.least * total);
  }
}

TEST(MatchAssembly, a_missing_piece_leaves_the_others_in_place) {
  PMTR_REQUIRE_DATA();
  const auto objects = test::fractures_by_object(test::fractures_folder());
  int placed = 0;
  int total = 0;
  test::for_broken_things(objects, 20, 8, 8, 20000, 42, [&](const BrokenThing& thing, std::size_t number) {
    // The smallest piece is lost: without a large one others may touch nothing any more.
    std::size_t lost = 0;
    for (std::size_t i = 0; i < thing.pieces.size(); ++i)
      lost = thing.pieces[i].area < thing.pieces[lost].area ? i : lost;
    if (!connected_without(thing, lost)) return;
    auto joints = test::joints_by_matches(thing, 0.2, number);
    std::erase_if(joints, [&](const Joint& joint) {
      return joint.a == static_cast<int>(lost) || joint.b == static_cast<int>(lost);
    });
    const auto assembly = assemble_many(thing.shapes(), joints, 1.0, {});
    ASSERT_TRUE(assembly.ok());
    EXPECT_FALSE(assembly->parts[lost].placed);
    placed += all_right(thing, *assembly, lost) ? 1 : 0;
    ++total;
  });
  std::printf("  others complete in %d of %d\n", placed, total);
  EXPECT_GE(total, 12);
  EXPECT_GE(placed, 0.95 * total);
}

TEST(MatchAssembly, a_foreign_piece_is_left_out) {
  PMTR_REQUIRE_DATA();
  const auto objects = test::fractures_by_object(test::fractures_folder());
  int left_out = 0;
  int complete = 0;
  int total = 0;
  BrokenThing before;
  test::for_broken_things(objects, 21, 8, 8, 20000, 43, [&](const BrokenThing& own, std::size_t number) {
    if (before.pieces.empty()) {
      before = own;
      return;
    }
    BrokenThing thing = own;
    test::add_foreign_piece(before, thing);
    before = own;
    const std::size_t foreign = thing.pieces.size() - 1;
    const auto assembly = assemble_many(thing.shapes(), test::joints_by_matches(thing, 0.5, number), 1.0, {});
    ASSERT_TRUE(assembly.ok());
    left_out += assembly->parts[foreign].placed ? 0 : 1;
    complete += all_right(thing, *assembly, foreign) ? 1 : 0;
    ++total;
  });
  std::printf("  left out %d, others complete %d of %d\n", left_out, complete, total);
  EXPECT_GE(left_out, 0.95 * total);
  EXPECT_GE(complete, 0.9 * total);
}

}  // namespace
}  // namespace pmtr
