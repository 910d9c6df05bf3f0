// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/mating_icp.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <Eigen/Cholesky>

namespace pmtr {
namespace {

// Partners must face each other within 60 degrees at first, so that a pose that is 30 degrees off still
// pulls.
constexpr float least_facing = 0.5F;
// A step that moves the points by less than this, in point spacings, moves nothing.
constexpr double at_rest = 0.01;
// A surface with more than this many times the points is looked at from the other side only.
constexpr std::size_t few_of = 4;

/// Sums of the linearised least squares problem, around a centre that keeps turn and shift apart.
struct NormalEquations {
  Eigen::Matrix<double, 6, 6> matrix = Eigen::Matrix<double, 6, 6>::Zero();
  Eigen::Matrix<double, 6, 1> right = Eigen::Matrix<double, 6, 1>::Zero();
  Eigen::Vector3d centre;
  int count = 0;
  double squares = 0.0;
  double weight = 0.0;

  /// Moves `point` of b (in a's frame) along `normal` by -residual.
  void add(const Eigen::Vector3f& point, const Eigen::Vector3f& normal, double residual, double w) {
    const Eigen::Vector3d n = normal.cast<double>();
    const Eigen::Vector3d turn = (point.cast<double>() - centre).cross(n);
    const std::array<double, 6> row = {turn.x(), turn.y(), turn.z(), n.x(), n.y(), n.z()};
    for (Eigen::Index j = 0; j < 6; ++j) {
      const double weighted = w * row[static_cast<std::size_t>(j)];
      for (Eigen::Index i = j; i < 6; ++i) matrix(i, j) += weighted * row[static_cast<std::size_t>(i)];
      right[j] -= weighted * residual;
    }
  }
};

struct TwoClouds {
  const OrientedCloud& fixed;
  const OrientedCloud& moving;
  Eigen::Matrix3f rotation;  ///< fixed_from_moving
  Eigen::Vector3f translation;
};

/// The fracture point nearest to `at`: the table's answer or one of its neighbours.
std::int32_t nearest_fracture(const OrientedCloud& cloud, const Eigen::Vector3f& at) {
  std::int32_t best = cloud.fracture_field.lookup(at);
  if (best < 0) return best;
  float squared = (cloud.fracture[static_cast<std::size_t>(best)].position - at).squaredNorm();
  for (const std::int32_t j : cloud.fracture_neighbours[static_cast<std::size_t>(best)]) {
    const float other = (cloud.fracture[static_cast<std::size_t>(j)].position - at).squaredNorm();
    if (other < squared) {
      squared = other;
      best = j;
    }
  }
  return best;
}

double robust(double residual, double tolerance) {
  const double x = 1.0 - residual * residual / (tolerance * tolerance);
  return x > 0.0 ? x * x : 0.0;
}

/// `world_from_fixed` brings the fixed frame into the world's; `sign` is 1 if the refined fragment moves and
/// -1 if it is the fixed one of the scene.
void pull_fracture(const TwoClouds& scene, const Rigid3& world_from_fixed, double sign, double tolerance,
                   const IcpRound& round, NormalEquations& sums) {
  const Eigen::Matrix3f to_world = world_from_fixed.rotation.cast<float>();
  const Eigen::Vector3f shift = world_from_fixed.translation.cast<float>();
  const auto& from = scene.moving.fracture;
  const std::size_t taken = round.points == 0 ? from.size() : std::min(round.points, from.size());
  const float lateral =
      static_cast<float>(tolerance) + 1.5F * std::max(scene.fixed.spacing, scene.moving.spacing);
  for (std::size_t k = 0; k < taken; ++k) {
    const OrientedPoint& p = from[k * from.size() / taken];
    const Eigen::Vector3f at = scene.rotation * p.position + scene.translation;
    const std::int32_t near = nearest_fracture(scene.fixed, at);
    if (near < 0) continue;
    const OrientedPoint& other = scene.fixed.fracture[static_cast<std::size_t>(near)];
    const Eigen::Vector3f normal = scene.rotation * p.normal;
    const float facing = -other.normal.dot(normal);
    if (facing < least_facing) continue;
    const Eigen::Vector3f offset = at - other.position;
    if (offset.squaredNorm() > lateral * lateral) continue;
    // Halfway between the two tangent planes: converges faster than either.
    const Eigen::Vector3f between = (other.normal - normal).normalized();
    const double residual = static_cast<double>(offset.dot(between));
    double w = robust(residual, tolerance) * static_cast<double>(facing * facing * p.score * other.score);
    if (w <= 0.0) continue;
    if (residual < 0.0) w *= 1.0 + round.penetration_weight;
    const Eigen::Vector3f& point = sign > 0.0 ? at : other.position;
    sums.add(to_world * point + shift, to_world * between, sign * residual, w);
    sums.squares += w * residual * residual;
    sums.weight += w;
    ++sums.count;
  }
}

void pull_border(const TwoClouds& scene, const Rigid3& world_from_fixed, double tolerance, double weight,
                 NormalEquations& sums) {
  const Eigen::Matrix3f to_world = world_from_fixed.rotation.cast<float>();
  const Eigen::Vector3f shift = world_from_fixed.translation.cast<float>();
  const float reach =
      static_cast<float>(tolerance) + 1.5F * std::max(scene.fixed.spacing, scene.moving.spacing);
  for (const BorderPoint& p : scene.moving.border) {
    const Eigen::Vector3f at = scene.rotation * p.position + scene.translation;
    const std::int32_t near = scene.fixed.border_field.lookup(at);
    if (near < 0) continue;
    const BorderPoint& other = scene.fixed.border[static_cast<std::size_t>(near)];
    const Eigen::Vector3f offset = at - other.position;
    if (offset.squaredNorm() > reach * reach) continue;
    const Eigen::Vector3f outer = scene.rotation * p.outer_normal;
    if (outer.dot(other.outer_normal) < 0.7F) continue;
    if (other.fracture_normal.dot(scene.rotation * p.fracture_normal) > -least_facing) continue;
    const Eigen::Vector3f between = (outer + other.outer_normal).normalized();
    const double residual = static_cast<double>(offset.dot(between));
    const double w = weight * robust(residual, tolerance);
    if (w > 0.0) sums.add(to_world * at + shift, to_world * between, residual, w);
  }
}

}  // namespace

IcpResult refine_among(std::span<const StandingCloud> standing, const OrientedCloud& moving,
                       const Rigid3& world_from_moving, const IcpRound& round) {
  IcpResult result{world_from_moving, 0, 0.0};
  const double extent = std::sqrt(moving.covariance.trace());
  double spacing = static_cast<double>(moving.spacing);
  for (const StandingCloud& other : standing)
    spacing = std::max(spacing, static_cast<double>(other.cloud->spacing));
  for (int step = 0; step < round.steps; ++step) {
    const double progress = round.steps > 1 ? static_cast<double>(step) / (round.steps - 1) : 1.0;
    const double tolerance =
        spacing * round.first_tolerance * std::pow(round.last_tolerance / round.first_tolerance, progress);
    const Rigid3& pose = result.a_from_b;
    NormalEquations sums;
    NormalEquations border;
    sums.centre = border.centre = pose * moving.centre;
    for (const StandingCloud& other : standing) {
      const Rigid3 there = other.world_from_cloud.inverse() * pose;
      const Rigid3 back = there.inverse();
      const TwoClouds forward{*other.cloud, moving, there.rotation.cast<float>(),
                              there.translation.cast<float>()};
      const TwoClouds backward{moving, *other.cloud, back.rotation.cast<float>(),
                               back.translation.cast<float>()};
      pull_fracture(forward, other.world_from_cloud, 1.0, tolerance, round, sums);
      // A point of the other that is `residual` above this plane wants it to move by +residual along that
      // normal.
      // Of a surface that is far larger a few drawn points hardly ever lie here.
      if (other.cloud->fracture.size() <= few_of * std::max(round.points, moving.fracture.size()))
        pull_fracture(backward, pose, -1.0, tolerance, round, sums);
      if (round.border_weight > 0.0)
        pull_border(forward, other.world_from_cloud, tolerance, round.border_weight, border);
    }
    result.pulled = sums.count;
    if (sums.count < 6) return result;
    result.residual = std::sqrt(sums.squares / sums.weight);
    sums.matrix += border.matrix;
    sums.right += border.right;
    // A little damping: a motion no point says anything about stays zero.
    const Eigen::Matrix<double, 6, 6> full = sums.matrix.selfadjointView<Eigen::Lower>();
    Eigen::Matrix<double, 6, 6> damped = full;
    const double turn = full.topLeftCorner<3, 3>().trace() / 3.0;
    const double shift = full.bottomRightCorner<3, 3>().trace() / 3.0;
    damped.diagonal().head<3>().array() += 1e-3 * turn + 1e-12;
    damped.diagonal().tail<3>().array() += 1e-3 * shift + 1e-12;
    const Eigen::Matrix<double, 6, 1> motion = damped.ldlt().solve(sums.right);
    if (!motion.allFinite()) return result;
    Eigen::Vector3d axis = motion.head<3>();
    Eigen::Vector3d move = motion.tail<3>();
    // A step of the linearisation is not trusted beyond a few degrees and the tolerance.
    const double angle = axis.norm();
    const double largest = std::max(angle / 0.15, move.norm() / (2.0 * tolerance + spacing));
    if (largest > 1.0) {
      axis /= largest;
      move /= largest;
    }
    Rigid3 update;
    if (axis.norm() > 1e-12)
      update.rotation = Eigen::AngleAxisd(axis.norm(), axis.normalized()).toRotationMatrix();
    update.translation = sums.centre + move - update.rotation * sums.centre;
    result.a_from_b = update * pose;
    // What has come to rest only needs the last and narrowest look.
    const bool rests = axis.norm() * extent + move.norm() < at_rest * spacing;
    if (rests && step + 2 < round.steps) step = round.steps - 2;
  }
  return result;
}

IcpResult refine_mating(const OrientedCloud& a, const OrientedCloud& b, const Rigid3& a_from_b,
                        const IcpRound& round) {
  const StandingCloud standing{&a, Rigid3{}};
  return refine_among({&standing, 1}, b, a_from_b, round);
}

}  // namespace pmtr
