// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/known_searches.h"

#include <bit>

namespace pmtr {
namespace {

/// Word by word: clouds are megabytes, and a byte at a time would take longer than a short search.
class WordHash {
 public:
  void add(std::uint32_t word) {
    value_ = (value_ ^ word) * 0x9e3779b97f4a7c15U;
    value_ ^= value_ >> 29U;
  }
  void add(float value) { add(std::bit_cast<std::uint32_t>(value)); }
  void add(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    add(static_cast<std::uint32_t>(bits));
    add(static_cast<std::uint32_t>(bits >> 32U));
  }
  template <class Derived>
  void add(const Eigen::MatrixBase<Derived>& matrix) {
    for (Eigen::Index i = 0; i < matrix.size(); ++i) add(matrix.derived().data()[i]);
  }
  void add(const std::vector<OrientedPoint>& points) {
    add(static_cast<double>(points.size()));
    for (const OrientedPoint& point : points) {
      add(point.position);
      add(point.score);
      add(point.normal);
      add(static_cast<std::uint32_t>(point.index));
    }
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325U;
};

}  // namespace

std::uint64_t search_digest(const OrientedCloud& cloud) {
  // Not the neighbours and the fields, which are made of the points, and the outer points, which are the
  // rest.
  WordHash hash;
  hash.add(cloud.points);
  hash.add(cloud.fracture);
  hash.add(static_cast<double>(cloud.border.size()));
  for (const BorderPoint& point : cloud.border) {
    hash.add(point.position);
    hash.add(point.fracture_normal);
    hash.add(point.outer_normal);
    hash.add(static_cast<std::uint32_t>(point.fracture_point));
  }
  for (const std::uint8_t near : cloud.near_border) hash.add(std::uint32_t{near});
  hash.add(static_cast<double>(cloud.outer.size()));
  hash.add(cloud.spacing);
  hash.add(cloud.centre);
  hash.add(cloud.covariance);
  return hash.value();
}

}  // namespace pmtr
