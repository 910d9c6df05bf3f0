// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/scan/scan_faults.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

constexpr double speck_area = 0.001;   // of the whole surface, at most
constexpr double speck_length = 0.03;  // of the longest side, at most

/// An edge as one of its faces has it.
struct EdgeUse {
  std::uint64_t edge = 0;  ///< the two vertices, the smaller one first
  std::uint32_t face = 0;
  bool forward = false;  ///< the face runs from the smaller vertex to the larger
};

std::vector<EdgeUse> edges_of(const TriangleMesh& welded) {
  std::vector<EdgeUse> uses;
  uses.reserve(3 * welded.faces.size());
  for (std::size_t f = 0; f < welded.faces.size(); ++f) {
    const auto& face = welded.faces[f];
    if (face[0] == face[1] || face[1] == face[2] || face[2] == face[0]) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [low, high] = std::minmax(face[i], face[(i + 1) % 3]);
      uses.push_back({std::uint64_t{low} << 32 | high, static_cast<std::uint32_t>(f), face[i] == low});
    }
  }
  std::sort(uses.begin(), uses.end(), [](const EdgeUse& x, const EdgeUse& y) {
    return std::pair(x.edge, x.face) < std::pair(y.edge, y.face);
  });
  return uses;
}

/// Calls visit with all uses of every edge.
template <class Visit>
void visit_edges(std::span<const EdgeUse> uses, const Visit& visit) {
  for (std::size_t begin = 0; begin < uses.size();) {
    std::size_t end = begin;
    while (end < uses.size() && uses[end].edge == uses[begin].edge) ++end;
    visit(uses.subspan(begin, end - begin));
    begin = end;
  }
}

/// Faces beside each other across edges of two faces, and whether they look to one side there.
struct Beside {
  std::uint32_t face = 0;
  bool alike = true;
};

/// Surfaces: faces that hang together over edges. [face]: number of its surface; -1 for flat ones.
struct Surfaces {
  std::vector<int> of_face;
  std::vector<double> area;
  std::vector<Eigen::AlignedBox3d> box;
};

/// Walks every surface once: numbers it and finds the faces that look to the other side than its first one.
Surfaces walk_surfaces(const TriangleMesh& mesh, std::span<const EdgeUse> uses,
                       std::vector<std::uint8_t>& other_side) {
  const std::size_t count = mesh.faces.size();
  std::vector<std::vector<Beside>> beside(count);
  std::vector<std::uint8_t> flat(count, 1);
  visit_edges(uses, [&](std::span<const EdgeUse> edge) {
    for (const EdgeUse& use : edge) flat[use.face] = 0;
    for (std::size_t i = 1; i < edge.size(); ++i) {
      const bool alike = edge.size() != 2 || edge[0].forward != edge[1].forward;
      beside[edge[0].face].push_back({edge[i].face, alike});
      beside[edge[i].face].push_back({edge[0].face, alike});
    }
  });
  Surfaces surfaces;
  surfaces.of_face.assign(count, -1);
  other_side.assign(count, 0);
  std::vector<std::uint32_t> waiting;
  for (std::size_t first = 0; first < count; ++first) {
    if (surfaces.of_face[first] >= 0 || flat[first] != 0) continue;
    const auto number = static_cast<int>(surfaces.area.size());
    surfaces.area.push_back(0.0);
    surfaces.box.emplace_back();
    surfaces.of_face[first] = number;
    waiting.push_back(static_cast<std::uint32_t>(first));
    while (!waiting.empty()) {
      const std::uint32_t face = waiting.back();
      waiting.pop_back();
      surfaces.area.back() += triangle_area(mesh, face);
      for (const std::uint32_t vertex : mesh.faces[face]) surfaces.box.back().extend(mesh.vertices[vertex]);
      for (const Beside& next : beside[face]) {
        if (surfaces.of_face[next.face] >= 0) continue;
        surfaces.of_face[next.face] = number;
        other_side[next.face] = next.alike ? other_side[face] : 1 - other_side[face];
        waiting.push_back(next.face);
      }
    }
  }
  return surfaces;
}

/// Of each surface the lesser part, by area, counts as turned.
void find_turned(const TriangleMesh& mesh, const Surfaces& surfaces, std::vector<std::uint8_t> other_side,
                 ScanFaults& faults) {
  std::vector<double> other_area(surfaces.area.size(), 0.0);
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    if (surfaces.of_face[f] >= 0 && other_side[f] != 0)
      other_area[static_cast<std::size_t>(surfaces.of_face[f])] += triangle_area(mesh, f);
  }
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    if (surfaces.of_face[f] < 0) continue;
    const auto s = static_cast<std::size_t>(surfaces.of_face[f]);
    if (2.0 * other_area[s] > surfaces.area[s]) other_side[f] = 1 - other_side[f];
    faults.turned_faces += other_side[f];
  }
  faults.turned = std::move(other_side);
}

void find_specks(const TriangleMesh& mesh, const Surfaces& surfaces, ScanFaults& faults) {
  const double whole = std::accumulate(surfaces.area.begin(), surfaces.area.end(), 0.0);
  const double length = speck_length * longest_side(mesh);
  std::vector<std::uint8_t> small(surfaces.area.size(), 0);
  for (std::size_t s = 0; s < small.size(); ++s) {
    small[s] = surfaces.area[s] < speck_area * whole && surfaces.box[s].sizes().maxCoeff() < length ? 1 : 0;
    faults.specks += small[s];
    if (small[s] != 0) faults.speck_share += surfaces.area[s] / whole;
  }
  faults.surfaces = static_cast<int>(small.size()) - faults.specks;
  faults.speck.assign(mesh.faces.size(), 0);
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    if (surfaces.of_face[f] >= 0) faults.speck[f] = small[static_cast<std::size_t>(surfaces.of_face[f])];
  }
}

/// By the volume that it encloses, where its holes cannot hide as much.
bool is_inside_out(const TriangleMesh& mesh, std::span<const EdgeUse> uses, const ScanFaults& faults) {
  const Eigen::Vector3d middle = bounding_box(mesh).center();
  double volume = 0.0;
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const auto& face = mesh.faces[f];
    if (faults.speck[f] != 0) continue;
    const double own = signed_volume6(mesh.vertices[face[0]] - middle, mesh.vertices[face[1]] - middle,
                                      mesh.vertices[face[2]] - middle) /
                       6.0;
    volume += faults.turned[f] != 0 ? -own : own;
  }
  double rim = 0.0;
  visit_edges(uses, [&](std::span<const EdgeUse> edge) {
    if (edge.size() != 1) return;
    const auto& face = mesh.faces[edge[0].face];
    // The open edge is one of the three; the mean serves as well.
    for (std::size_t i = 0; i < 3; ++i)
      rim += (mesh.vertices[face[i]] - mesh.vertices[face[(i + 1) % 3]]).norm() / 3.0;
  });
  // A flat hole of this rim, as far from the middle as can be, would close off at most so much.
  const double hidden = rim * rim / (4.0 * std::numbers::pi) * longest_side(mesh) / 3.0;
  return -volume > hidden;
}

}  // namespace

ScanFaults find_faults(const TriangleMesh& mesh) {
  ScanFaults faults;
  if (mesh.faces.empty()) return faults;
  std::vector<std::uint8_t> used(mesh.vertices.size(), 0);
  for (const auto& face : mesh.faces)
    for (const std::uint32_t vertex : face) used[vertex] = 1;
  faults.unused_vertices = std::count(used.begin(), used.end(), std::uint8_t{0});
  const TriangleMesh welded = merge_duplicate_vertices(mesh);
  faults.copied_vertices = static_cast<std::int64_t>(mesh.vertices.size() - welded.vertices.size());
  for (std::size_t f = 0; f < mesh.faces.size(); ++f)
    faults.flat_faces += triangle_area(mesh, f) == 0.0 ? 1 : 0;
  const std::vector<EdgeUse> uses = edges_of(welded);
  visit_edges(uses, [&](std::span<const EdgeUse> edge) {
    ++faults.edges;
    faults.open_edges += edge.size() == 1 ? 1 : 0;
    faults.crowded_edges += edge.size() > 2 ? 1 : 0;
  });
  std::vector<std::uint8_t> other_side;
  const Surfaces surfaces = walk_surfaces(welded, uses, other_side);
  find_specks(welded, surfaces, faults);
  find_turned(welded, surfaces, std::move(other_side), faults);
  faults.inside_out = is_inside_out(welded, uses, faults);
  return faults;
}

TriangleMesh mend_scan(TriangleMesh mesh, const ScanFaults& faults) {
  for (std::size_t f = 0; f < mesh.faces.size() && !faults.turned.empty(); ++f) {
    const bool turned = (faults.turned[f] != 0) != faults.inside_out;
    if (turned) std::swap(mesh.faces[f][1], mesh.faces[f][2]);
    if (turned && !mesh.face_uvs.empty()) std::swap(mesh.face_uvs[f][1], mesh.face_uvs[f][2]);
    if (faults.speck[f] != 0) mesh.faces[f] = {mesh.faces[f][0], mesh.faces[f][0], mesh.faces[f][0]};
  }
  if (faults.inside_out) {
    for (Eigen::Vector3f& normal : mesh.normals) normal = -normal;
  }
  return mesh;
}

std::vector<std::string> describe_faults(const ScanFaults& faults) {
  constexpr double large_rim = 0.002;  // of all edges: smaller holes change nothing
  std::vector<std::string> text;
  if (faults.inside_out) text.emplace_back("its surface is inside out; turned for the assembly");
  if (faults.turned_faces > 0)
    text.push_back(
        fmt::format("{} faces look to the other side than those around them; turned for the assembly",
                    faults.turned_faces));
  if (faults.specks > 0)
    text.push_back(fmt::format("{} specks beside the fragment ({:.2g} % of the surface) were left out",
                               faults.specks, 100.0 * faults.speck_share));
  if (faults.surfaces > 1)
    text.push_back(
        fmt::format("{} separate surfaces in one file are taken for one fragment", faults.surfaces));
  if (static_cast<double>(faults.open_edges) > large_rim * static_cast<double>(faults.edges))
    text.push_back(
        fmt::format("the surface is open ({} edges with a face on one side only); whether "
                    "something runs through it there cannot be seen",
                    faults.open_edges));
  if (faults.unused_vertices > 0)
    text.push_back(fmt::format("{} vertices belong to no face and were left out", faults.unused_vertices));
  return text;
}

}  // namespace pmtr
