// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/contact.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "pmtr/core/check.h"
#include "pmtr/pyramid/neighbours.h"

namespace pmtr {
namespace {

/// Normals that differ by more than 120 degrees face each other.
constexpr float opposed_cosine = -0.5F;

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0.0;
  const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  return values[static_cast<std::size_t>(rank)];
}

}  // namespace

Contact measure_contact(const PointCloud& a, const PointCloud& b, const Rigid3& a_from_b, double b_area,
                        double tolerance, Threads& threads) {
  PMTR_CHECK(a.normals.size() == a.points.size() && b.normals.size() == b.points.size(),
             "contact is measured between clouds with normals");
  std::vector<Eigen::Vector3f> moved;
  moved.reserve(b.points.size());
  for (const auto& point : b.points) moved.push_back((a_from_b * point.cast<double>().eval()).cast<float>());
  const NeighbourTable nearest =
      find_neighbours(moved, a.points, static_cast<float>(tolerance), 1, TieOrder::index, threads);

  Contact contact;
  std::vector<double> gaps;
  std::vector<double> depths;
  const Eigen::Matrix3f rotation = a_from_b.rotation.cast<float>();
  for (std::size_t i = 0; i < moved.size() && nearest.width > 0; ++i) {
    const auto j = static_cast<std::size_t>(nearest.index[i]);
    if (j >= a.points.size()) continue;
    const Eigen::Vector3f& normal = a.normals[j];
    if (normal.dot(rotation * b.normals[i]) > opposed_cosine) continue;
    const Eigen::Vector3f offset = moved[i] - a.points[j];
    gaps.push_back(offset.norm());
    depths.push_back(std::max(0.0, -static_cast<double>(offset.dot(normal))));
  }
  if (gaps.empty()) return contact;
  contact.points = static_cast<std::int64_t>(gaps.size());
  contact.area = b_area * static_cast<double>(gaps.size()) / static_cast<double>(b.points.size());
  for (const double gap : gaps) contact.gap_mean += gap / static_cast<double>(gaps.size());
  contact.gap_p95 = percentile(std::move(gaps), 0.95);
  contact.penetration = percentile(std::move(depths), 0.95);
  return contact;
}

}  // namespace pmtr
