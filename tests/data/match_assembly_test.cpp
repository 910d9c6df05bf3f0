// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstdio>

#include <gtest/gtest.h>

#include "pmtr/assemble/solve_joints.h"
#include "pmtr/averaging/components.h"
#include "pmtr/fracture/shapes/shapes.h"
#include "pmtr/fracture/write_object.h"
#include "support/data_folder.h"
#include "support/repeats.h"
#include "support/scattered_object.h"
#include "support/temporary_folder.h"

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
  test::for_broken_things(objects, test::repeats(50), 2, 8, 20000, 41,
                          [&](const BrokenThing& thing, std::size_t number) {
                            ++total;
                            for (Level& level : levels) {
                              const auto joints = test::joints_by_matches(thing, level.wrong, number);
                              const auto assembly = solve_joints(thing.shapes(), joints, 1.0, {});
                              ASSERT_TRUE(assembly.ok());
                              level.complete += all_right(thing, *assembly, thing.pieces.size()) ? 1 : 0;
                            }
                          });
  for (const Level& level : levels) {
    std::printf("  %.0f %% wrong: %d of %d complete\n", 100.0 * level.wrong, level.complete, total);
    EXPECT_GE(level.complete, level.least * total);
  }
}

using Objects = std::vector<std::vector<std::filesystem::path>>;

struct Count {
  int good = 0;
  int complete = 0;
  int total = 0;
};

/// The smallest piece is lost: without a large one others may touch nothing any more.
Count lose_a_piece(const Objects& objects, int count, std::uint64_t seed) {
  Count result;
  test::for_broken_things(objects, count, 8, 8, 20000, seed,
                          [&](const BrokenThing& thing, std::size_t number) {
                            std::size_t lost = 0;
                            for (std::size_t i = 0; i < thing.pieces.size(); ++i)
                              lost = thing.pieces[i].area < thing.pieces[lost].area ? i : lost;
                            if (!connected_without(thing, lost)) return;
                            auto joints = test::joints_by_matches(thing, 0.2, number);
                            std::erase_if(joints, [&](const Joint& joint) {
                              return joint.a == static_cast<int>(lost) || joint.b == static_cast<int>(lost);
                            });
                            const auto assembly = solve_joints(thing.shapes(), joints, 1.0, {});
                            ASSERT_TRUE(assembly.ok());
                            result.good += assembly->parts[lost].placed ? 0 : 1;
                            result.complete += all_right(thing, *assembly, lost) ? 1 : 0;
                            ++result.total;
                          });
  std::printf("  others complete in %d of %d\n", result.complete, result.total);
  return result;
}

/// The largest piece of the object before lies among the pieces of each.
Count add_a_stranger(const Objects& objects, int count, std::uint64_t seed) {
  Count result;
  BrokenThing before;
  test::for_broken_things(objects, count, 8, 8, 20000, seed, [&](const BrokenThing& own, std::size_t number) {
    if (before.pieces.empty()) {
      before = own;
      return;
    }
    BrokenThing thing = own;
    test::add_foreign_piece(before, thing);
    before = own;
    const std::size_t foreign = thing.pieces.size() - 1;
    const auto assembly = solve_joints(thing.shapes(), test::joints_by_matches(thing, 0.5, number), 1.0, {});
    ASSERT_TRUE(assembly.ok());
    result.good += assembly->parts[foreign].placed ? 0 : 1;
    result.complete += all_right(thing, *assembly, foreign) ? 1 : 0;
    ++result.total;
  });
  std::printf("  left out %d, others complete %d of %d\n", result.good, result.complete, result.total);
  return result;
}

TEST(MatchAssembly, a_missing_piece_leaves_the_others_in_place) {
  PMTR_REQUIRE_DATA();
  const Count count =
      lose_a_piece(test::fractures_by_object(test::fractures_folder()), test::repeats(20), 42);
  EXPECT_GE(count.total, test::repeats(12));
  EXPECT_EQ(count.good, count.total);
  EXPECT_GE(count.complete, 0.95 * count.total);
}

TEST(MatchAssembly, a_foreign_piece_is_left_out) {
  PMTR_REQUIRE_DATA();
  const Count count =
      add_a_stranger(test::fractures_by_object(test::fractures_folder()), test::repeats(21), 43);
  EXPECT_GE(count.good, 0.95 * count.total);
  EXPECT_GE(count.complete, 0.9 * count.total);
}

/// Objects of our own, broken by our own generator: no dataset is needed.
class GeneratedObjects : public testing::Test {
 protected:
  Objects broken_in_eight(int count) const {
    for (int i = 0; i < count; ++i) {
      const Shape shape = first_shapes[static_cast<std::size_t>(i) % first_shapes.size()];
      ShapeOptions form;
      form.seed = static_cast<std::uint64_t>(i);
      form.around = 48;
      const auto mesh = make_shape(shape, form);
      FractureOptions options;
      options.seed = static_cast<std::uint64_t>(100 + i);
      const auto object = mesh.ok() ? fracture_mesh(*mesh, options) : Result<FracturedObject>(mesh.error());
      EXPECT_TRUE(object.ok());
      if (!object.ok()) continue;
      const std::string name = std::string(shape_name(shape)) + std::to_string(i);
      EXPECT_TRUE(write_object(folder_ / name / "fractured_0", *object, {}).ok());
    }
    return test::fractures_by_object(folder_ / ".");
  }

  test::TemporaryFolder folder_;
};

TEST_F(GeneratedObjects, withstand_a_missing_and_a_foreign_piece) {
  const int count = test::repeats(22);
  const Objects objects = broken_in_eight(count);
  const Count lost = lose_a_piece(objects, count, 44);
  EXPECT_GE(lost.total, test::repeats(12));
  EXPECT_EQ(lost.good, lost.total);
  EXPECT_GE(lost.complete, 0.95 * lost.total);
  const Count strange = add_a_stranger(objects, count, 45);
  EXPECT_GE(strange.total, count - 2);
  EXPECT_GE(strange.good, 0.95 * strange.total);
  EXPECT_GE(strange.complete, 0.9 * strange.total);
}

}  // namespace
}  // namespace pmtr
