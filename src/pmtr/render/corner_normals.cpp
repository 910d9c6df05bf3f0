// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/render/corner_normals.h"

#include <cmath>
#include <cstddef>

#include <Eigen/Geometry>

namespace pmtr {
namespace {

/// Faces around each vertex, one after another.
struct VertexFaces {
  std::vector<std::size_t> start;  ///< [vertices + 1]
  std::vector<std::uint32_t> faces;
};

VertexFaces faces_of_vertices(const TriangleMesh& mesh) {
  VertexFaces out;
  out.start.assign(mesh.vertices.size() + 1, 0);
  for (const auto& face : mesh.faces) {
    for (const auto v : face) ++out.start[v + 1];
  }
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) out.start[v + 1] += out.start[v];
  out.faces.resize(out.start.back());
  std::vector<std::size_t> next(out.start.begin(), out.start.end() - 1);
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    for (const auto v : mesh.faces[f]) out.faces[next[v]++] = static_cast<std::uint32_t>(f);
  }
  return out;
}

}  // namespace

std::vector<std::array<Eigen::Vector3f, 3>> corner_normals(const TriangleMesh& mesh,
                                                           double crease_angle_deg) {
  const std::size_t faces = mesh.faces.size();
  std::vector<Eigen::Vector3d> area_normals(faces);  // twice the area long
  std::vector<Eigen::Vector3d> unit_normals(faces);
  for (std::size_t f = 0; f < faces; ++f) {
    const auto& [a, b, c] = mesh.faces[f];
    const Eigen::Vector3d& origin = mesh.vertices[a];
    area_normals[f] = (mesh.vertices[b] - origin).cross(mesh.vertices[c] - origin);
    const double length = area_normals[f].norm();
    unit_normals[f] = length > 0 ? Eigen::Vector3d(area_normals[f] / length) : Eigen::Vector3d::Zero();
  }
  const double least_cosine = std::cos(crease_angle_deg * M_PI / 180.0);
  const VertexFaces around = faces_of_vertices(mesh);
  std::vector<std::array<Eigen::Vector3f, 3>> normals(faces);
  for (std::size_t f = 0; f < faces; ++f) {
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::size_t v = mesh.faces[f][corner];
      Eigen::Vector3d sum = Eigen::Vector3d::Zero();
      for (std::size_t k = around.start[v]; k < around.start[v + 1]; ++k) {
        const std::size_t other = around.faces[k];
        if (unit_normals[f].dot(unit_normals[other]) >= least_cosine) sum += area_normals[other];
      }
      const double length = sum.norm();
      normals[f][corner] = (length > 0 ? Eigen::Vector3d(sum / length) : unit_normals[f]).cast<float>();
    }
  }
  return normals;
}

}  // namespace pmtr
