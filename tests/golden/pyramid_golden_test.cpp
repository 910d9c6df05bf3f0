// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pyramid/pyramid.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <string>

#include <gmock/gmock.h>

#include "support/npy.h"
#include "support/shared_folder.h"

namespace pmtr {
namespace {

using test::read_npy;

std::vector<Eigen::Vector3f> read_points(const std::filesystem::path& file) {
  const auto values = read_npy(file).as<float>();
  std::vector<Eigen::Vector3f> points(values.size() / 3);
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i] = Eigen::Map<const Eigen::Vector3f>(values.data() + 3 * i);
  }
  return points;
}

class PyramidGolden : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    PMTR_REQUIRE_SHARED("golden");
    folder_ = test::shared_folder() / "golden" / GetParam();
    PyramidOptions options;
    options.up_limit = 0;
    options.ties = TieOrder::reference;
    Threads threads(2);
    for (const char* name : {"in_src_pts.npy", "in_trg_pts.npy"}) {
      auto pyramid = build_pyramid(read_points(folder_ / name), options, threads);
      ASSERT_TRUE(pyramid.ok()) << pyramid.error().text();
      pyramids_.push_back(*std::move(pyramid));
    }
  }

  std::size_t points_at(std::size_t fragment, std::size_t level) const {
    return pyramids_[fragment].levels[level].points.size();
  }

  // The reference stacks both fragments: the indices of the second start after the first, and the padding is
  // the number of supports of both.
  void expect_table(const std::string& name, NeighbourTable PyramidLevel::*table, std::size_t level,
                    std::size_t support_level) const {
    const auto golden = read_npy(folder_ / (name + "_" + std::to_string(level) + ".npy"));
    const auto index = golden.as<std::int32_t>();
    const auto width = static_cast<std::size_t>(golden.shape.at(1));
    const auto pad = static_cast<std::int32_t>(points_at(0, support_level) + points_at(1, support_level));
    std::size_t row = 0;
    std::size_t wrong = 0;
    for (std::size_t f = 0; f < 2; ++f) {
      const NeighbourTable& ours = pyramids_[f].levels[level].*table;
      const auto offset = static_cast<std::int32_t>(f == 0 ? 0 : points_at(0, support_level));
      const auto own_pad = static_cast<std::int32_t>(points_at(f, support_level));
      ASSERT_LE(static_cast<std::size_t>(ours.width), width);
      for (std::int64_t i = 0; i < ours.rows; ++i, ++row) {
        ASSERT_LT(row, static_cast<std::size_t>(golden.shape[0]));
        for (std::size_t j = 0; j < width; ++j) {
          std::int32_t value = pad;
          if (j < static_cast<std::size_t>(ours.width) && ours.row(i)[j] != own_pad)
            value = ours.row(i)[j] + offset;
          if (value != index[row * width + j] && ++wrong <= 5) {
            ADD_FAILURE() << name << " level " << level << " row " << row << " column " << j << ": ours "
                          << value << ", reference " << index[row * width + j];
          }
        }
      }
    }
    EXPECT_EQ(row, static_cast<std::size_t>(golden.shape[0])) << name << " level " << level;
    EXPECT_EQ(wrong, 0U) << name << " level " << level;
  }

  std::filesystem::path folder_;
  std::vector<Pyramid> pyramids_;
};

TEST_P(PyramidGolden, points_are_bitwise_equal) {
  for (std::size_t level = 1; level < PyramidOptions::levels; ++level) {
    const auto golden = read_points(folder_ / ("pre_points_" + std::to_string(level) + ".npy"));
    std::vector<Eigen::Vector3f> ours = pyramids_[0].levels[level].points;
    ours.insert(ours.end(), pyramids_[1].levels[level].points.begin(),
                pyramids_[1].levels[level].points.end());
    ASSERT_EQ(ours.size(), golden.size());
    EXPECT_EQ(std::memcmp(ours.data(), golden.data(), golden.size() * sizeof(Eigen::Vector3f)), 0)
        << "level " << level;
  }
}

TEST_P(PyramidGolden, neighbours_are_equal) {
  for (std::size_t level = 0; level < 3; ++level) {
    expect_table("pre_neighbors", &PyramidLevel::neighbours, level, level);
  }
}

TEST_P(PyramidGolden, down_is_equal) {
  for (std::size_t level = 0; level < 2; ++level) {
    expect_table("pre_subsampling", &PyramidLevel::down, level, level);
  }
}

TEST_P(PyramidGolden, up_is_equal) {
  for (std::size_t level = 0; level < 2; ++level) {
    expect_table("pre_upsampling", &PyramidLevel::up, level, level + 1);
  }
}

// Not a test: prints what docs/pyramid.md quotes. Run with --gtest_also_run_disabled_tests.
TEST_P(PyramidGolden, DISABLED_time) {
  const auto source = read_points(folder_ / "in_src_pts.npy");
  const auto target = read_points(folder_ / "in_trg_pts.npy");
  for (const TieOrder ties : {TieOrder::index, TieOrder::reference}) {
    for (const int count : {1, 2}) {
      Threads threads(count);
      PyramidOptions options;
      options.ties = ties;
      std::vector<double> milliseconds;
      const std::clock_t processor = std::clock();
      for (int run = 0; run < 50; ++run) {
        const auto start = std::chrono::steady_clock::now();
        ASSERT_TRUE(build_pyramid(source, options, threads).ok());
        ASSERT_TRUE(build_pyramid(target, options, threads).ok());
        const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - start;
        milliseconds.push_back(time.count());
      }
      const double busy = 1e3 * static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC /
                          static_cast<double>(milliseconds.size());
      std::sort(milliseconds.begin(), milliseconds.end());
      std::printf("%s, ties by %s, %d threads: median %.2f ms, least %.2f ms; mean processor time %.2f ms\n",
                  GetParam(), ties == TieOrder::index ? "index" : "reference", count, milliseconds[25],
                  milliseconds[0], busy);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, PyramidGolden, testing::Values("bottle", "artifact"),
                         [](const auto& test_case) { return std::string(test_case.param); });

}  // namespace
}  // namespace pmtr
