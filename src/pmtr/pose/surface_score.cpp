// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/surface_score.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pmtr/pyramid/neighbours.h"

namespace pmtr {
namespace {

// What a border point that continues is worth, in fracture points: it fixes two directions, and there are
// few.
constexpr float border_worth = 2.0F;
// How far along the border a guess from one border point must hold, in point spacings.
constexpr float rim_reach = 12.0F;

constexpr double far_larger = 4.0;

double break_area(const OrientedCloud& cloud) {
  return static_cast<double>(cloud.fracture.size()) * cloud.point_area();
}

template <class Point>
std::vector<Point> shuffled(std::vector<Point> points, Random& random) {
  for (std::size_t i = points.size(); i > 1; --i) std::swap(points[i - 1], points[random.below(i)]);
  return points;
}

}  // namespace

SurfaceScore::SurfaceScore(const OrientedCloud& a, const OrientedCloud& b, bool for_guesses, Random random)
    : a_(a),
      b_(b),
      a_fracture_(shuffled(a.fracture, random)),
      a_outer_(shuffled(a.outer, random)),
      b_fracture_(shuffled(b.fracture, random)),
      b_outer_(shuffled(b.outer, random)),
      a_border_(shuffled(a.border, random)),
      b_border_(shuffled(b.border, random)),
      b_patches_(for_guesses ? b.fracture.size() : 0) {
  if (!for_guesses) return;
  walk_patches(random);
  walk_rims(random);
}

SurfaceScore::SurfaceScore(const OrientedCloud& a, const OrientedCloud& b, DrawnSurface of_a,
                           DrawnSurface of_b)
    : a_(a),
      b_(b),
      a_fracture_(std::move(of_a.fracture)),
      a_outer_(std::move(of_a.outer)),
      b_fracture_(std::move(of_b.fracture)),
      b_outer_(std::move(of_b.outer)),
      a_border_(std::move(of_a.border)),
      b_border_(std::move(of_b.border)) {}

DrawnSurface draw_surface(const OrientedCloud& cloud, std::size_t most, Random random) {
  const auto draw = [&](const auto& all) {
    auto points = shuffled(all, random);
    if (points.size() > most) points.resize(most);
    points.shrink_to_fit();
    return points;
  };
  DrawnSurface drawn;
  drawn.fracture = draw(cloud.fracture);
  drawn.outer = draw(cloud.outer);
  drawn.border = draw(cloud.border);
  return drawn;
}

void SurfaceScore::walk_patches(Random& random) {
  // Random walks from neighbour to neighbour stay on the surface and cost no search.
  for (std::size_t i = 0; i < b_patches_.size(); ++i) {
    for (std::size_t k = 0; k < patch_size; ++k) {
      auto at = static_cast<std::int32_t>(i);
      const std::size_t steps = 2 + 2 * k;
      std::uint64_t bits = random.bits();
      for (std::size_t s = 0; s < steps; ++s, bits >>= 3U) {
        if (s == 20) bits = random.bits();
        at = b_.fracture_neighbours[static_cast<std::size_t>(at)][bits & 7U];
      }
      b_patches_[i][k] = at;
    }
  }
}

void SurfaceScore::walk_rims(Random& random) {
  std::vector<Eigen::Vector3f> places;
  for (const BorderPoint& p : b_.border) places.push_back(p.position);
  b_rims_.resize(places.size());
  if (places.empty()) return;
  const NeighbourTable table =
      find_neighbours(places, places, rim_reach * b_.spacing, 64, TieOrder::index, Threads::none());
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::size_t count = 0;
    const auto row = table.row(static_cast<std::int64_t>(i));
    while (count < row.size() && static_cast<std::size_t>(row[count]) < places.size()) ++count;
    // The nearer half says little: the frame itself was made there.
    const std::size_t first = count / 2;
    for (auto& other : b_rims_[i])
      other = count == 0 ? static_cast<std::int32_t>(i) : row[first + random.below(count - first)];
  }
}

namespace {

/// 0 to 1 for a point in contact, a little less than 0 for one on the wrong side of a wall, 0 for all others;
/// `belief` is how surely both points lie on fractures.
[[gnu::always_inline]] inline float contact_rating(const OrientedCloud& fixed,
                                                   const Eigen::Matrix3f& rotation, const Eigen::Vector3f& at,
                                                   const OrientedPoint& point,
                                                   const ScoreTolerance& tolerance, float& belief) {
  const std::int32_t near = fixed.fracture_field.lookup(at);
  if (near >= 0) {
    const OrientedPoint& other = fixed.fracture[static_cast<std::size_t>(near)];
    const Eigen::Vector3f offset = at - other.position;
    const float height = offset.dot(other.normal);
    if (std::abs(height) < tolerance.plane && offset.squaredNorm() < tolerance.lateral * tolerance.lateral) {
      const float facing = -other.normal.dot(rotation * point.normal);
      if (facing > tolerance.facing) {
        const float closeness = 1.0F - std::abs(height) / tolerance.plane;
        belief = point.score * other.score;
        return std::min(1.0F, 1.5F * (facing - tolerance.facing) / (1.0F - tolerance.facing)) *
               (0.2F + 0.8F * closeness);
      }
      if (facing < -0.5F) {
        belief = 1.0F;
        return -0.3F;
      }
    }
  }
  return 0.0F;
}

}  // namespace

float SurfaceScore::fracture_rating(const OrientedCloud& fixed, const Eigen::Matrix3f& rotation,
                                    const Eigen::Vector3f& translation, const OrientedPoint& point,
                                    const ScoreTolerance& tolerance, float penetration_weight) const {
  const Eigen::Vector3f at = rotation * point.position + translation;
  float belief = 0.0F;
  const float contact = contact_rating(fixed, rotation, at, point, tolerance, belief);
  if (contact != 0.0F) return contact * belief;
  const std::int32_t surface = fixed.surface_field.lookup(at);
  if (surface == NearestField::inside) return -penetration_weight;
  if (surface >= 0) {
    const OrientedPoint& other = fixed.points[static_cast<std::size_t>(surface)];
    const Eigen::Vector3f offset = at - other.position;
    const float height = offset.dot(other.normal);
    // Only where the offset points straight inwards: beside an edge the sign of the height means little.
    if (height < -tolerance.depth && height * height > 0.5F * offset.squaredNorm())
      return -penetration_weight;
  }
  return 0.0F;
}

bool SurfaceScore::outer_collides(const OrientedCloud& fixed, const Eigen::Matrix3f& rotation,
                                  const Eigen::Vector3f& translation, const OrientedPoint& point,
                                  const ScoreTolerance& tolerance) const {
  const Eigen::Vector3f at = rotation * point.position + translation;
  const std::int32_t surface = fixed.surface_field.lookup(at);
  if (surface == NearestField::inside) return true;
  if (surface < 0) return false;
  const OrientedPoint& other = fixed.points[static_cast<std::size_t>(surface)];
  const Eigen::Vector3f offset = at - other.position;
  const float height = offset.dot(other.normal);
  if (height < -tolerance.depth && height * height > 0.5F * offset.squaredNorm()) return true;
  // Two walls in the same place: too thin to be inside of, but facing the same way at the same height.
  const float beside = offset.squaredNorm() - height * height;
  return std::abs(height) < tolerance.plane && beside < 0.64F * fixed.spacing * fixed.spacing &&
         fixed.near_border[static_cast<std::size_t>(surface)] == 0 &&
         other.normal.dot(rotation * point.normal) > 0.7F;
}

bool SurfaceScore::border_continues(const OrientedCloud& fixed, const Eigen::Matrix3f& rotation,
                                    const Eigen::Vector3f& translation, const BorderPoint& place,
                                    const ScoreTolerance& tolerance) const {
  const Eigen::Vector3f at = rotation * place.position + translation;
  const std::int32_t near = fixed.border_field.lookup(at);
  if (near < 0) return false;
  const BorderPoint& other = fixed.border[static_cast<std::size_t>(near)];
  const Eigen::Vector3f offset = at - other.position;
  if (offset.squaredNorm() > tolerance.lateral * tolerance.lateral) return false;
  const Eigen::Vector3f outer = rotation * place.outer_normal;
  return outer.dot(other.outer_normal) > 0.8F && std::abs(offset.dot(other.outer_normal)) < tolerance.plane &&
         std::abs(offset.dot(other.fracture_normal)) < tolerance.plane &&
         other.fracture_normal.dot(rotation * place.fracture_normal) < -0.7F;
}

float SurfaceScore::quick(const PoseHypothesis& hypothesis, int points,
                          const ScoreTolerance& tolerance) const {
  const Eigen::Matrix3f& rotation = hypothesis.rotation;
  const Eigen::Vector3f& translation = hypothesis.translation;
  constexpr float hopeless = -10.0F;
  float sum = 0.0F;
  if (hypothesis.b_border >= 0) {
    int held = 0;
    const auto& rim = b_rims_[static_cast<std::size_t>(hypothesis.b_border)];
    for (std::size_t k = 0; k < rim_size; ++k) {
      held +=
          border_continues(a_, rotation, translation, b_.border[static_cast<std::size_t>(rim[k])], tolerance)
              ? 1
              : 0;
      if (k == 3 && held == 0) return hopeless;
    }
    if (held < 2) return hopeless;
  }
  const auto& first = b_patches_[static_cast<std::size_t>(hypothesis.b_first)];
  const auto& second = b_patches_[static_cast<std::size_t>(hypothesis.b_second)];
  // Whether a guess holds where it was made is a matter of shape alone: weak labels must not end it.
  float shape = 0.0F;
  for (std::size_t k = 0; k < patch_size; ++k) {
    const OrientedPoint& p = b_.fracture[static_cast<std::size_t>(k % 2 == 1 ? second[k] : first[k])];
    float belief = 0.0F;
    const float contact =
        contact_rating(a_, rotation, rotation * p.position + translation, p, tolerance, belief);
    shape += contact;
    sum += contact * belief;
    if (k == 3 && shape < 0.5F) return hopeless;
    if (k == 7 && shape < 1.5F) return hopeless;
  }
  if (shape < 3.0F) return hopeless;
  const std::size_t places = std::min<std::size_t>(static_cast<std::size_t>(points) / 2, b_border_.size());
  for (std::size_t k = 0; k < places; ++k) {
    if (border_continues(a_, rotation, translation, b_border_[k], tolerance)) sum += 0.5F * border_worth;
  }
  const auto count = std::min(static_cast<std::size_t>(points), b_fracture_.size());
  for (std::size_t k = 0; k < count; ++k) {
    sum += fracture_rating(a_, rotation, translation, b_fracture_[k], tolerance, 1.0F);
    if (k == 15 && count > 16 && sum < 0.5F) return hopeless;
  }
  return sum;
}

// Few points stand for all of the moving surface.
float SurfaceScore::one_way(const OrientedCloud& fixed, const OrientedCloud& moving,
                            const std::vector<OrientedPoint>& fracture,
                            const std::vector<OrientedPoint>& outer, const std::vector<BorderPoint>& border,
                            const Eigen::Matrix3f& rotation, const Eigen::Vector3f& translation,
                            std::size_t points, const ScoreTolerance& tolerance,
                            float penetration_weight) const {
  const float point_area = moving.spacing * moving.spacing;
  float contact = 0.0F;
  const std::size_t taken = std::min(points, fracture.size());
  for (std::size_t k = 0; k < taken; ++k) {
    contact += fracture_rating(fixed, rotation, translation, fracture[k], tolerance, penetration_weight);
  }
  if (taken > 0) contact *= static_cast<float>(moving.fracture.size()) / static_cast<float>(taken);
  const std::size_t places = std::min(points, border.size());
  std::size_t continued = 0;
  for (std::size_t k = 0; k < places; ++k)
    continued += border_continues(fixed, rotation, translation, border[k], tolerance) ? 1U : 0U;
  if (places > 0) {
    contact += border_worth * static_cast<float>(continued) * static_cast<float>(moving.border.size()) /
               static_cast<float>(places);
  }
  std::size_t collisions = 0;
  const std::size_t tested = std::min(points, outer.size());
  for (std::size_t k = 0; k < tested; ++k) {
    collisions += outer_collides(fixed, rotation, translation, outer[k], tolerance) ? 1U : 0U;
  }
  float inside = 0.0F;
  if (tested > 0) {
    inside =
        static_cast<float>(collisions) * static_cast<float>(moving.outer.size()) / static_cast<float>(tested);
  }
  return point_area * (contact - penetration_weight * inside);
}

float SurfaceScore::full(const PoseHypothesis& hypothesis, std::size_t points,
                         const ScoreTolerance& tolerance, float penetration_weight) const {
  const Eigen::Matrix3f back = hypothesis.rotation.transpose();
  const Eigen::Vector3f back_translation = -(back * hypothesis.translation);
  const auto b_on_a = [&] {
    return one_way(a_, b_, b_fracture_, b_outer_, b_border_, hypothesis.rotation, hypothesis.translation,
                   points, tolerance, penetration_weight);
  };
  // Few of the points drawn from a far larger break lie in the contact: they would only add noise.
  if (break_area(a_) > far_larger * break_area(b_)) return b_on_a();
  return 0.5F * (b_on_a() + one_way(b_, a_, a_fracture_, a_outer_, a_border_, back, back_translation, points,
                                    tolerance, penetration_weight));
}

}  // namespace pmtr
