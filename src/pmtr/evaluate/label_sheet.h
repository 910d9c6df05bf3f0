// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/evaluate/label_scores.h"
#include "pmtr/render/image.h"
#include "pmtr/sample/point_cloud.h"

namespace pmtr {

/// A fragment, where it was said to be broken and where it is.
struct LabelledCloud {
  LabelScore score;
  PointCloud points;
  std::vector<float> said;           ///< [point] probability
  std::vector<std::uint8_t> broken;  ///< [point] the truth
};

/// Keeps the fragments whose breaks were seen worst (LabelScore::overlap). Called from several threads at
/// once; what is kept does not depend on their order.
class WorstLabels {
 public:
  explicit WorstLabels(std::size_t most) : most_(most) {}
  void add(LabelledCloud cloud);
  /// The worst first.
  const std::vector<LabelledCloud>& found() const { return clouds_; }

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::vector<LabelledCloud> clouds_;
};

/// Each fragment twice: what was said (grey to red) and what is true.
Result<Image> draw_label_sheet(const std::vector<LabelledCloud>& clouds, Threads& threads);

}  // namespace pmtr
