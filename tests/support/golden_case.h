// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "pmtr/network/pyramid_batch.h"
#include "support/npy.h"
#include "support/shared_folder.h"

namespace pmtr::test {

/// One case of the golden values, read on demand.
class GoldenCase {
 public:
  explicit GoldenCase(const std::string& name) : folder_(shared_folder() / "golden" / name) {}

  bool has(const std::string& name) const { return std::filesystem::exists(folder_ / (name + ".npy")); }

  torch::Tensor tensor(const std::string& name) const {
    const Npy npy = read_npy(folder_ / (name + ".npy"));
    torch::Tensor out;
    if (npy.dtype == "<f4") {
      out = torch::empty(npy.shape, torch::kFloat);
    } else if (npy.dtype == "<i4") {
      out = torch::empty(npy.shape, torch::kInt);
    } else if (npy.dtype == "|u1") {
      out = torch::empty(npy.shape, torch::kByte);
    } else {
      throw std::runtime_error("golden: dtype " + npy.dtype);
    }
    std::memcpy(out.data_ptr(), npy.data.data(), npy.data.size());
    return out;
  }

  std::vector<Eigen::Vector3f> points(const std::string& name) const {
    const torch::Tensor t = tensor(name);
    std::vector<Eigen::Vector3f> out(static_cast<std::size_t>(t.size(0)));
    std::memcpy(static_cast<void*>(out.data()), t.data_ptr(), out.size() * sizeof(Eigen::Vector3f));
    return out;
  }

  /// The reference's own preprocessing of the pair.
  PyramidBatch batch() const {
    PyramidBatch batch;
    for (std::size_t i = 0; i < batch.levels.size(); ++i) {
      const std::string n = std::to_string(i);
      BatchLevel& level = batch.levels[i];
      level.points = tensor("pre_points_" + n);
      level.neighbours = tensor("pre_neighbors_" + n);
      const torch::Tensor lengths = tensor("pre_lengths_" + n);
      for (int j = 0; j < 2; ++j) level.lengths.push_back(lengths[j].item<int>());
      if (i < 2) {
        level.down = tensor("pre_subsampling_" + n);
        level.up = tensor("pre_upsampling_" + n).select(1, 0).contiguous();
      }
    }
    return batch;
  }

  /// max |actual - golden| / max |golden|, the measure of golden/noise_floor.txt. Reads the strided file
  /// where only every fourth row is kept.
  double deviation(const torch::Tensor& actual, const std::string& name) const {
    torch::Tensor golden;
    torch::Tensor compared = actual.detach();
    if (has(name)) {
      golden = tensor(name);
    } else {
      golden = tensor(name + ".stride4");
      compared = compared.slice(0, 0, compared.size(0), 4);
    }
    // Features of a matcher are kept as [points, factors, channels].
    golden = golden.reshape({golden.size(0), -1});
    if (golden.sizes() != compared.sizes()) {
      ADD_FAILURE() << name << " has shape " << golden.sizes() << ", ours " << compared.sizes();
      return INFINITY;
    }
    return ((compared - golden).abs().max() / golden.abs().max()).item<double>();
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace pmtr::test
