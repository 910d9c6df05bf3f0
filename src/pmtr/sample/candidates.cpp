// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/sample/candidates.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>
#include <utility>

#include <fmt/format.h>
#include <Eigen/Geometry>

namespace pmtr {
namespace {

// Below this share of the square of its length a surface is a line: what rounding leaves of collinear points.
constexpr double least_area = 1e-12;

Eigen::Vector3d local(const FragmentSurface& surface, std::size_t vertex) {
  return (surface.mesh->vertices[vertex] - surface.centre) / surface.scale;
}

/// How far its neighbours are tells how much surface belongs to a point: a disc that holds k others has k
/// times the surface of one. Those on the far side of a wall do not count, where normals tell.
double estimate_cloud_area(const FragmentSurface& surface) {
  constexpr std::size_t most_looked_at = 12'000;
  constexpr std::size_t most_asked = 500;
  constexpr std::size_t neighbours = 16;
  constexpr float same_side = -0.5F;
  const TriangleMesh& mesh = *surface.mesh;
  const std::size_t stride = 1 + mesh.vertices.size() / most_looked_at;
  std::vector<Eigen::Vector3f> points, normals;
  for (std::size_t i = 0; i < mesh.vertices.size(); i += stride) {
    points.push_back(local(surface, i).cast<float>());
    if (!mesh.normals.empty()) normals.push_back(mesh.normals[i].stableNormalized());
  }
  const std::size_t k = std::min(neighbours, points.size() - 1);
  const std::size_t step = 1 + points.size() / most_asked;
  double sum = 0.0;
  std::size_t asked = 0;
  std::vector<float> distances;
  for (std::size_t i = 0; i < points.size(); i += step, ++asked) {
    distances.clear();
    for (std::size_t j = 0; j < points.size(); ++j) {
      if (j == i || (!normals.empty() && normals[i].dot(normals[j]) < same_side)) continue;
      distances.push_back((points[j] - points[i]).squaredNorm());
    }
    const std::size_t nearest = std::min(k, distances.size());
    if (nearest == 0) continue;
    const auto farthest = distances.begin() + static_cast<std::ptrdiff_t>(nearest - 1);
    std::nth_element(distances.begin(), farthest, distances.end());
    sum += std::numbers::pi * static_cast<double>(*farthest) / static_cast<double>(nearest);
  }
  // Never nothing: a heap of copies has a place all the same.
  return std::max(1e-9, sum / static_cast<double>(asked) * static_cast<double>(points.size()));
}

Status measure_faces(FragmentSurface& surface, std::string_view name) {
  const TriangleMesh& mesh = *surface.mesh;
  surface.cumulative_area.reserve(mesh.faces.size());
  double sum = 0.0;
  for (const auto& face : mesh.faces) {
    for (const std::uint32_t vertex : face) {
      if (vertex >= mesh.vertices.size()) {
        return Error{Cause::malformed,
                     fmt::format("{}: a face names vertex {} of {}", name, vertex, mesh.vertices.size()),
                     {}};
      }
    }
    const Eigen::Vector3d a = local(surface, face[0]);
    sum += 0.5 * (local(surface, face[1]) - a).cross(local(surface, face[2]) - a).norm();
    surface.cumulative_area.push_back(sum);
  }
  surface.local_area = sum;
  if (!(sum > least_area)) {
    return Error{Cause::degenerate, fmt::format("{}: its faces have no area", name), {}};
  }
  return {};
}

std::vector<std::size_t> shuffled(std::size_t n, Random& random) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

Candidates draw_from_faces(const FragmentSurface& surface, std::size_t count, Random& random) {
  const auto& area = surface.cumulative_area;
  const TriangleMesh& mesh = *surface.mesh;
  Candidates result{
      .positions = {}, .normals = {}, .faces = {}, .centre = surface.centre, .scale = surface.scale};
  result.positions.resize(count);
  result.normals.resize(count);
  result.faces.resize(count);
  const std::vector<std::size_t> order = shuffled(count, random);
  const double step = surface.local_area / static_cast<double>(count);
  std::size_t face = 0;
  std::size_t loaded = mesh.faces.size();
  Eigen::Vector3d a = Eigen::Vector3d::Zero();
  Eigen::Vector3d ab = a;
  Eigen::Vector3d ac = a;
  Eigen::Vector3f normal = Eigen::Vector3f::Zero();
  for (std::size_t i = 0; i < count; ++i) {
    // One candidate in each of `count` equal parts of the area: even before anything is chosen.
    const double target = (static_cast<double>(i) + random.uniform()) * step;
    while (face + 1 < area.size() && area[face] <= target) ++face;
    // Rounding can push the last target past the last face that has an area.
    while (face > 0 && area[face] == area[face - 1]) --face;
    if (loaded != face) {
      loaded = face;
      a = local(surface, mesh.faces[face][0]);
      ab = local(surface, mesh.faces[face][1]) - a;
      ac = local(surface, mesh.faces[face][2]) - a;
      normal = ab.cross(ac).stableNormalized().cast<float>();
    }
    double u = random.uniform();
    double v = random.uniform();
    if (u + v > 1.0) {
      u = 1.0 - u;
      v = 1.0 - v;
    }
    result.positions[order[i]] = (a + u * ab + v * ac).cast<float>();
    result.normals[order[i]] = normal;
    result.faces[order[i]] = static_cast<std::uint32_t>(face);
  }
  return result;
}

Candidates draw_from_vertices(const FragmentSurface& surface, std::size_t count, Random& random) {
  const TriangleMesh& mesh = *surface.mesh;
  Candidates result{
      .positions = {}, .normals = {}, .faces = {}, .centre = surface.centre, .scale = surface.scale};
  // A normal without length says nothing, and the promise is all or none.
  const bool normals_known =
      !mesh.normals.empty() && std::all_of(mesh.normals.begin(), mesh.normals.end(),
                                           [](const Eigen::Vector3f& n) { return n.stableNorm() > 0.0F; });
  std::vector<std::size_t> order = shuffled(mesh.vertices.size(), random);
  order.resize(std::min(order.size(), count));
  for (const std::size_t i : order) {
    result.positions.push_back(local(surface, i).cast<float>());
    result.faces.push_back(static_cast<std::uint32_t>(i));
    if (normals_known) result.normals.push_back(mesh.normals[i].stableNormalized());
  }
  return result;
}

}  // namespace

Result<FragmentSurface> measure_surface(const TriangleMesh& mesh, std::string_view name) {
  if (mesh.vertices.empty()) return Error{Cause::empty, fmt::format("{}: no vertices", name), {}};
  Eigen::Vector3d low = mesh.vertices.front();
  Eigen::Vector3d high = low;
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    const Eigen::Vector3d& p = mesh.vertices[i];
    if (!p.allFinite())
      return Error{Cause::not_finite, fmt::format("{}: vertex {} is not finite", name, i), {}};
    low = low.cwiseMin(p);
    high = high.cwiseMax(p);
  }
  if (!mesh.normals.empty() && mesh.normals.size() != mesh.vertices.size()) {
    return Error{
        Cause::malformed,
        fmt::format("{}: {} normals for {} vertices", name, mesh.normals.size(), mesh.vertices.size()),
        {}};
  }
  for (std::size_t i = 0; i < mesh.normals.size(); ++i) {
    if (!mesh.normals[i].allFinite()) {
      return Error{Cause::not_finite, fmt::format("{}: normal {} is not finite", name, i), {}};
    }
  }
  FragmentSurface surface;
  surface.mesh = &mesh;
  surface.centre = 0.5 * low + 0.5 * high;
  surface.scale = (high - low).maxCoeff();
  if (!(high.cwiseAbs().cwiseMax(low.cwiseAbs()).maxCoeff() < 1e30)) {
    return Error{Cause::too_large, fmt::format("{}: coordinates beyond 1e30", name), {}};
  }
  // Squares of anything smaller vanish, and single precision ends there.
  if (!(surface.scale > 1e-30)) {
    return Error{Cause::degenerate, fmt::format("{}: all its points are one point", name), {}};
  }
  if (mesh.faces.empty()) {
    surface.local_area = estimate_cloud_area(surface);
  } else {
    PMTR_TRY_STATUS(measure_faces(surface, name));
  }
  return surface;
}

Candidates draw_candidates(const FragmentSurface& surface, std::size_t count, Random& random) {
  return surface.mesh->faces.empty() ? draw_from_vertices(surface, count, random)
                                     : draw_from_faces(surface, count, random);
}

}  // namespace pmtr
