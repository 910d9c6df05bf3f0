// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/cut/working_complex.h"

#include <algorithm>

#include "pmtr/core/check.h"
#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

/// Fresh breaks of ceramics are light and warm; the look matters only where the object has colours.
const Eigen::Vector4f wall_colour(0.80F, 0.74F, 0.66F, 1.0F);

bool is_single_precision(const TriangleMesh& mesh) {
  return std::all_of(mesh.vertices.begin(), mesh.vertices.end(),
                     [](const Eigen::Vector3d& p) { return p.cast<float>().cast<double>() == p; });
}

}  // namespace

WorkingComplex::WorkingComplex(TriangleMesh solid) {
  complex_.surfaces = std::move(solid);
  TriangleMesh& mesh = complex_.surfaces;
  mesh.normals.clear();  // those at the edge of a break would be wrong for one of its sides
  single_precision_ = is_single_precision(mesh);
  complex_.owners.assign(mesh.faces.size(), {0, -1});
  complex_.volumes = {enclosed_volume(mesh)};
  faces_at_vertex_.resize(mesh.vertices.size());
  faces_of_cell_.resize(1);
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    faces_of_cell_[0].push_back(static_cast<std::uint32_t>(f));
    for (const std::uint32_t v : mesh.faces[f]) faces_at_vertex_[v].push_back(static_cast<std::uint32_t>(f));
  }
  if (!mesh.face_uvs.empty()) {
    wall_uv_ = static_cast<std::uint32_t>(mesh.uvs.size());
    mesh.uvs.emplace_back(0.0F, 0.0F);
  }
  if (!mesh.face_materials.empty()) {
    wall_material_ = static_cast<std::int32_t>(mesh.materials.size());
    mesh.materials.push_back({"fracture", wall_colour, -1});
  }
}

std::array<std::uint32_t, 3> WorkingComplex::face_of(std::uint32_t f, std::int32_t cell) const {
  const auto& [a, b, c] = complex_.surfaces.faces[f];
  if (complex_.owners[f][0] == cell) return {a, b, c};
  return {a, c, b};
}

Eigen::Vector3d WorkingComplex::rounded(const Eigen::Vector3d& point) const {
  return single_precision_ ? Eigen::Vector3d(point.cast<float>().cast<double>()) : point;
}

std::uint32_t WorkingComplex::split_uv(std::uint32_t a, std::uint32_t b, double t) {
  for (const UvSplit& known : uv_splits_) {
    if (known.a == a && known.b == b) return known.made;
  }
  TriangleMesh& mesh = complex_.surfaces;
  const auto made = static_cast<std::uint32_t>(mesh.uvs.size());
  mesh.uvs.emplace_back(mesh.uvs[a] + static_cast<float>(t) * (mesh.uvs[b] - mesh.uvs[a]));
  uv_splits_.push_back({a, b, made});
  return made;
}

void WorkingComplex::append_face_like(std::uint32_t f) {
  TriangleMesh& mesh = complex_.surfaces;
  const auto made = static_cast<std::uint32_t>(mesh.faces.size());
  mesh.faces.push_back(mesh.faces[f]);
  if (!mesh.face_uvs.empty()) mesh.face_uvs.push_back(mesh.face_uvs[f]);
  if (!mesh.face_materials.empty()) mesh.face_materials.push_back(mesh.face_materials[f]);
  complex_.owners.push_back(complex_.owners[f]);
  for (const std::int32_t cell : complex_.owners[f]) {
    if (cell >= 0) faces_of_cell_[static_cast<std::size_t>(cell)].push_back(made);
  }
}

std::uint32_t WorkingComplex::split_edge(std::uint32_t a, std::uint32_t b, double t) {
  TriangleMesh& mesh = complex_.surfaces;
  const auto middle = static_cast<std::uint32_t>(mesh.vertices.size());
  mesh.vertices.push_back(rounded(mesh.vertices[a] + t * (mesh.vertices[b] - mesh.vertices[a])));
  if (!mesh.colours.empty())
    mesh.colours.emplace_back(mesh.colours[a] + static_cast<float>(t) * (mesh.colours[b] - mesh.colours[a]));
  faces_at_vertex_.emplace_back();
  uv_splits_.clear();
  std::vector<std::uint32_t> at_edge;
  for (const std::uint32_t f : faces_at_vertex_[a]) {
    const auto& face = mesh.faces[f];
    if (std::find(face.begin(), face.end(), b) != face.end()) at_edge.push_back(f);
  }
  for (const std::uint32_t f : at_edge) {
    // The old face keeps a, the new one takes b.
    const auto made = static_cast<std::uint32_t>(mesh.faces.size());
    append_face_like(f);
    const auto place = [&](std::uint32_t v) {
      return static_cast<std::size_t>(std::find(mesh.faces[f].begin(), mesh.faces[f].end(), v) -
                                      mesh.faces[f].begin());
    };
    const std::size_t at_a = place(a);
    const std::size_t at_b = place(b);
    const std::size_t at_c = 3 - at_a - at_b;
    if (!mesh.face_uvs.empty()) {
      const std::uint32_t uv = split_uv(mesh.face_uvs[f][at_a], mesh.face_uvs[f][at_b], t);
      mesh.face_uvs[f][at_b] = uv;
      mesh.face_uvs[made][at_a] = uv;
    }
    const std::uint32_t c = mesh.faces[f][at_c];
    mesh.faces[f][at_b] = middle;
    mesh.faces[made][at_a] = middle;
    std::replace(faces_at_vertex_[b].begin(), faces_at_vertex_[b].end(), f, made);
    faces_at_vertex_[c].push_back(made);
    faces_at_vertex_[middle].push_back(f);
    faces_at_vertex_[middle].push_back(made);
  }
  PMTR_CHECK(!at_edge.empty(), "no such edge");
  return middle;
}

std::uint32_t WorkingComplex::add_inner_vertex(const Eigen::Vector3d& point) {
  TriangleMesh& mesh = complex_.surfaces;
  mesh.vertices.push_back(rounded(point));
  if (!mesh.colours.empty()) mesh.colours.push_back(wall_colour);
  faces_at_vertex_.emplace_back();
  return static_cast<std::uint32_t>(mesh.vertices.size() - 1);
}

std::int32_t WorkingComplex::add_cell() {
  faces_of_cell_.emplace_back();
  complex_.volumes.push_back(0);
  return static_cast<std::int32_t>(faces_of_cell_.size() - 1);
}

void WorkingComplex::add_wall(const std::array<std::uint32_t, 3>& face, std::int32_t a, std::int32_t b) {
  TriangleMesh& mesh = complex_.surfaces;
  const auto f = static_cast<std::uint32_t>(mesh.faces.size());
  mesh.faces.push_back(face);
  if (!mesh.face_uvs.empty()) mesh.face_uvs.push_back({wall_uv_, wall_uv_, wall_uv_});
  if (!mesh.face_materials.empty()) mesh.face_materials.push_back(wall_material_);
  complex_.owners.push_back({a, b});
  for (const std::uint32_t v : face) faces_at_vertex_[v].push_back(f);
}

void WorkingComplex::change_owner(std::uint32_t f, std::int32_t from, std::int32_t to) {
  auto& owners = complex_.owners[f];
  (owners[0] == from ? owners[0] : owners[1]) = to;
}

void WorkingComplex::set_faces(std::int32_t cell, std::vector<std::uint32_t> faces, double volume) {
  faces_of_cell_[static_cast<std::size_t>(cell)] = std::move(faces);
  complex_.volumes[static_cast<std::size_t>(cell)] = volume;
}

}  // namespace pmtr
