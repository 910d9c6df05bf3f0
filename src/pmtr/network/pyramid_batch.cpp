// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/pyramid_batch.h"

#include <algorithm>

#include <torch/types.h>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

torch::Tensor stack_points(std::span<const Pyramid* const> pyramids, std::size_t level) {
  std::int64_t total = 0;
  for (const Pyramid* pyramid : pyramids)
    total += static_cast<std::int64_t>(pyramid->levels[level].points.size());
  torch::Tensor points = torch::empty({total, 3}, torch::kFloat);
  float* out = points.data_ptr<float>();
  for (const Pyramid* pyramid : pyramids) {
    for (const auto& point : pyramid->levels[level].points) out = std::copy_n(point.data(), 3, out);
  }
  return points;
}

/// Joins tables of different widths; indices move by the supports that come before, pads become the total.
torch::Tensor stack_tables(std::span<const Pyramid* const> pyramids, std::size_t level,
                           NeighbourTable PyramidLevel::*member, std::size_t support_level,
                           std::int64_t max_width) {
  std::int64_t rows = 0;
  std::int64_t width = 0;
  std::int64_t supports = 0;
  for (const Pyramid* pyramid : pyramids) {
    const NeighbourTable& table = pyramid->levels[level].*member;
    rows += table.rows;
    width = std::max(width, std::min(table.width, max_width));
    supports += static_cast<std::int64_t>(pyramid->levels[support_level].points.size());
  }
  const auto pad = static_cast<std::int32_t>(supports);
  torch::Tensor stacked = torch::full({rows, width}, pad, torch::kInt);
  std::int32_t* out = stacked.data_ptr<std::int32_t>();
  std::int32_t offset = 0;
  for (const Pyramid* pyramid : pyramids) {
    const NeighbourTable& table = pyramid->levels[level].*member;
    const auto own = static_cast<std::int32_t>(pyramid->levels[support_level].points.size());
    const std::int64_t columns = std::min(table.width, max_width);
    for (std::int64_t i = 0; i < table.rows; ++i, out += width) {
      const std::int32_t* row = table.index.data() + i * table.width;
      for (std::int64_t j = 0; j < columns; ++j) out[j] = row[j] == own ? pad : row[j] + offset;
    }
    offset += own;
  }
  return stacked;
}

}  // namespace

PyramidBatch stack_pyramids(std::span<const Pyramid* const> pyramids) {
  PMTR_CHECK(!pyramids.empty(), "nothing to stack");
  constexpr std::int64_t all = INT64_MAX;
  PyramidBatch batch;
  for (std::size_t level = 0; level < batch.levels.size(); ++level) {
    BatchLevel& out = batch.levels[level];
    out.points = stack_points(pyramids, level);
    out.neighbours = stack_tables(pyramids, level, &PyramidLevel::neighbours, level, all);
    for (const Pyramid* pyramid : pyramids) {
      out.lengths.push_back(static_cast<std::int64_t>(pyramid->levels[level].points.size()));
    }
    if (level + 1 < batch.levels.size()) {
      out.down = stack_tables(pyramids, level, &PyramidLevel::down, level, all);
      out.up = stack_tables(pyramids, level, &PyramidLevel::up, level + 1, 1).flatten();
    }
  }
  const std::int64_t channels = pyramids[0]->input_channels;
  if (channels > 0) {
    std::vector<torch::Tensor> inputs;
    for (const Pyramid* pyramid : pyramids) {
      PMTR_CHECK(
          pyramid->input_channels == channels &&
              pyramid->inputs.size() == pyramid->levels[0].points.size() * static_cast<std::size_t>(channels),
          "one row of inputs per point, of one width");
      inputs.push_back(torch::empty({static_cast<std::int64_t>(pyramid->levels[0].points.size()), channels}));
      std::copy(pyramid->inputs.begin(), pyramid->inputs.end(), inputs.back().data_ptr<float>());
    }
    batch.inputs = inputs.size() == 1 ? inputs[0] : torch::cat(inputs, 0);
  }
  return batch;
}

}  // namespace pmtr
