// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/page/display_layout.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <Eigen/Eigenvalues>

#include "pmtr/mesh/measures.h"
#include "pmtr/render/part_colours.h"

namespace pmtr {
namespace {

/// Mean and spread of a surface, by area; of the points where there are no faces.
struct Moments {
  double weight = 0.0;
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  Eigen::Matrix3d products = Eigen::Matrix3d::Zero();

  void add(const Eigen::Vector3d& p, double w) {
    weight += w;
    sum += w * p;
    products += w * p * p.transpose();
  }
  Eigen::Vector3d mean() const { return sum / weight; }
  Eigen::Matrix3d covariance() const { return products / weight - mean() * mean().transpose(); }
};

void add_surface(const TriangleMesh& mesh, const Rigid3& pose, Moments& moments) {
  for (const auto& [a, b, c] : mesh.faces) {
    const Eigen::Vector3d &p = mesh.vertices[a], &q = mesh.vertices[b], &r = mesh.vertices[c];
    moments.add(pose * Eigen::Vector3d((p + q + r) / 3.0), triangle_area(p, q, r));
  }
  if (!mesh.faces.empty()) return;
  for (const Eigen::Vector3d& v : mesh.vertices) moments.add(pose * v, 1.0);
}

/// A vessel has one axis unlike the other two; a plate and a slab as well. That one goes up, the heavier end
/// down.
Eigen::Matrix3d upright(const Moments& moments) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(moments.covariance());
  const Eigen::Vector3d spread = solver.eigenvalues().cwiseMax(1e-12 * solver.eigenvalues()[2] + 1e-300);
  const bool smallest_is_odd = std::log(spread[1] / spread[0]) >= std::log(spread[2] / spread[1]);
  const Eigen::Index up = smallest_is_odd ? 0 : 2;
  const Eigen::Index across = smallest_is_odd ? 2 : 1;
  Eigen::Matrix3d rotation;
  rotation.row(2) = solver.eigenvectors().col(up).transpose();
  rotation.row(0) = solver.eigenvectors().col(across).transpose();
  // Eigenvectors have no sign: take one that does not depend on the library.
  for (const int r : {0, 2}) {
    Eigen::Index largest = 0;
    rotation.row(r).cwiseAbs().maxCoeff(&largest);
    if (rotation(r, largest) < 0) rotation.row(r) *= -1.0;
  }
  rotation.row(1) = rotation.row(2).cross(rotation.row(0));
  return rotation;
}

struct Standing {
  std::vector<std::size_t> parts;
  Eigen::Matrix3d view_from_world = Eigen::Matrix3d::Identity();
  Eigen::AlignedBox3d box;
};

Standing stand(std::vector<std::size_t> parts, const AssemblyRecord& record,
               std::span<const TriangleMesh* const> meshes) {
  Standing out;
  out.parts = std::move(parts);
  Moments moments;
  for (const std::size_t i : out.parts)
    add_surface(*meshes[i], record.assembly.parts[i].world_from_part, moments);
  if (moments.weight > 0.0) out.view_from_world = upright(moments);
  const auto fit = [&] {
    out.box.setEmpty();
    for (const std::size_t i : out.parts) {
      const Rigid3 view_from_part =
          Rigid3{out.view_from_world, Eigen::Vector3d::Zero()} * record.assembly.parts[i].world_from_part;
      out.box.extend(bounding_box(*meshes[i], view_from_part));
    }
  };
  fit();
  if (moments.weight > 0.0 && (out.view_from_world * moments.mean()).z() > out.box.center().z()) {
    out.view_from_world.row(2) *= -1.0;  // both, so that it stays a rotation
    out.view_from_world.row(1) *= -1.0;
    fit();
  }
  return out;
}

}  // namespace

DisplayLayout lay_out(const AssemblyRecord& record, std::span<const TriangleMesh* const> meshes) {
  DisplayLayout out;
  out.view_from_part.resize(meshes.size());
  out.explode.assign(meshes.size(), Eigen::Vector3d::Zero());
  std::map<int, std::vector<std::size_t>> components;
  std::vector<std::size_t> loose;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const PlacedPart& part = record.assembly.parts[i];
    if (part.placed) {
      components[part.component].push_back(i);
    } else {
      loose.push_back(i);
    }
  }
  // To the right as the default view sees it.
  const Eigen::Vector3d right = Eigen::Vector3d::UnitZ().cross(RenderOptions{}.towards_eye).normalized();
  double edge = 0.0;
  double lowest = 0.0;
  double widest = 0.0;
  bool first = true;
  const auto put = [&](const Standing& group) {
    const Eigen::Vector3d half = group.box.sizes() / 2.0;
    const double reach = std::abs(right.x()) * half.x() + std::abs(right.y()) * half.y();
    if (first) edge = -reach;
    first = false;
    const Eigen::Vector3d place = (edge + reach) * right + Eigen::Vector3d(0, 0, half.z());
    edge += 2.2 * reach;
    widest = std::max(widest, reach);
    for (const std::size_t i : group.parts) {
      out.view_from_part[i] = Rigid3{group.view_from_world, place - group.box.center()} *
                              record.assembly.parts[i].world_from_part;
      out.explode[i] = bounding_box(*meshes[i], out.view_from_part[i]).center() - place;
    }
  };
  for (auto& [number, parts] : components) put(stand(std::move(parts), record, meshes));
  // Those without a place lie in front, in a row of their own.
  double tallest = 0.0;
  std::vector<Standing> lying;
  for (const std::size_t i : loose) {
    lying.push_back(stand({i}, record, meshes));
    tallest = std::max(tallest, lying.back().box.sizes().z());
  }
  edge = -widest;
  first = components.empty();
  lowest = components.empty() ? 0.0 : -1.3 * tallest;
  for (const Standing& group : lying) {
    put(group);
    out.view_from_part[group.parts.front()].translation.z() += lowest;
    out.explode[group.parts.front()].setZero();
  }
  return out;
}

std::vector<RenderPart> placed_parts(const AssemblyRecord& record,
                                     std::span<const TriangleMesh* const> meshes, const DisplayLayout& layout,
                                     double factor) {
  std::vector<RenderPart> parts;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    if (!record.assembly.parts[i].placed) continue;
    RenderPart part;
    part.mesh = meshes[i];
    part.world_from_part = layout.view_from_part[i];
    part.world_from_part.translation += factor * layout.explode[i];
    part.colour = part_colour(i);
    parts.push_back(part);
  }
  return parts;
}

}  // namespace pmtr
