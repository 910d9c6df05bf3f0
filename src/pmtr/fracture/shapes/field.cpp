// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/shapes/field.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <Eigen/Geometry>

namespace pmtr::field {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

double smooth_min(double a, double b, double blend) {
  const double least = std::min(a, b);
  const double near = blend - std::abs(a - b);
  return near > 0 ? least - near * near / (4 * blend) : least;
}

double smooth_max(double a, double b, double blend) { return -smooth_min(-a, -b, blend); }

/// From distances along two directions that are at right angles.
double corner(double a, double b) {
  return std::min(std::max(a, b), 0.0) + std::hypot(std::max(a, 0.0), std::max(b, 0.0));
}

double polygon_distance(const std::vector<Vector2d>& points, const Vector2d& p) {
  double least = (p - points[0]).squaredNorm();
  bool inside = false;
  for (std::size_t i = 0, j = points.size() - 1; i < points.size(); j = i++) {
    const Vector2d edge = points[j] - points[i];
    const Vector2d to = p - points[i];
    const double t = std::clamp(to.dot(edge) / edge.squaredNorm(), 0.0, 1.0);
    least = std::min(least, (to - t * edge).squaredNorm());
    const bool above = points[i].y() > p.y();
    if (above != (points[j].y() > p.y()) && (edge.x() * to.y() - edge.y() * to.x() < 0) == (edge.y() > 0))
      inside = !inside;
  }
  return inside ? -std::sqrt(least) : std::sqrt(least);
}

}  // namespace

Field capsule(const Vector3d& a, const Vector3d& b, double radius_a, double radius_b) {
  const Vector3d axis = b - a;
  const double length2 = std::max(axis.squaredNorm(), 1e-12);
  return [=](const Vector3d& p) {
    const double t = std::clamp((p - a).dot(axis) / length2, 0.0, 1.0);
    return (p - a - t * axis).norm() - (radius_a + t * (radius_b - radius_a));
  };
}

Field chain(const std::vector<Vector3d>& points, const std::vector<double>& radii) {
  std::vector<Vector3d> middles;
  std::vector<double> reach;  // of each rod from its middle
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    middles.push_back(0.5 * (points[i] + points[i + 1]));
    reach.push_back(0.5 * (points[i + 1] - points[i]).norm() + std::max(radii[i], radii[i + 1]));
  }
  return [=](const Vector3d& p) {
    double least = 1e9;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      if (const double far = least + reach[i]; far > 0 && (p - middles[i]).squaredNorm() > far * far)
        continue;
      const Vector3d axis = points[i + 1] - points[i];
      const double t = std::clamp((p - points[i]).dot(axis) / axis.squaredNorm(), 0.0, 1.0);
      const double radius = radii[i] + t * (radii[i + 1] - radii[i]);
      least = std::min(least, (p - points[i] - t * axis).norm() - radius);
    }
    return least;
  };
}

Field ellipsoid(const Vector3d& centre, const Vector3d& radii) {
  const Vector3d once = radii.cwiseInverse();
  const Vector3d twice = once.cwiseProduct(once);
  const double least = radii.minCoeff();
  return [=](const Vector3d& p) {
    const double k = (p - centre).cwiseProduct(once).norm();
    const double slope = (p - centre).cwiseProduct(twice).norm();
    return slope > 1e-9 ? k * (k - 1) / slope : -least;
  };
}

Field box(const Vector3d& centre, const Vector3d& half, double rounding) {
  return [=](const Vector3d& p) {
    const Vector3d q = (p - centre).cwiseAbs() - half + Vector3d::Constant(rounding);
    return q.cwiseMax(0.0).norm() + std::min(q.maxCoeff(), 0.0) - rounding;
  };
}

Field torus(const Vector3d& centre, double radius, double thickness) {
  return [=](const Vector3d& p) {
    const Vector3d q = p - centre;
    return std::hypot(std::hypot(q.x(), q.y()) - radius, q.z()) - thickness;
  };
}

Field cylinder(const Vector3d& centre, double radius, double half_height, double rounding) {
  return [=](const Vector3d& p) {
    const Vector3d q = p - centre;
    return corner(std::hypot(q.x(), q.y()) - radius + rounding, std::abs(q.z()) - half_height + rounding) -
           rounding;
  };
}

Field prism(std::vector<Vector2d> outline, double half_height, double rounding) {
  return [=, outline = std::move(outline)](const Vector3d& p) {
    return corner(polygon_distance(outline, p.head<2>()) + rounding,
                  std::abs(p.z()) - half_height + rounding) -
           rounding;
  };
}

Field join(std::vector<Field> parts, double blend) {
  return [=, parts = std::move(parts)](const Vector3d& p) {
    double distance = parts[0](p);
    for (std::size_t i = 1; i < parts.size(); ++i) distance = smooth_min(distance, parts[i](p), blend);
    return distance;
  };
}

Field without(Field whole, Field hole, double blend) {
  return [=, whole = std::move(whole), hole = std::move(hole)](const Vector3d& p) {
    return smooth_max(whole(p), -hole(p), blend);
  };
}

Field common(Field a, Field b, double blend) {
  return [=, a = std::move(a), b = std::move(b)](const Vector3d& p) { return smooth_max(a(p), b(p), blend); };
}

Field shell(Field solid, double thickness) {
  return [=, solid = std::move(solid)](const Vector3d& p) {
    const double distance = solid(p);
    return std::max(distance, -distance - thickness);
  };
}

Field moved(Field part, const Vector3d& by) {
  return [=, part = std::move(part)](const Vector3d& p) { return part(p - by); };
}

Field turned(Field part, const Vector3d& axis, double angle) {
  const Eigen::Matrix3d back = Eigen::AngleAxisd(-angle, axis.normalized()).toRotationMatrix();
  return [=, part = std::move(part)](const Vector3d& p) { return part(back * p); };
}

Field mirrored(Field half) {
  return
      [half = std::move(half)](const Vector3d& p) { return half(Vector3d(std::abs(p.x()), p.y(), p.z())); };
}

Field bumpy(Field part, double height, double length, Random& random) {
  struct Wave {
    Vector3d direction;
    double phase;
  };
  std::array<Wave, 5> waves;
  for (Wave& wave : waves) {
    const Vector3d direction = random.rotation().col(0);
    wave.direction = direction * random.uniform(0.7, 1.4) * 2 * M_PI / length;
    wave.phase = random.uniform(0, 2 * M_PI);
  }
  return [=, part = std::move(part)](const Vector3d& p) {
    double distance = part(p);
    if (std::abs(distance) > 4 * height) return distance - (distance > 0 ? height : -height);
    for (const Wave& wave : waves) distance += height / 2 * std::sin(wave.direction.dot(p) + wave.phase);
    return distance;
  };
}

}  // namespace pmtr::field
