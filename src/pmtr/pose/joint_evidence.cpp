// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/joint_evidence.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <Eigen/Eigenvalues>

#include "pmtr/core/statistics.h"
#include "pmtr/pose/oriented_cloud.h"

namespace pmtr {
namespace {

/// Sums over one fragment's points placed in the other's frame.
struct OneWay {
  double contact = 0.0;  ///< points
  double close = 0.0;
  double deviation = 0.0;
  double inside = 0.0;
  double same_side = 0.0;
  double blocked = 0.0;
  int rim = 0;
  int rim_agreeing = 0;
  double rim_step = 0.0;
  std::vector<float> gaps;
  std::vector<float> depths;
};

struct Scene {
  const OrientedCloud& fixed;
  const OrientedCloud& moving;
  Eigen::Matrix3f rotation;
  Eigen::Vector3f translation;
  float spacing;
  float plane;
  float lateral;
  float depth;
};

Scene scene_of(const OrientedCloud& fixed, const OrientedCloud& moving, const Rigid3& pose,
               const EvidenceOptions& options) {
  const float spacing = std::max(fixed.spacing, moving.spacing);
  return {fixed,
          moving,
          pose.rotation.cast<float>(),
          pose.translation.cast<float>(),
          spacing,
          static_cast<float>(options.plane_tolerance) * spacing,
          static_cast<float>(options.lateral) * spacing,
          static_cast<float>(options.depth_tolerance) * spacing};
}

/// A partner that fits: near in the tangent plane's direction and facing. The table's candidate and its
/// neighbours are tried, and the best fit counts, for beside a crease the nearest point may lie on the other
/// face.
bool find_partner(const Scene& s, const Eigen::Vector3f& at, const Eigen::Vector3f& normal, float& gap,
                  float& facing) {
  const std::int32_t near = s.fixed.fracture_field.lookup(at);
  if (near < 0) return false;
  float best = 0.0F;
  const auto try_one = [&](std::int32_t j) {
    const OrientedPoint& other = s.fixed.fracture[static_cast<std::size_t>(j)];
    const Eigen::Vector3f offset = at - other.position;
    if (offset.squaredNorm() > s.lateral * s.lateral) return;
    const float height = std::abs(offset.dot(other.normal));
    const float f = -other.normal.dot(normal);
    if (height > s.plane || f < 0.7F) return;
    const float fit = (1.0F - height / s.plane) * f + 1e-6F;
    if (fit <= best) return;
    best = fit;
    gap = height;
    facing = f;
  };
  try_one(near);
  for (const std::int32_t j : s.fixed.fracture_neighbours[static_cast<std::size_t>(near)]) try_one(j);
  return best > 0.0F;
}

/// Depth below the other's surface where that can be told; 0 outside.
float depth_inside(const Scene& s, const Eigen::Vector3f& at, std::int32_t surface) {
  if (surface == NearestField::inside) return 3.0F * s.spacing;
  if (surface < 0) return 0.0F;
  const OrientedPoint& other = s.fixed.points[static_cast<std::size_t>(surface)];
  const Eigen::Vector3f offset = at - other.position;
  const float height = offset.dot(other.normal);
  return height < 0.0F && height * height > 0.5F * offset.squaredNorm() ? -height : 0.0F;
}

void look_at_fracture(const Scene& s, std::vector<std::uint8_t>& touching, OneWay& sums) {
  for (std::size_t i = 0; i < s.moving.fracture.size(); ++i) {
    const OrientedPoint& p = s.moving.fracture[i];
    const Eigen::Vector3f at = s.rotation * p.position + s.translation;
    const Eigen::Vector3f normal = s.rotation * p.normal;
    float gap = 0.0F;
    float facing = 0.0F;
    if (find_partner(s, at, normal, gap, facing)) {
      touching[i] = 1;
      sums.contact += static_cast<double>(p.score);
      const double angle = std::acos(std::clamp(static_cast<double>(facing), -1.0, 1.0));
      const double closeness = std::exp(-4.0 * std::pow(static_cast<double>(gap / s.plane), 2.0));
      sums.close += static_cast<double>(p.score) * closeness * std::exp(-std::pow(angle / 0.35, 2.0));
      sums.deviation += angle;
      sums.gaps.push_back(gap);
      continue;
    }
    const std::int32_t surface = s.fixed.surface_field.lookup(at);
    const float depth = depth_inside(s, at, surface);
    if (depth > 0.0F) sums.depths.push_back(depth);
    if (depth > s.depth) {
      sums.inside += 1.0;
    } else if (surface >= 0) {
      const OrientedPoint& other = s.fixed.points[static_cast<std::size_t>(surface)];
      const Eigen::Vector3f offset = at - other.position;
      if (s.fixed.near_border[static_cast<std::size_t>(surface)] == 0 && other.score < 0.5F &&
          std::abs(offset.dot(other.normal)) < s.plane && offset.squaredNorm() < s.lateral * s.lateral &&
          other.normal.dot(normal) < -0.7F)
        sums.blocked += 1.0;
    }
  }
}

void look_at_outer(const Scene& s, OneWay& sums) {
  for (const OrientedPoint& p : s.moving.outer) {
    const Eigen::Vector3f at = s.rotation * p.position + s.translation;
    const std::int32_t surface = s.fixed.surface_field.lookup(at);
    if (surface == NearestField::outside) continue;
    const float depth = depth_inside(s, at, surface);
    if (depth > 0.0F && s.moving.near_border[static_cast<std::size_t>(p.index)] == 0)
      sums.depths.push_back(depth);
    if (depth > s.depth) {
      sums.inside += 1.0;
      continue;
    }
    if (surface < 0 || s.fixed.near_border[static_cast<std::size_t>(surface)] != 0) continue;
    const OrientedPoint& other = s.fixed.points[static_cast<std::size_t>(surface)];
    const Eigen::Vector3f offset = at - other.position;
    if (std::abs(offset.dot(other.normal)) < s.plane && offset.squaredNorm() < s.lateral * s.lateral &&
        other.normal.dot(s.rotation * p.normal) > 0.7F)
      sums.same_side += 1.0;
  }
}

/// The border of the other fragment where this one's runs on across the joint, or none.
const BorderPoint* rim_partner(const Scene& s, const BorderPoint& p) {
  const float reach = 2.0F * s.spacing;
  const Eigen::Vector3f at = s.rotation * p.position + s.translation;
  const std::int32_t near = s.fixed.border_field.lookup(at);
  if (near < 0) return nullptr;
  const BorderPoint& other = s.fixed.border[static_cast<std::size_t>(near)];
  const Eigen::Vector3f offset = at - other.position;
  const Eigen::Vector3f outer = s.rotation * p.outer_normal;
  if (offset.squaredNorm() > reach * reach || outer.dot(other.outer_normal) < 0.8F) return nullptr;
  if (other.fracture_normal.dot(s.rotation * p.fracture_normal) > -0.7F) return nullptr;
  return std::abs(offset.dot(other.outer_normal)) > s.spacing ? nullptr : &other;
}

/// Border points beside the contact: there the other fragment's border must run too, unless a third piece
/// comes in, and its outer surface must continue this one.
void look_at_rim(const Scene& s, const std::vector<std::uint8_t>& touching, OneWay& sums) {
  for (const BorderPoint& p : s.moving.border) {
    if (touching[static_cast<std::size_t>(p.fracture_point)] == 0) continue;
    ++sums.rim;
    const BorderPoint* other = rim_partner(s, p);
    if (other == nullptr) continue;
    ++sums.rim_agreeing;
    const Eigen::Vector3f offset = s.rotation * p.position + s.translation - other->position;
    sums.rim_step += static_cast<double>(std::abs(offset.dot(other->outer_normal)));
  }
}

OneWay look(const Scene& scene) {
  OneWay sums;
  std::vector<std::uint8_t> touching(scene.moving.fracture.size(), 0);
  look_at_fracture(scene, touching, sums);
  look_at_outer(scene, sums);
  look_at_rim(scene, touching, sums);
  return sums;
}

}  // namespace

JointEvidence in_units(JointEvidence evidence, double unit) {
  for (double* length :
       {&evidence.gap_mean, &evidence.gap_p95, &evidence.penetration_depth, &evidence.border_step})
    *length *= unit;
  for (double* area : {&evidence.contact_area, &evidence.close_area, &evidence.penetration_area,
                       &evidence.same_side_area, &evidence.blocked_area})
    *area *= unit * unit;
  return evidence;
}

void mark_contact(const OrientedCloud& fixed, const OrientedCloud& moving, const Rigid3& fixed_from_moving,
                  const EvidenceOptions& options, std::vector<std::uint8_t>& touching) {
  const Scene scene = scene_of(fixed, moving, fixed_from_moving, options);
  for (std::size_t i = 0; i < moving.fracture.size(); ++i) {
    const OrientedPoint& p = moving.fracture[i];
    float gap = 0.0F;
    float facing = 0.0F;
    if (find_partner(scene, scene.rotation * p.position + scene.translation, scene.rotation * p.normal, gap,
                     facing))
      touching[i] = 1;
  }
}

double contact_stiffness(const OrientedCloud& a, const OrientedCloud& b, const Rigid3& a_from_b,
                         const EvidenceOptions& options) {
  const Scene scene = scene_of(a, b, a_from_b, options);
  std::vector<std::uint8_t> touching(b.fracture.size(), 0);
  mark_contact(a, b, a_from_b, options, touching);
  std::vector<std::pair<Eigen::Vector3d, Eigen::Vector3d>> planes;  // in b's frame: that of the turns
  for (std::size_t i = 0; i < touching.size(); ++i) {
    if (touching[i] != 0)
      planes.emplace_back(b.fracture[i].position.cast<double>(), b.fracture[i].normal.cast<double>());
  }
  if (planes.size() < 6) return 0.0;
  for (const BorderPoint& p : b.border) {
    if (touching[static_cast<std::size_t>(p.fracture_point)] != 0 && rim_partner(scene, p) != nullptr)
      planes.emplace_back(p.position.cast<double>(), p.outer_normal.cast<double>());
  }
  const auto count = static_cast<double>(planes.size());
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  for (const auto& [place, normal] : planes) centre += place / count;
  double radius = 0.0;
  for (const auto& [place, normal] : planes) radius += (place - centre).squaredNorm() / count;
  radius = std::sqrt(radius) + 1e-12;
  Eigen::Matrix<double, 6, 6> sum = Eigen::Matrix<double, 6, 6>::Zero();
  for (const auto& [place, normal] : planes) {
    Eigen::Matrix<double, 6, 1> row;
    row << (place - centre).cross(normal) / radius, normal;
    sum += row * row.transpose() / count;
  }
  return std::max(0.0, Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 6, 6>>(sum, Eigen::EigenvaluesOnly)
                           .eigenvalues()[0]);
}

JointEvidence measure_joint(const OrientedCloud& a, const OrientedCloud& b, const Rigid3& a_from_b,
                            const EvidenceOptions& options) {
  OneWay to_a = look(scene_of(a, b, a_from_b, options));
  const OneWay to_b = look(scene_of(b, a, a_from_b.inverse(), options));
  const double area_a = a.point_area();
  const double area_b = b.point_area();

  JointEvidence e;
  e.contact_points = static_cast<int>(to_a.gaps.size() + to_b.gaps.size());
  e.contact_area = 0.5 * (to_a.contact * area_b + to_b.contact * area_a);
  e.close_area = 0.5 * (to_a.close * area_b + to_b.close * area_a);
  e.penetration_area = to_a.inside * area_b + to_b.inside * area_a;
  e.same_side_area = 0.5 * (to_a.same_side * area_b + to_b.same_side * area_a);
  e.blocked_area = to_a.blocked * area_b + to_b.blocked * area_a;
  e.coverage_a = a.fracture.empty()
                     ? 0.0
                     : static_cast<double>(to_b.gaps.size()) / static_cast<double>(a.fracture.size());
  e.coverage_b = b.fracture.empty()
                     ? 0.0
                     : static_cast<double>(to_a.gaps.size()) / static_cast<double>(b.fracture.size());
  to_a.gaps.insert(to_a.gaps.end(), to_b.gaps.begin(), to_b.gaps.end());
  to_a.depths.insert(to_a.depths.end(), to_b.depths.begin(), to_b.depths.end());
  for (const float gap : to_a.gaps)
    e.gap_mean += static_cast<double>(gap) / static_cast<double>(to_a.gaps.size());
  e.gap_p95 = static_cast<double>(percentile(std::move(to_a.gaps), 0.95));
  e.penetration_depth = static_cast<double>(percentile(std::move(to_a.depths), 0.95));
  if (e.contact_points > 0) e.normal_deviation = (to_a.deviation + to_b.deviation) / e.contact_points;
  e.border_points = to_a.rim + to_b.rim;
  const int agreeing = to_a.rim_agreeing + to_b.rim_agreeing;
  if (e.border_points > 0) e.border_agreement = static_cast<double>(agreeing) / e.border_points;
  if (agreeing > 0) e.border_step = (to_a.rim_step + to_b.rim_step) / agreeing;
  return e;
}

}  // namespace pmtr
