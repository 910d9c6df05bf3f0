// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/record/seen_breaks.h"

#include <gtest/gtest.h>

#include "pmtr/core/random.h"

namespace pmtr {
namespace {

SeenBreaks some_breaks() {
  Random random(3);
  SeenBreaks seen;
  seen.unit = 240.0;
  for (int i = 0; i < 2; ++i) {
    SeenSurface surface;
    surface.area = 0.3;
    surface.centre = {4e6, 5e6, 200};
    for (int k = 0; k < 500; ++k) {
      surface.cloud.points.emplace_back(static_cast<float>(random.uniform(-0.2, 0.3)),
                                        static_cast<float>(random.uniform(-0.1, 0.1)), 0.0F);
      surface.cloud.normals.push_back(
          Eigen::Vector3d(random.normal(), random.normal(), random.normal()).normalized().cast<float>());
      surface.broken.push_back(static_cast<float>(random.uniform(0, 1)));
    }
    seen.surfaces.push_back(std::move(surface));
  }
  seen.pairs.push_back({1, 0, {{{1, 2, 3}, {4, 5, 6}}, {{7, 8, 9}, {10, 11, 12}}}});
  return seen;
}

TEST(SeenBreaks, come_back_finer_than_the_points_are_apart) {
  const SeenBreaks seen = some_breaks();
  const std::vector<std::byte> bytes = format_seen_breaks(seen);
  EXPECT_LT(bytes.size(), 2 * 500 * 13 + 300U);
  const auto back = parse_seen_breaks(bytes, "breaks.bin");
  ASSERT_TRUE(back.ok()) << back.error().text();
  EXPECT_EQ(back->unit, 240.0);
  ASSERT_EQ(back->surfaces.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    const SeenSurface &was = seen.surfaces[i], &is = back->surfaces[i];
    EXPECT_EQ(is.area, was.area);
    EXPECT_EQ(is.centre, was.centre);
    ASSERT_EQ(is.cloud.points.size(), 500U);
    for (std::size_t k = 0; k < 500; ++k) {
      EXPECT_LT((is.cloud.points[k] - was.cloud.points[k]).norm(), 1e-5F);
      EXPECT_LT((is.cloud.normals[k] - was.cloud.normals[k]).norm(), 1e-4F);
      EXPECT_NEAR(is.broken[k], was.broken[k], 0.002F);
    }
  }
  ASSERT_EQ(back->pairs.size(), 1U);
  EXPECT_EQ(back->pairs[0].a, 1);
  ASSERT_EQ(back->pairs[0].matches.size(), 2U);
  EXPECT_EQ(back->pairs[0].matches[1].in_b, Eigen::Vector3f(10, 11, 12));
  // Written again they are the same: a result that is solved again keeps its breaks.
  EXPECT_EQ(format_seen_breaks(*back), format_seen_breaks(*parse_seen_breaks(format_seen_breaks(*back), "")));
}

TEST(SeenBreaks, damaged_ones_are_refused_by_name) {
  const std::vector<std::byte> good = format_seen_breaks(some_breaks());
  for (const std::size_t cut :
       {std::size_t{0}, std::size_t{7}, std::size_t{19}, good.size() / 2, good.size() - 1}) {
    const auto bad = parse_seen_breaks(std::span(good).first(cut), "breaks.bin");
    ASSERT_FALSE(bad.ok()) << cut;
    EXPECT_NE(bad.error().text().find("breaks.bin"), std::string::npos);
  }
  for (const std::size_t place : {std::size_t{0}, std::size_t{9}, std::size_t{40}, good.size() - 2}) {
    std::vector<std::byte> changed = good;
    changed[place] ^= std::byte{0x40};
    EXPECT_FALSE(parse_seen_breaks(changed, "breaks.bin").ok()) << place;
  }
  std::vector<std::byte> longer = good;
  longer.push_back(std::byte{0});
  EXPECT_FALSE(parse_seen_breaks(longer, "breaks.bin").ok());
}

}  // namespace
}  // namespace pmtr
