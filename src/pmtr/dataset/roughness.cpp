// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/roughness.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>

#include "pmtr/core/check.h"

namespace pmtr {

Roughness measure_roughness(const TriangleMesh& piece, std::span<const std::int32_t> partner,
                            std::int32_t other) {
  PMTR_CHECK(partner.size() == piece.faces.size(), "one partner per triangle");
  double area = 0.0;
  Eigen::Vector3d first = Eigen::Vector3d::Zero();   // integral of the position
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();  // of its outer product
  Eigen::Vector3d normals = Eigen::Vector3d::Zero();
  const Eigen::Vector3d origin = piece.vertices.empty() ? Eigen::Vector3d::Zero() : piece.vertices.front();
  const auto each = [&](const auto& visit) {
    for (std::size_t f = 0; f < partner.size(); ++f) {
      if (partner[f] != other) continue;
      const auto& face = piece.faces[f];
      const Eigen::Vector3d a = piece.vertices[face[0]] - origin;
      const Eigen::Vector3d b = piece.vertices[face[1]] - origin;
      const Eigen::Vector3d c = piece.vertices[face[2]] - origin;
      visit(a, b, c, Eigen::Vector3d(0.5 * (b - a).cross(c - a)));
    }
  };
  each([&](const auto& a, const auto& b, const auto& c, const auto& normal) {
    const double weight = normal.norm();
    const Eigen::Vector3d sum = a + b + c;
    area += weight;
    normals += normal;
    first += weight / 3.0 * sum;
    second +=
        weight / 12.0 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + sum * sum.transpose());
  });
  Roughness result;
  if (!(area > 0.0)) return result;
  const Eigen::Vector3d mean = first / area;
  const Eigen::Matrix3d covariance = second / area - mean * mean.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(covariance, Eigen::EigenvaluesOnly);
  result.relief = std::sqrt(std::max(0.0, solver.eigenvalues()[0]) / area);
  const Eigen::Vector3d direction = normals.stableNormalized();
  double squares = 0.0;
  each([&](const auto&, const auto&, const auto&, const auto& normal) {
    const double weight = normal.norm();
    if (!(weight > 0.0)) return;
    const double angle = std::acos(std::clamp(normal.dot(direction) / weight, -1.0, 1.0));
    squares += weight * angle * angle;
  });
  result.normal_spread_deg = std::sqrt(squares / area) * 180.0 / std::numbers::pi;
  return result;
}

}  // namespace pmtr
