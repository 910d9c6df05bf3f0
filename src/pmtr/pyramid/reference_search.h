// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <Eigen/Core>

namespace pmtr {

/// The search as the reference does it: every support within the radius from nanoflann's tree, then sorted.
/// Slow; only for rows whose order it alone decides, those with equal distances. The one place that includes
/// nanoflann, whose interface differs between versions. Private to this stage.
class ReferenceSearch {
 public:
  explicit ReferenceSearch(std::span<const Eigen::Vector3f> supports);
  ~ReferenceSearch();

  /// Writes the first row.size() neighbours of q, or as many as there are.
  void search(const Eigen::Vector3f& q, float radius, std::span<std::int32_t> row) const;

 private:
  struct Tree;
  std::unique_ptr<Tree> tree_;
};

}  // namespace pmtr
