// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/wear.h"

#include <algorithm>
#include <cmath>

#include <Eigen/Geometry>

#include "pmtr/core/check.h"
#include "pmtr/fracture/cut/height_noise.h"
#include "pmtr/fracture/cut/triangle_crossing.h"
#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

using Eigen::Vector3d;

/// The loss at distance 1: inward at the fracture surface, nothing elsewhere, then spread along edges. Short
/// edges bind more, so that slivers move as one.
std::vector<Vector3d> loss_of(const TriangleMesh& piece, const std::vector<bool>& is_fracture, double size,
                              const WearOptions& options, Random& random) {
  std::vector<Vector3d> loss(piece.vertices.size(), Vector3d::Zero());
  std::vector<bool> broken(piece.vertices.size());
  for (std::size_t f = 0; f < piece.faces.size(); ++f) {
    const auto& [a, b, c] = piece.faces[f];
    const Vector3d normal =
        (piece.vertices[b] - piece.vertices[a]).cross(piece.vertices[c] - piece.vertices[a]);
    for (const std::uint32_t v : piece.faces[f]) {
      loss[v] -= normal;
      broken[v] = broken[v] || is_fracture[f];
    }
  }
  RoughnessOptions bumps;
  bumps.amplitude = 1 / size;  // heights from -1 to 1
  bumps.wavelength = 0.3;
  bumps.scales = 1;
  const HeightNoise noise(bumps, size, 1e-6 * size, random);
  const Eigen::Matrix3d axes = random.rotation();
  for (std::size_t v = 0; v < loss.size(); ++v) {
    if (!broken[v] || loss[v].norm() <= 0) {
      loss[v].setZero();
      continue;
    }
    const Vector3d p = axes * piece.vertices[v];
    const double uneven = noise.height(p.x() + 0.4 * p.z(), p.y() - 0.3 * p.z());
    loss[v] = loss[v].normalized() * std::max(0.0, 1 + options.unevenness * uneven);
  }
  std::vector<Vector3d> sum(loss.size());
  std::vector<double> weights(loss.size());
  for (int round = 0; round < options.smoothing; ++round) {
    std::fill(sum.begin(), sum.end(), Vector3d::Zero());
    std::fill(weights.begin(), weights.end(), 0.0);
    for (const auto& face : piece.faces) {
      for (std::size_t i = 0; i < 3; ++i) {
        const std::uint32_t a = face[i];
        const std::uint32_t b = face[(i + 1) % 3];
        const double weight = 1 / std::max((piece.vertices[a] - piece.vertices[b]).norm(), 1e-9 * size);
        sum[a] += weight * loss[b];
        weights[a] += weight;
      }
    }
    for (std::size_t v = 0; v < loss.size(); ++v)
      if (weights[v] > 0) loss[v] = 0.5 * loss[v] + 0.5 * sum[v] / weights[v];
  }
  return loss;
}

/// Vertices of the faces and of their neighbours lose less.
void hold_back(const TriangleMesh& piece, const std::vector<std::size_t>& faces, double factor,
               std::vector<double>& share) {
  std::vector<bool> near(share.size());
  for (const std::size_t f : faces)
    for (const std::uint32_t v : piece.faces[f]) near[v] = true;
  std::vector<bool> around = near;
  for (const auto& face : piece.faces) {
    if (!near[face[0]] && !near[face[1]] && !near[face[2]]) continue;
    for (const std::uint32_t v : face) around[v] = true;
  }
  for (std::size_t v = 0; v < share.size(); ++v)
    if (around[v]) share[v] *= factor;
}

}  // namespace

Status WearOptions::validate() const {
  if (!(distance >= 0 && distance <= 0.05)) return invalid_option("wear must be from 0 to 0.05 of a piece");
  if (!(unevenness >= 0 && unevenness <= 1))
    return invalid_option("the unevenness of wear must be from 0 to 1");
  if (smoothing < 0 || smoothing > 100)
    return invalid_option("the smoothing of wear must be from 0 to 100 rounds");
  return {};
}

double wear_piece(TriangleMesh& piece, const std::vector<bool>& is_fracture, const WearOptions& options,
                  Random& random) {
  PMTR_CHECK(is_fracture.size() == piece.faces.size(), "one mark per face");
  if (piece.vertices.empty()) return 0;
  const double size = longest_side(piece);
  const std::vector<Vector3d> loss = loss_of(piece, is_fracture, size, options, random);
  const std::vector<Vector3d> before = piece.vertices;
  std::vector<double> share(before.size(), 1.0);
  constexpr int rounds = 16;
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t v = 0; v < before.size(); ++v) {
      const Vector3d worn = before[v] + options.distance * size * share[v] * loss[v];
      piece.vertices[v] = share[v] > 0 ? Vector3d(worn.cast<float>().cast<double>()) : before[v];
    }
    const std::vector<std::size_t> crossing = crossing_triangles(piece.vertices, piece.faces);
    if (crossing.empty()) {
      double sum = 0;
      double count = 0;
      for (std::size_t v = 0; v < before.size(); ++v) {
        if (loss[v].norm() < 0.5) continue;
        sum += share[v];
        count += 1;
      }
      return count > 0 ? options.distance * size * sum / count : 0;
    }
    hold_back(piece, crossing, round < rounds / 2 ? 0.5 : 0.0, share);
  }
  piece.vertices = before;
  return 0;
}

}  // namespace pmtr
