// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <algorithm>
#include <cmath>
#include <string>

#include <gtest/gtest.h>

#include "pmtr/kernels/optimal_transport.h"
#include "pmtr/weights/weight_file.h"
#include "support/npy.h"
#include "support/shared_folder.h"

namespace pmtr {
namespace {

namespace fs = std::filesystem;

/// The dustbin value of the reference weights.
float reference_alpha(const fs::path& path) {
  const auto weights = read_weights(path);
  if (!weights.ok()) throw std::runtime_error(weights.error().text());
  return weights->find("optimal_transport.alpha")->to_float().at(0);
}

std::vector<std::int64_t> valid_indices(const std::vector<std::uint8_t>& mask, std::int64_t patch,
                                        std::int64_t width) {
  std::vector<std::int64_t> valid;
  for (std::int64_t i = 0; i < width; ++i) {
    if (mask[patch * width + i] != 0) valid.push_back(i);
  }
  return valid;
}

class TransportGolden : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Cases, TransportGolden, testing::Values("bottle", "artifact"),
                         [](const auto& which) { return which.param; });

TEST_P(TransportGolden, CompactPatchesGiveTheReferenceScores) {
  PMTR_REQUIRE_SHARED("golden");
  const fs::path golden = test::shared_folder() / "golden";
  const fs::path folder = golden / GetParam();
  const auto padded = test::read_npy(folder / "ot_in_scores_first8.npy");
  ASSERT_EQ(padded.shape, (std::vector<std::int64_t>{8, 128, 128}));
  const auto padded_scores = padded.as<float>();
  const auto row_mask = test::read_npy(folder / "ot_row_mask.npy").as<std::uint8_t>();
  const auto column_mask = test::read_npy(folder / "ot_col_mask.npy").as<std::uint8_t>();
  const bool all = fs::exists(folder / "matching_scores.npy");
  const auto expected =
      test::read_npy(folder / (all ? "matching_scores.npy" : "matching_scores_first16.npy")).as<float>();

  std::vector<std::vector<std::int64_t>> rows;
  std::vector<std::vector<std::int64_t>> columns;
  std::vector<std::int32_t> row_counts;
  std::vector<std::int32_t> column_counts;
  std::vector<float> scores;
  for (std::int64_t b = 0; b < 8; ++b) {
    rows.push_back(valid_indices(row_mask, b, 128));
    columns.push_back(valid_indices(column_mask, b, 128));
    row_counts.push_back(static_cast<std::int32_t>(rows[b].size()));
    column_counts.push_back(static_cast<std::int32_t>(columns[b].size()));
    for (const auto i : rows[b]) {
      for (const auto j : columns[b]) scores.push_back(padded_scores[(b * 128 + i) * 128 + j]);
    }
    rows[b].push_back(128);
    columns[b].push_back(128);
  }
  const auto patches = kernels::pack_transport_patches(row_counts, column_counts);
  std::vector<float> output(patches.back().output + rows.back().size() * columns.back().size());
  const float alpha = reference_alpha(golden / "state_dict.safetensors");
  for (const double tolerance : {0.0, kernels::TransportOptions{}.tolerance}) {
    kernels::optimal_transport_forward<float>(patches, scores, alpha, {.tolerance = tolerance},
                                              Threads::none(), output);
    float largest = 0;
    float difference = 0;
    std::size_t k = 0;
    for (std::int64_t b = 0; b < 8; ++b) {
      for (const auto i : rows[b]) {
        for (const auto j : columns[b]) {
          const float value = expected[(b * 129 + i) * 129 + j];
          largest = std::max(largest, std::abs(value));
          const float here = std::abs(output[k++] - value);
          if (!(here <= difference)) difference = here;
        }
      }
    }
    EXPECT_EQ(k, output.size());
    EXPECT_GT(k, 50U);
    EXPECT_LE(difference, 1e-5F * largest) << "largest value " << largest;
    RecordProperty("relative_difference", std::to_string(1e6F * difference / largest) + "e-6");
  }
}

}  // namespace
}  // namespace pmtr
