// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

double longest_side_of(const Eigen::AlignedBox3d& box) {
  return box.isEmpty() ? 0.0 : box.sizes().maxCoeff();
}

}  // namespace

Eigen::AlignedBox3d bounding_box(std::span<const Eigen::Vector3d> points) {
  Eigen::AlignedBox3d box;
  for (const Eigen::Vector3d& p : points) box.extend(p);
  return box;
}

Eigen::AlignedBox3d bounding_box(const TriangleMesh& mesh) { return bounding_box(mesh.vertices); }

Eigen::AlignedBox3d bounding_box(std::span<const TriangleMesh> meshes) {
  Eigen::AlignedBox3d box;
  for (const TriangleMesh& mesh : meshes) box.extend(bounding_box(mesh));
  return box;
}

Eigen::AlignedBox3d bounding_box(const TriangleMesh& mesh, const Rigid3& world_from_mesh) {
  Eigen::AlignedBox3d box;
  for (const Eigen::Vector3d& v : mesh.vertices) box.extend(world_from_mesh * v);
  return box;
}

Eigen::AlignedBox3d surface_box(const TriangleMesh& mesh) {
  Eigen::AlignedBox3d box;
  for (const auto& face : mesh.faces)
    for (const std::uint32_t v : face) box.extend(mesh.vertices[v]);
  return box;
}

double longest_side(const TriangleMesh& mesh) { return longest_side_of(bounding_box(mesh)); }

double longest_side(std::span<const TriangleMesh> meshes) { return longest_side_of(bounding_box(meshes)); }

Eigen::Vector3d vertex_mean(const TriangleMesh& mesh) {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (const Eigen::Vector3d& v : mesh.vertices) mean += v / static_cast<double>(mesh.vertices.size());
  return mean;
}

double triangle_area(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c) {
  return (b - a).cross(c - a).norm() / 2;
}

double triangle_area(const TriangleMesh& mesh, std::size_t face) {
  const auto& [a, b, c] = mesh.faces[face];
  return triangle_area(mesh.vertices[a], mesh.vertices[b], mesh.vertices[c]);
}

double signed_volume6(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c) {
  return a.dot(b.cross(c));
}

double enclosed_volume(const TriangleMesh& mesh) {
  if (mesh.vertices.empty()) return 0.0;
  const Eigen::Vector3d origin = mesh.vertices.front();  // near the object: less is lost to cancellation
  double six = 0.0;
  for (const auto& [a, b, c] : mesh.faces)
    six += signed_volume6(mesh.vertices[a] - origin, mesh.vertices[b] - origin, mesh.vertices[c] - origin);
  return six / 6.0;
}

TriangleMesh moved(const TriangleMesh& mesh, const Rigid3& world_from_mesh) {
  TriangleMesh out = mesh;
  for (Eigen::Vector3d& v : out.vertices) v = world_from_mesh * v;
  for (Eigen::Vector3f& n : out.normals) n = (world_from_mesh.rotation * n.cast<double>()).cast<float>();
  return out;
}

}  // namespace pmtr
