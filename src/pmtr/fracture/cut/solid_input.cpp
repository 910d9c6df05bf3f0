// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/cut/solid_input.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "pmtr/fracture/cut/cell_complex.h"
#include "pmtr/fracture/cut/triangle_crossing.h"
#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

using Face = std::array<std::uint32_t, 3>;

Error refuse(Cause cause, std::string message) { return {cause, std::move(message), {}}; }

std::string place(const Eigen::Vector3d& p) {
  return fmt::format("near ({:.6g}, {:.6g}, {:.6g})", p.x(), p.y(), p.z());
}

void drop_degenerate_faces(TriangleMesh& mesh) {
  std::size_t kept = 0;
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const auto& [a, b, c] = mesh.faces[f];
    if (a == b || b == c || a == c) continue;
    mesh.faces[kept] = mesh.faces[f];
    if (!mesh.face_uvs.empty()) mesh.face_uvs[kept] = mesh.face_uvs[f];
    if (!mesh.face_materials.empty()) mesh.face_materials[kept] = mesh.face_materials[f];
    ++kept;
  }
  mesh.faces.resize(kept);
  if (!mesh.face_uvs.empty()) mesh.face_uvs.resize(kept);
  if (!mesh.face_materials.empty()) mesh.face_materials.resize(kept);
}

/// Every edge has exactly two faces, which run along it in opposite directions.
Status check_edges(const TriangleMesh& mesh) {
  struct DirectedEdge {
    std::uint32_t low, high;
    int direction;
  };
  std::vector<DirectedEdge> edges;
  edges.reserve(3 * mesh.faces.size());
  for (const Face& face : mesh.faces) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = face[i];
      const std::uint32_t b = face[(i + 1) % 3];
      edges.push_back({std::min(a, b), std::max(a, b), a < b ? 1 : -1});
    }
  }
  const auto key = [](const DirectedEdge& e) { return std::tie(e.low, e.high); };
  std::sort(edges.begin(), edges.end(),
            [&](const DirectedEdge& x, const DirectedEdge& y) { return key(x) < key(y); });
  std::size_t open = 0;
  std::size_t crowded = 0;
  std::size_t twisted = 0;
  const DirectedEdge* first = nullptr;
  for (std::size_t i = 0; i < edges.size();) {
    std::size_t end = i;
    int sum = 0;
    for (; end < edges.size() && key(edges[end]) == key(edges[i]); ++end) sum += edges[end].direction;
    const std::size_t count = end - i;
    if ((count != 2 || sum != 0) && first == nullptr) first = &edges[i];
    open += count == 1 ? 1 : 0;
    crowded += count > 2 ? 1 : 0;
    twisted += count == 2 && sum != 0 ? 1 : 0;
    i = end;
  }
  if (first == nullptr) return {};
  const std::string where = place((mesh.vertices[first->low] + mesh.vertices[first->high]) / 2);
  if (open > 0)
    return refuse(Cause::malformed,
                  fmt::format("the surface is open: {} edges have only one face, the first {}; "
                              "only closed solids can be broken",
                              open, where));
  if (crowded > 0)
    return refuse(Cause::malformed,
                  fmt::format("{} edges have more than two faces, the first {}", crowded, where));
  return refuse(
      Cause::malformed,
      fmt::format("{} edges lie between faces that face different ways, the first {}", twisted, where));
}

/// Two faces on the same three vertices: a sheet without thickness.
Status check_thickness(const TriangleMesh& mesh) {
  std::vector<std::pair<Face, std::size_t>> sorted;
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    Face face = mesh.faces[f];
    std::sort(face.begin(), face.end());
    sorted.emplace_back(face, f);
  }
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].first == sorted[i - 1].first)
      return refuse(Cause::degenerate,
                    fmt::format("the surface has no thickness {}: two faces on the same vertices",
                                place(mesh.vertices[sorted[i].first[0]])));
  }
  const double size = surface_box(mesh).sizes().maxCoeff();
  if (!(std::abs(enclosed_volume(mesh)) > 1e-7 * size * size * size))
    return refuse(Cause::degenerate, "the surface encloses no volume");
  return {};
}

void reverse(TriangleMesh& mesh) {
  for (Face& face : mesh.faces) std::swap(face[1], face[2]);
  for (Face& uvs : mesh.face_uvs) std::swap(uvs[1], uvs[2]);
}

std::vector<std::size_t> component_of_vertices(const TriangleMesh& mesh) {
  std::vector<std::size_t> parent(mesh.vertices.size());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (const Face& face : mesh.faces) {
    parent[find(face[1])] = find(face[0]);
    parent[find(face[2])] = find(face[0]);
  }
  for (std::size_t i = 0; i < parent.size(); ++i) parent[i] = find(i);
  return parent;
}

/// One solid; further surfaces may only be cavities in it.
Status check_components(const TriangleMesh& mesh) {
  const std::vector<std::size_t> component = component_of_vertices(mesh);
  std::vector<double> volumes(mesh.vertices.size(), 0.0);
  const Eigen::Vector3d origin = mesh.vertices[mesh.faces.front()[0]];
  for (const auto& [a, b, c] : mesh.faces)
    volumes[component[a]] +=
        signed_volume6(mesh.vertices[a] - origin, mesh.vertices[b] - origin, mesh.vertices[c] - origin);
  std::vector<bool> used(mesh.vertices.size());
  for (const Face& face : mesh.faces) used[component[face[0]]] = true;
  std::size_t solids = 0;
  for (std::size_t i = 0; i < volumes.size(); ++i) solids += used[i] && volumes[i] >= 0 ? 1 : 0;
  if (solids == 1) return {};
  return refuse(Cause::unsupported,
                fmt::format("the mesh is made of {} separate solids; break them one by one", solids));
}

}  // namespace

Result<TriangleMesh> prepare_solid(const TriangleMesh& mesh, const Listener& listener) {
  PMTR_TRY_STATUS(check_mesh(mesh));
  if (mesh.faces.empty()) return refuse(Cause::empty, "there are no faces: a point cloud cannot be broken");
  TriangleMesh solid = mesh;
  drop_degenerate_faces(solid);
  if (!check_edges(solid).ok()) {
    solid = merge_duplicate_vertices(solid);
    drop_degenerate_faces(solid);
    PMTR_TRY_STATUS(check_edges(solid));
    listener.say("vertices at the same place were merged, which closes the surface");
  }
  PMTR_TRY_STATUS(check_thickness(solid));
  if (enclosed_volume(solid) < 0) {
    listener.warn("the surface faces inward: it was turned");
    reverse(solid);
  }
  PMTR_TRY_STATUS(check_components(solid));
  if (const auto crossing = find_crossing(solid.vertices, solid.faces, solid.faces)) {
    return refuse(Cause::malformed, fmt::format("the surface cuts through itself {}: faces {} and {}",
                                                place(solid.vertices[solid.faces[crossing->first][0]]),
                                                crossing->first, crossing->second));
  }
  return solid;
}

}  // namespace pmtr
