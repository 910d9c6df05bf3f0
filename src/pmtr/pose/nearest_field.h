// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

namespace pmtr {

/// The nearest point of a cloud as a table: a grid of cells around the surface, each with the point nearest
/// to its centre. A lookup costs one memory access, which is what lets a hundred thousand poses be tried.
class NearestField {
 public:
  static constexpr std::int32_t outside = -1;  ///< far from the surface
  static constexpr std::int32_t inside = -2;   ///< far from the surface and enclosed by it

  NearestField() = default;

  /// Cells within `band` cells of a point know a point. `cell` grows where the box would need too many cells.
  /// With `find_inside`, the remaining cells that cannot be reached from the border of the box are inside: a
  /// surface with holes has no inside, so nothing is said to penetrate it.
  NearestField(std::span<const Eigen::Vector3f> points, float cell, int band, bool find_inside);

  /// Index of a point near `position` (nearest to the centre of its cell), `outside` or `inside`.
  [[gnu::always_inline]] inline std::int32_t lookup(const Eigen::Vector3f& position) const {
    const Eigen::Vector3f local = (position - origin_) * inverse_cell_;
    // A NaN fails every comparison, and so is outside.
    if (!(local.x() >= 0.0F && local.y() >= 0.0F && local.z() >= 0.0F)) return outside;
    if (!(local.x() < limit_.x() && local.y() < limit_.y() && local.z() < limit_.z())) return outside;
    return cells_.data()[index(static_cast<std::int32_t>(local.x()), static_cast<std::int32_t>(local.y()),
                               static_cast<std::int32_t>(local.z()))];
  }

  float cell() const { return 1.0F / inverse_cell_; }
  bool empty() const { return cells_.empty(); }

 private:
  std::size_t index(std::int32_t x, std::int32_t y, std::int32_t z) const {
    return static_cast<std::size_t>(x) +
           static_cast<std::size_t>(size_[0]) *
               (static_cast<std::size_t>(y) +
                static_cast<std::size_t>(size_[1]) * static_cast<std::size_t>(z));
  }
  void fill_band(std::span<const Eigen::Vector3f> points, int band);
  std::vector<std::int32_t> row_by_row(std::span<const Eigen::Vector3f> points) const;
  void fill_inside();

  Eigen::Vector3f origin_ = Eigen::Vector3f::Zero();
  Eigen::Vector3f limit_ = Eigen::Vector3f::Zero();  ///< the size as float; zero: everything is outside
  float inverse_cell_ = 1.0F;
  Eigen::Vector3i size_ = Eigen::Vector3i::Zero();
  std::vector<std::int32_t> cells_;
};

}  // namespace pmtr
