// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/shapes/shape_figure.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <unordered_map>

#include <Eigen/Geometry>

namespace pmtr {
namespace {

using Eigen::Vector3d;

struct Limb {
  Vector3d from, to;
  double radius_from, radius_to;
};

double distance(const Limb& limb, const Vector3d& p) {
  const Vector3d axis = limb.to - limb.from;
  const double t = std::clamp((p - limb.from).dot(axis) / std::max(axis.squaredNorm(), 1e-12), 0.0, 1.0);
  return (p - limb.from - t * axis).norm() - (limb.radius_from + t * (limb.radius_to - limb.radius_from));
}

/// Limbs flow into each other: the distance to their smooth union.
double figure_distance(const std::vector<Limb>& limbs, const Vector3d& p) {
  constexpr double blend = 0.03;
  double sum = 0;
  for (const Limb& limb : limbs) sum += std::exp(-distance(limb, p) / blend);
  return sum > 1e-300 ? -blend * std::log(sum) : 1.0;
}

std::vector<Limb> draw_limbs(Random& random) {
  const auto r = [&](double low, double high) { return random.uniform(low, high); };
  std::vector<Limb> limbs;
  const Vector3d hip(0, 0, 0.2);
  const Vector3d neck(r(-0.05, 0.05), r(-0.05, 0.05), r(0.55, 0.65));
  limbs.push_back({hip, neck, r(0.13, 0.2), r(0.1, 0.15)});
  limbs.push_back({neck, neck + Vector3d(r(-0.05, 0.05), r(-0.05, 0.05), r(0.14, 0.2)), 0.06, r(0.08, 0.11)});
  limbs.push_back({Vector3d(0, 0, 0.04), Vector3d(0, 0, 0.06), r(0.2, 0.26), 0.2});  // a foot to stand on
  const int arms = 1 + static_cast<int>(random.below(4));
  for (int i = 0; i < arms; ++i) {
    const double angle = r(0, 2 * M_PI);
    const Vector3d out(std::cos(angle), std::sin(angle), 0);
    const Vector3d shoulder = hip + r(0.2, 0.9) * (neck - hip) + 0.1 * out;
    const Vector3d elbow = shoulder + r(0.15, 0.25) * out + r(-0.15, 0.15) * Vector3d::UnitZ();
    const double thick = r(0.04, 0.07);
    limbs.push_back({shoulder, elbow, thick, 0.9 * thick});
    limbs.push_back({elbow, elbow + r(0.08, 0.2) * (out + Vector3d(0, 0, r(-1, 1))).normalized(), 0.9 * thick,
                     r(0.6, 0.9) * thick});
  }
  return limbs;
}

/// The zero level of values on a grid, by tetrahedra: always closed, because neighbours cut their common
/// faces in the same way.
class LevelSurface {
 public:
  LevelSurface(const std::vector<Limb>& limbs, const Vector3d& low, double step,
               const std::array<int, 3>& count)
      : low_(low), step_(step), count_(count) {
    values_.reserve(static_cast<std::size_t>(count[0]) * count[1] * count[2]);
    for (int x = 0; x < count[0]; ++x)
      for (int y = 0; y < count[1]; ++y)
        for (int z = 0; z < count[2]; ++z) values_.push_back(figure_distance(limbs, point(x, y, z)));
  }

  TriangleMesh build() {
    for (int x = 0; x + 1 < count_[0]; ++x)
      for (int y = 0; y + 1 < count_[1]; ++y)
        for (int z = 0; z + 1 < count_[2]; ++z) cube(x, y, z);
    return std::move(mesh_);
  }

 private:
  Vector3d point(int x, int y, int z) const { return low_ + step_ * Vector3d(x, y, z); }
  std::uint32_t index(int x, int y, int z) const {
    return static_cast<std::uint32_t>((x * count_[1] + y) * count_[2] + z);
  }
  Vector3d point(std::uint32_t i) const {
    const int z = static_cast<int>(i) % count_[2];
    const int xy = static_cast<int>(i) / count_[2];
    return point(xy / count_[1], xy % count_[1], z);
  }

  void cube(int x, int y, int z) {
    // Six tetrahedra around the diagonal: one for each order of going along the axes.
    constexpr std::array<std::array<int, 3>, 6> orders{
        {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}}};
    for (std::size_t k = 0; k < 6; ++k) {
      std::array<int, 3> at{x, y, z};
      std::array<std::uint32_t, 4> corners{index(x, y, z)};
      for (std::size_t i = 0; i < 3; ++i) {
        ++at[static_cast<std::size_t>(orders[k][i])];
        corners[i + 1] = index(at[0], at[1], at[2]);
      }
      if (k >= 3) std::swap(corners[1], corners[2]);  // the odd orders are mirrored
      tetrahedron(corners);
    }
  }

  bool inside(std::uint32_t i) const { return values_[i] < 0; }

  std::uint32_t vertex(std::uint32_t a, std::uint32_t b) {
    if (a > b) std::swap(a, b);
    const std::uint64_t key = (static_cast<std::uint64_t>(a) << 32U) | b;
    const auto [entry, is_new] =
        vertices_.try_emplace(key, static_cast<std::uint32_t>(mesh_.vertices.size()));
    if (is_new) {
      const double t = std::clamp(values_[a] / (values_[a] - values_[b]), 0.15, 0.85);  // no slivers
      mesh_.vertices.push_back(point(a) + t * (point(b) - point(a)));
    }
    return entry->second;
  }

  void tetrahedron(const std::array<std::uint32_t, 4>& c) {
    std::array<std::uint32_t, 4> in{};
    std::array<std::uint32_t, 4> out{};
    std::size_t ins = 0;
    std::size_t outs = 0;
    for (const std::uint32_t i : c) (inside(i) ? in[ins++] : out[outs++]) = i;
    const auto face = [&](std::uint32_t p, std::uint32_t q, std::uint32_t r) {
      // Outward is away from the inner corner.
      const Vector3d a = mesh_.vertices[p];
      const Vector3d normal = (mesh_.vertices[q] - a).cross(mesh_.vertices[r] - a);
      if (normal.dot(a - point(in[0])) > 0) {
        mesh_.faces.push_back({p, q, r});
      } else {
        mesh_.faces.push_back({p, r, q});
      }
    };
    if (ins == 1) {
      face(vertex(in[0], out[0]), vertex(in[0], out[1]), vertex(in[0], out[2]));
    } else if (ins == 3) {
      face(vertex(in[0], out[0]), vertex(in[1], out[0]), vertex(in[2], out[0]));
    } else if (ins == 2) {
      const std::uint32_t a = vertex(in[0], out[0]);
      const std::uint32_t b = vertex(in[0], out[1]);
      const std::uint32_t d = vertex(in[1], out[0]);
      const std::uint32_t e = vertex(in[1], out[1]);
      face(a, b, e);
      face(a, e, d);
    }
  }

  Vector3d low_;
  double step_;
  std::array<int, 3> count_;
  std::vector<double> values_;
  std::unordered_map<std::uint64_t, std::uint32_t> vertices_;
  TriangleMesh mesh_;
};

}  // namespace

TriangleMesh make_figure(int detail, Random& random) {
  const std::vector<Limb> limbs = draw_limbs(random);
  Eigen::AlignedBox3d box;
  for (const Limb& limb : limbs) {
    box.extend(limb.from - Vector3d::Constant(limb.radius_from + 0.08));
    box.extend(limb.from + Vector3d::Constant(limb.radius_from + 0.08));
    box.extend(limb.to - Vector3d::Constant(limb.radius_to + 0.08));
    box.extend(limb.to + Vector3d::Constant(limb.radius_to + 0.08));
  }
  // A surface has about three times as many triangles here as a turned one of as many steps.
  const double step = 1.6 * box.sizes().maxCoeff() / detail;
  std::array<int, 3> count{};
  for (int k = 0; k < 3; ++k)
    count[static_cast<std::size_t>(k)] = static_cast<int>(std::ceil(box.sizes()[k] / step)) + 1;
  return LevelSurface(limbs, box.min(), step, count).build();
}

}  // namespace pmtr
