// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/penetration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "pmtr/core/index.h"
#include "pmtr/pose/reach.h"

namespace pmtr {
namespace {

/// Points of `moving` that stand where the material of `fixed` is.
double inside_share(const OrientedCloud& fixed, const OrientedCloud& moving, const Rigid3& fixed_from_moving,
                    const PenetrationOptions& options) {
  const Eigen::Matrix3f rotation = fixed_from_moving.rotation.cast<float>();
  const Eigen::Vector3f translation = fixed_from_moving.translation.cast<float>();
  const float spacing = std::max(fixed.spacing, moving.spacing);
  const float depth = static_cast<float>(options.depth) * spacing;
  const auto& points = moving.points;
  const std::size_t taken = std::min(points.size(), static_cast<std::size_t>(options.points));
  std::size_t inside = 0;
  for (std::size_t k = 0; k < taken; ++k) {
    const OrientedPoint& p = points[k * points.size() / taken];
    const Eigen::Vector3f at = rotation * p.position + translation;
    const std::int32_t near = fixed.surface_field.lookup(at);
    if (near == NearestField::inside) ++inside;
    if (near < 0) continue;
    const OrientedPoint& other = fixed.points[static_cast<std::size_t>(near)];
    const Eigen::Vector3f offset = at - other.position;
    const float height = offset.dot(other.normal);
    const bool deep = height < -depth && height * height > 0.5F * offset.squaredNorm();
    // A wall too thin to be inside of: both surfaces in one place, facing the same way.
    const bool in_wall = std::abs(height) < 0.5F * spacing &&
                         offset.squaredNorm() - height * height < spacing * spacing &&
                         fixed.near_border[static_cast<std::size_t>(near)] == 0 &&
                         moving.near_border[static_cast<std::size_t>(p.index)] == 0 &&
                         other.normal.dot(rotation * p.normal) > 0.8F;
    if (deep || in_wall) ++inside;
  }
  return taken == 0 ? 0.0 : static_cast<double>(inside) / static_cast<double>(taken);
}

/// Two parts in a pose, to a thousandth of a turn and of the object: the same question is asked very often.
using StandingPair = std::array<std::int32_t, 14>;

StandingPair standing_pair(int a, int b, const Rigid3& a_from_b) {
  StandingPair key{a, b};
  const Eigen::Matrix4d pose = a_from_b.matrix();
  for (int k = 0; k < 12; ++k)
    key[static_cast<std::size_t>(k + 2)] = static_cast<std::int32_t>(std::lround(pose(k % 3, k / 3) * 1e3));
  return key;
}

}  // namespace

Status PenetrationOptions::validate() const {
  if (!(depth > 0.0)) return invalid_option("the depth of penetration must be positive");
  if (!(most_inside >= 0.0 && most_inside <= 1.0))
    return invalid_option("the share inside must be in [0, 1]");
  if (points < 1) return invalid_option("penetration is looked for on at least one point");
  return {};
}

double penetration_share(const OrientedCloud& a, const OrientedCloud& b, const Rigid3& a_from_b,
                         const PenetrationOptions& options) {
  // Of the larger part only a corner may be concerned: its share is given in areas of the smaller one.
  const double area_a = a.point_area() * static_cast<double>(a.points.size());
  const double area_b = b.point_area() * static_cast<double>(b.points.size());
  const double smaller = std::min(area_a, area_b);
  const double b_in_a = inside_share(a, b, a_from_b, options) * area_b / smaller;
  const double a_in_b = inside_share(b, a, a_from_b.inverse(), options) * area_a / smaller;
  return std::min(1.0, std::max(b_in_a, a_in_b));
}

PairCheck refuse_penetration(std::span<const OrientedCloud> clouds, const PenetrationOptions& options) {
  const auto reach = std::make_shared<Reach>(clouds);
  const auto known = std::make_shared<std::map<StandingPair, bool>>();
  return [clouds, options, reach, known](int a, int b, const Rigid3& a_from_b) {
    if (!reach->meet(a, b, a_from_b)) return true;
    const auto [place, fresh] = known->try_emplace(standing_pair(a, b, a_from_b), true);
    if (fresh)
      place->second =
          penetration_share(clouds[at(a)], clouds[at(b)], a_from_b, options) <= options.most_inside;
    return place->second;
  };
}

}  // namespace pmtr
