// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include <Eigen/Core>

namespace pmtr {

/// Points by cubes of one edge: all that lie within an edge of a point are in its cube or the 26 around it.
/// Private to this stage.
class PointCells {
 public:
  struct Cell {
    Eigen::Vector3i place;
    std::uint32_t begin, end;  ///< of its points in order()
  };

  /// Points must be finite and span less than a million edges.
  PointCells(std::span<const Eigen::Vector3f> points, float edge);

  std::span<const Cell> cells() const { return cells_; }
  /// Indices of the points; those of a cell lie one after the other, ascending.
  std::span<const std::uint32_t> order() const { return order_; }
  Eigen::Vector3i place_of(const Eigen::Vector3f& point) const;

  /// Calls visit(index) for every point in the cube at `place` and those around it.
  template <class Visit>
  void visit_around(const Eigen::Vector3i& place, Visit visit) const {
    for (int dx = -1; dx <= 1; ++dx)
      for (int dy = -1; dy <= 1; ++dy)
        for (int dz = -1; dz <= 1; ++dz) {
          const auto found = place_.find(key_of(place + Eigen::Vector3i(dx, dy, dz)));
          if (found == place_.end()) continue;
          const Cell& cell = cells_[found->second];
          for (std::uint32_t i = cell.begin; i < cell.end; ++i) visit(order_[i]);
        }
  }

 private:
  static std::uint64_t key_of(const Eigen::Vector3i& place);

  float inverse_edge_;
  std::vector<std::uint32_t> order_;
  std::vector<Cell> cells_;
  std::unordered_map<std::uint64_t, std::uint32_t> place_;  ///< of a cube in cells_
};

}  // namespace pmtr
