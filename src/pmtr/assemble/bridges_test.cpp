// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/bridges.h"

#include <gtest/gtest.h>

namespace pmtr {
namespace {

TEST(BridgeSides, are_what_a_single_joint_holds) {
  Assembly assembly;
  assembly.parts.resize(7);
  const auto join = [&](int a, int b, bool used) {
    Joint joint;
    joint.a = a;
    joint.b = b;
    joint.used = used;
    assembly.joints.push_back(joint);
  };
  // A triangle, a tail of two at its corner, and a pair that two joints hold.
  join(0, 1, true);
  join(1, 2, true);
  join(2, 0, true);
  join(2, 3, true);
  join(4, 3, true);
  join(5, 6, true);
  join(6, 5, true);
  join(0, 4, false);
  const std::vector<std::vector<int>> expected = {{3, 4}, {4}, {6}};
  EXPECT_EQ(bridge_sides(assembly), expected);
}

}  // namespace
}  // namespace pmtr
