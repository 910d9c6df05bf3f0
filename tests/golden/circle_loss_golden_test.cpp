// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <string>

#include <gtest/gtest.h>

#include "pmtr/kernels/circle_loss.h"
#include "support/npy.h"
#include "support/shared_folder.h"

namespace pmtr {
namespace {

/// The coarse loss that the reference reported for a case, from its meta.json.
double reference_loss(const std::filesystem::path& path, const std::string& name) {
  const auto bytes = read_file(path);
  if (!bytes.ok()) throw std::runtime_error(bytes.error().text());
  const std::string text(as_text(*bytes));
  const auto begin = text.find("\"c_loss\":", text.find('"' + name + '"'));
  if (begin == std::string::npos) throw std::runtime_error("no c_loss in meta.json");
  return std::stod(text.substr(begin + 9, 32));
}

class CircleLossGolden : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Cases, CircleLossGolden, testing::Values("bottle", "artifact"),
                         [](const auto& which) { return which.param; });

TEST_P(CircleLossGolden, EqualsTheReportedLoss) {
  PMTR_REQUIRE_SHARED("golden");
  const auto golden = test::shared_folder() / "golden";
  const auto folder = golden / GetParam();
  const auto source = test::read_npy(folder / "coarse_norm_src.npy");
  const auto target = test::read_npy(folder / "coarse_norm_trg.npy");
  const std::int64_t rows = source.shape[0];
  const std::int64_t columns = target.shape[0];
  const std::int64_t width = source.shape[1];
  const auto a = source.as<float>();
  const auto b = target.as<float>();
  std::vector<float> distances(rows * columns);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      double sum = 0;
      for (std::int64_t k = 0; k < width; ++k)
        sum += static_cast<double>(a[i * width + k]) * static_cast<double>(b[j * width + k]);
      distances[i * columns + j] = static_cast<float>(sum);
    }
  }
  const auto pairs = test::read_npy(folder / "gt_nd_corr_ind.npy").as<std::int32_t>();
  const auto values = test::read_npy(folder / "gt_nd_corr_overlap.npy").as<float>();
  ASSERT_EQ(pairs.size(), 2 * values.size());
  std::vector<float> overlaps(rows * columns, 0.0F);
  for (std::size_t k = 0; k < values.size(); ++k)
    overlaps[pairs[2 * k] * columns + pairs[2 * k + 1]] = values[k];

  kernels::feature_distance_forward<float>(distances, kernels::feature_distance_floor, Threads::none(),
                                           distances);
  const auto result =
      kernels::circle_loss<float>(rows, columns, distances, overlaps, {}, Threads::none(), {});
  const double expected = reference_loss(golden / "meta.json", GetParam());
  EXPECT_GT(result.rows, 10);
  EXPECT_NEAR(result.loss, expected, 1e-5 * expected);
  RecordProperty("relative_difference", std::to_string(1e6 * (result.loss / expected - 1)) + "e-6");
}

}  // namespace
}  // namespace pmtr
