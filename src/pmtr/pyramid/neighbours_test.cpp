// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pyramid/neighbours.h"

#include <algorithm>
#include <utility>

#include <gmock/gmock.h>

#include "pmtr/core/random.h"

namespace pmtr {
namespace {

using Cloud = std::vector<Eigen::Vector3f>;

Cloud random_cloud(Random& random, std::size_t n, float side = 1.0F) {
  Cloud cloud(n);
  for (auto& p : cloud) {
    for (int i = 0; i < 3; ++i) p[i] = side * static_cast<float>(random.uniform());
  }
  return cloud;
}

// Squares and sums in the order the contract of exact equality needs.
float squared_distance(const Eigen::Vector3f& a, const Eigen::Vector3f& b) {
  const Eigen::Vector3f d = b - a;
  return d.x() * d.x() + d.y() * d.y() + d.z() * d.z();
}

NeighbourTable brute_force(const Cloud& queries, const Cloud& supports, float radius, std::size_t limit) {
  std::vector<std::vector<std::int32_t>> rows;
  std::size_t width = 0;
  for (const auto& q : queries) {
    std::vector<std::pair<float, std::int32_t>> found;
    for (std::size_t i = 0; i < supports.size(); ++i) {
      const float d = squared_distance(q, supports[i]);
      if (d < radius * radius) found.emplace_back(d, static_cast<std::int32_t>(i));
    }
    std::sort(found.begin(), found.end());
    found.resize(std::min(found.size(), limit));
    auto& row = rows.emplace_back();
    for (const auto& entry : found) row.push_back(entry.second);
    width = std::max(width, row.size());
  }
  NeighbourTable table;
  table.rows = static_cast<std::int64_t>(rows.size());
  table.width = static_cast<std::int64_t>(width);
  for (auto& row : rows) {
    row.resize(width, static_cast<std::int32_t>(supports.size()));
    table.index.insert(table.index.end(), row.begin(), row.end());
  }
  return table;
}

void expect_equal(const NeighbourTable& ours, const NeighbourTable& expected) {
  EXPECT_EQ(ours.rows, expected.rows);
  EXPECT_EQ(ours.width, expected.width);
  EXPECT_TRUE(ours.index == expected.index);
}

void compare(const Cloud& queries, const Cloud& supports, float radius, int limit) {
  SCOPED_TRACE(testing::Message() << queries.size() << " queries, " << supports.size() << " supports, radius "
                                  << radius << ", limit " << limit);
  const auto expected = brute_force(queries, supports, radius, static_cast<std::size_t>(limit));
  expect_equal(find_neighbours(queries, supports, radius, limit, TieOrder::index, Threads::none()), expected);
}

TEST(FindNeighbours, equals_brute_force_over_random_clouds) {
  Random random(1);
  for (const std::size_t n : {1U, 2U, 15U, 16U, 17U, 33U, 100U, 700U}) {
    for (const int limit : {1, 2, 7, 35, 200}) {
      for (const float radius : {0.01F, 0.1F, 0.4F, 5.0F}) {
        const Cloud supports = random_cloud(random, n);
        compare(random_cloud(random, 1 + n / 2), supports, radius, limit);
        compare(supports, supports, radius, limit);
      }
    }
  }
}

TEST(FindNeighbours, decides_ties_by_index) {
  // Points of a lattice with each point several times: nothing but ties, also at the end of the row.
  Random random(2);
  Cloud cloud(600);
  for (auto& p : cloud) {
    for (int i = 0; i < 3; ++i) p[i] = 0.25F * static_cast<float>(random.below(4));
  }
  for (const int limit : {1, 3, 20, 50, 400}) {
    for (const float radius : {0.25F, 0.3F, 2.0F}) compare(cloud, cloud, radius, limit);
  }
}

TEST(FindNeighbours, radius_is_exclusive) {
  const Cloud supports = {{0.0F, 0.0F, 0.0F}, {0.5F, 0.0F, 0.0F}, {0.0F, 0.25F, 0.0F}};
  const Cloud query = {{0.0F, 0.0F, 0.0F}};
  const auto table = find_neighbours(query, supports, 0.5F, 5, TieOrder::index, Threads::none());
  EXPECT_EQ(table.width, 2);
  EXPECT_THAT(table.index, testing::ElementsAre(0, 2));
}

TEST(FindNeighbours, pads_short_rows_with_the_number_of_supports) {
  const Cloud supports = {{0.0F, 0.0F, 0.0F}, {0.1F, 0.0F, 0.0F}};
  const Cloud queries = {{0.0F, 0.0F, 0.0F}, {9.0F, 0.0F, 0.0F}, {-0.15F, 0.0F, 0.0F}};
  const auto table = find_neighbours(queries, supports, 0.2F, 35, TieOrder::index, Threads::none());
  EXPECT_EQ(table.rows, 3);
  EXPECT_EQ(table.width, 2);
  EXPECT_THAT(table.index, testing::ElementsAre(0, 1, 2, 2, 0, 2));
}

TEST(FindNeighbours, nobody_near_anybody_has_width_zero) {
  const Cloud supports = {{0.0F, 0.0F, 0.0F}};
  const Cloud queries = {{5.0F, 0.0F, 0.0F}, {6.0F, 0.0F, 0.0F}};
  for (const Cloud& s : {supports, Cloud{}}) {
    const auto table = find_neighbours(queries, s, 1.0F, 4, TieOrder::index, Threads::none());
    EXPECT_EQ(table.rows, 2);
    EXPECT_EQ(table.width, 0);
    EXPECT_TRUE(table.index.empty());
  }
}

TEST(FindNeighbours, same_with_any_team) {
  Random random(3);
  const Cloud cloud = random_cloud(random, 5000);
  const auto alone = find_neighbours(cloud, cloud, 0.125F, 35, TieOrder::index, Threads::none());
  for (const int count : {2, 3, 5}) {
    Threads team(count);
    expect_equal(find_neighbours(cloud, cloud, 0.125F, 35, TieOrder::index, team), alone);
  }
}

TEST(FindNeighbours, reference_order_differs_only_among_equal_distances) {
  Random random(4);
  Cloud supports = random_cloud(random, 400, 0.3F);
  for (std::size_t i = 0; i < 100; ++i) supports.push_back(supports[i]);
  const Cloud queries = random_cloud(random, 300, 0.3F);
  const auto ours = find_neighbours(queries, supports, 0.08F, 20, TieOrder::index, Threads::none());
  const auto reference = find_neighbours(queries, supports, 0.08F, 20, TieOrder::reference, Threads::none());
  ASSERT_EQ(ours.rows, reference.rows);
  ASSERT_EQ(ours.width, reference.width);
  const auto pad = static_cast<std::int32_t>(supports.size());
  int different = 0;
  for (std::int64_t i = 0; i < ours.rows; ++i) {
    const auto& q = queries[static_cast<std::size_t>(i)];
    for (std::size_t j = 0; j < static_cast<std::size_t>(ours.width); ++j) {
      const std::int32_t a = ours.row(i)[j];
      const std::int32_t b = reference.row(i)[j];
      ASSERT_EQ(a == pad, b == pad);
      if (a == b) continue;
      ++different;
      EXPECT_EQ(squared_distance(q, supports[static_cast<std::size_t>(a)]),
                squared_distance(q, supports[static_cast<std::size_t>(b)]));
    }
  }
  EXPECT_GT(different, 0) << "no tie was ordered differently: the case tests nothing";
}

}  // namespace
}  // namespace pmtr
