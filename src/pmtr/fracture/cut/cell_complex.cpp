// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/cut/cell_complex.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "pmtr/core/check.h"
#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

using Face = std::array<std::uint32_t, 3>;

Face reversed(const Face& face) { return {face[0], face[2], face[1]}; }

/// A directed edge of a cell; each must meet its reverse.
struct CellEdge {
  std::int32_t cell;
  std::uint32_t low;
  std::uint32_t high;
  std::int32_t direction;
  bool same_edge(const CellEdge& other) const {
    return cell == other.cell && low == other.low && high == other.high;
  }
  auto key() const { return std::tuple(cell, low, high); }
};

Status check_closed(const CellComplex& complex) {
  std::vector<CellEdge> edges;
  edges.reserve(complex.owners.size() * 6);
  for (std::size_t f = 0; f < complex.owners.size(); ++f) {
    for (int side = 0; side < 2; ++side) {
      const std::int32_t cell = complex.owners[f][static_cast<std::size_t>(side)];
      if (cell < 0) continue;
      const Face face = side == 0 ? complex.surfaces.faces[f] : reversed(complex.surfaces.faces[f]);
      for (std::size_t i = 0; i < 3; ++i) {
        const std::uint32_t from = face[i];
        const std::uint32_t to = face[(i + 1) % 3];
        edges.push_back({cell, std::min(from, to), std::max(from, to), from < to ? 1 : -1});
      }
    }
  }
  std::sort(edges.begin(), edges.end(),
            [](const CellEdge& a, const CellEdge& b) { return a.key() < b.key(); });
  for (std::size_t i = 0; i < edges.size();) {
    std::int32_t sum = 0;
    std::size_t end = i;
    for (; end < edges.size() && edges[end].same_edge(edges[i]); ++end) sum += edges[end].direction;
    if (sum != 0) {
      return Error{Cause::malformed,
                   fmt::format("cell {} is open at the edge between vertices {} and {}", edges[i].cell,
                               edges[i].low, edges[i].high),
                   {}};
    }
    i = end;
  }
  return {};
}

/// Builds one piece's mesh from faces of the complex.
class PieceBuilder {
 public:
  explicit PieceBuilder(const TriangleMesh& source) : source_(source), new_index_(source.vertices.size()) {}

  TriangleMesh build(std::span<const std::pair<std::uint32_t, bool>> faces) {
    TriangleMesh piece;
    number_vertices(faces, piece);
    number_uvs(faces, piece);
    for (const auto& [f, reverse] : faces) {
      const auto add = [turn = reverse](const Face& face, const std::vector<std::uint32_t>& index) {
        const Face mapped{index[face[0]], index[face[1]], index[face[2]]};
        return turn ? reversed(mapped) : mapped;
      };
      piece.faces.push_back(add(source_.faces[f], new_index_));
      if (!source_.face_uvs.empty()) piece.face_uvs.push_back(add(source_.face_uvs[f], new_uv_));
      if (!source_.face_materials.empty()) piece.face_materials.push_back(source_.face_materials[f]);
    }
    piece.materials = source_.materials;
    piece.textures = source_.textures;
    return piece;
  }

 private:
  static constexpr std::uint32_t unused = 0xFFFFFFFFU;
  using Faces = std::span<const std::pair<std::uint32_t, bool>>;

  void number_vertices(Faces faces, TriangleMesh& piece) {
    std::vector<std::uint32_t> used;
    for (const auto& entry : faces) {
      for (const std::uint32_t v : source_.faces[entry.first]) used.push_back(v);
    }
    std::sort(used.begin(), used.end());
    used.erase(std::unique(used.begin(), used.end()), used.end());
    for (std::size_t i = 0; i < used.size(); ++i) {
      new_index_[used[i]] = static_cast<std::uint32_t>(i);
      piece.vertices.push_back(source_.vertices[used[i]]);
      if (!source_.colours.empty()) piece.colours.push_back(source_.colours[used[i]]);
      if (!source_.normals.empty()) piece.normals.push_back(source_.normals[used[i]]);
    }
  }

  void number_uvs(Faces faces, TriangleMesh& piece) {
    if (source_.face_uvs.empty()) return;
    new_uv_.assign(source_.uvs.size(), unused);
    for (const auto& entry : faces) {
      for (const std::uint32_t uv : source_.face_uvs[entry.first]) {
        if (new_uv_[uv] != unused) continue;
        new_uv_[uv] = static_cast<std::uint32_t>(piece.uvs.size());
        piece.uvs.push_back(source_.uvs[uv]);
      }
    }
  }

  const TriangleMesh& source_;
  std::vector<std::uint32_t> new_index_;
  std::vector<std::uint32_t> new_uv_;
};

}  // namespace

std::vector<double> cell_volumes(const CellComplex& complex, std::size_t cells) {
  std::vector<double> volumes(cells, 0.0);
  const auto& mesh = complex.surfaces;
  if (mesh.vertices.empty()) return volumes;
  const Eigen::Vector3d origin = mesh.vertices.front();
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    const auto& [a, b, c] = mesh.faces[f];
    const double volume =
        signed_volume6(mesh.vertices[a] - origin, mesh.vertices[b] - origin, mesh.vertices[c] - origin) / 6;
    const auto& [inside, behind] = complex.owners[f];
    volumes[static_cast<std::size_t>(inside)] += volume;
    if (behind >= 0) volumes[static_cast<std::size_t>(behind)] -= volume;
  }
  return volumes;
}

Status check_cell_complex(const CellComplex& complex) {
  PMTR_TRY_STATUS(check_mesh(complex.surfaces));
  if (complex.owners.size() != complex.surfaces.faces.size()) {
    return Error{Cause::malformed,
                 fmt::format("{} pairs of owner cells for {} faces", complex.owners.size(),
                             complex.surfaces.faces.size()),
                 {}};
  }
  const auto cells = static_cast<std::int64_t>(complex.cell_count());
  for (std::size_t f = 0; f < complex.owners.size(); ++f) {
    const auto [a, b] = complex.owners[f];
    if (a < 0 || a >= cells || b < -1 || b >= cells || a == b)
      return Error{
          Cause::malformed, fmt::format("face {} has the owner cells {} and {} of {}", f, a, b, cells), {}};
  }
  PMTR_TRY_STATUS(check_closed(complex));
  for (std::size_t c = 0; c < complex.cell_count(); ++c) {
    if (!(complex.volumes[c] > 0))
      return Error{Cause::degenerate, fmt::format("cell {} has the volume {}", c, complex.volumes[c]), {}};
  }
  return {};
}

std::vector<TriangleMesh> pieces_of_labels(const CellComplex& complex, std::span<const std::int32_t> labels) {
  PMTR_CHECK(labels.size() == complex.cell_count(), "one label per cell");
  const std::int32_t last = labels.empty() ? -1 : *std::max_element(labels.begin(), labels.end());
  std::vector<std::vector<std::pair<std::uint32_t, bool>>> faces(static_cast<std::size_t>(last + 1));
  for (std::size_t f = 0; f < complex.owners.size(); ++f) {
    const auto [a, b] = complex.owners[f];
    const std::int32_t label_a = labels[static_cast<std::size_t>(a)];
    const std::int32_t label_b = b < 0 ? -1 : labels[static_cast<std::size_t>(b)];
    PMTR_CHECK(label_a >= 0 && (b < 0 || label_b >= 0), "labels count from 0");
    if (label_a == label_b) continue;
    faces[static_cast<std::size_t>(label_a)].emplace_back(static_cast<std::uint32_t>(f), false);
    if (b >= 0) faces[static_cast<std::size_t>(label_b)].emplace_back(static_cast<std::uint32_t>(f), true);
  }
  PieceBuilder builder(complex.surfaces);
  std::vector<TriangleMesh> pieces;
  pieces.reserve(faces.size());
  for (const auto& list : faces) pieces.push_back(builder.build(list));
  return pieces;
}

std::vector<MatingArea> mating_areas(const CellComplex& complex, std::span<const std::int32_t> labels) {
  PMTR_CHECK(labels.size() == complex.cell_count(), "one label per cell");
  std::map<std::pair<std::int32_t, std::int32_t>, double> sums;
  const auto& mesh = complex.surfaces;
  for (std::size_t f = 0; f < complex.owners.size(); ++f) {
    if (complex.owners[f][1] < 0) continue;
    const std::int32_t a = labels[static_cast<std::size_t>(complex.owners[f][0])];
    const std::int32_t b = labels[static_cast<std::size_t>(complex.owners[f][1])];
    if (a == b) continue;
    sums[std::minmax(a, b)] += triangle_area(mesh, f);
  }
  std::vector<MatingArea> areas;
  areas.reserve(sums.size());
  for (const auto& [pair, area] : sums) areas.push_back({pair.first, pair.second, area});
  return areas;
}

}  // namespace pmtr
