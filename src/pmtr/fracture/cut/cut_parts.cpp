// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/fracture/cut/cut_parts.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>

#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

using Face = std::array<std::uint32_t, 3>;

/// Sets of vertices that hang together by faces.
class Clusters {
 public:
  void join(const Face& face) {
    const std::size_t a = find(node(face[0]));
    for (std::size_t i = 1; i < 3; ++i) parent_[find(node(face[i]))] = a;
  }
  std::size_t of(std::uint32_t vertex) { return find(node(vertex)); }

 private:
  std::size_t node(std::uint32_t vertex) {
    const auto [entry, is_new] = nodes_.try_emplace(vertex, parent_.size());
    if (is_new) parent_.push_back(entry->second);
    return entry->second;
  }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  std::unordered_map<std::uint32_t, std::size_t> nodes_;
  std::vector<std::size_t> parent_;
};

/// One side of the wall, by its connected parts.
struct Side {
  std::vector<std::size_t> part_of_face;
  std::vector<std::size_t> part_of_wall;
  std::vector<double> volumes;
};

Side find_parts(const WorkingComplex& working, std::int32_t cell, const CutParts& parts, bool above) {
  Clusters clusters;
  const auto& faces = parts.faces[above ? 1 : 0];
  for (const std::uint32_t f : faces) clusters.join(working.face(f));
  for (const Face& face : parts.wall) clusters.join(face);
  std::map<std::size_t, std::size_t> number;
  Side side;
  const auto part = [&](std::uint32_t vertex) {
    const auto [entry, is_new] = number.try_emplace(clusters.of(vertex), number.size());
    if (is_new) side.volumes.push_back(0);
    return entry->second;
  };
  const auto& vertices = working.vertices();
  const Eigen::Vector3d origin = vertices[working.face(faces.front())[0]];
  const auto point = [&](std::uint32_t v) -> Eigen::Vector3d {
    return (v < vertices.size() ? vertices[v] : parts.inner_points[v - vertices.size()]) - origin;
  };
  const auto volume = [&](const Face& f) {
    return signed_volume6(point(f[0]), point(f[1]), point(f[2])) / 6;
  };
  for (const std::uint32_t f : faces) {
    side.part_of_face.push_back(part(working.face(f)[0]));
    side.volumes[side.part_of_face.back()] += volume(working.face_of(f, cell));
  }
  for (const Face& face : parts.wall) {
    side.part_of_wall.push_back(part(face[0]));
    side.volumes[side.part_of_wall.back()] += (above ? -1 : 1) * volume(face);
  }
  return side;
}

/// A surface with negative volume is a cavity: it goes to the solid around it. False if that is not known, or
/// a solid is too small.
bool place_cavities(Side& side, double min_volume) {
  std::optional<std::size_t> solid;
  std::size_t solids = 0;
  for (std::size_t p = 0; p < side.volumes.size(); ++p) {
    if (side.volumes[p] < 0) continue;
    if (side.volumes[p] < min_volume) return false;
    ++solids;
    solid = p;
  }
  if (solids == 0) return false;
  if (solids == side.volumes.size()) return true;
  if (solids > 1) return false;
  side.volumes = {std::accumulate(side.volumes.begin(), side.volumes.end(), 0.0)};
  std::fill(side.part_of_face.begin(), side.part_of_face.end(), 0);
  std::fill(side.part_of_wall.begin(), side.part_of_wall.end(), 0);
  return side.volumes[0] >= min_volume;
}

}  // namespace

bool apply_cut(WorkingComplex& working, std::int32_t cell, const CutParts& parts, double min_volume) {
  if (parts.faces[0].empty() || parts.faces[1].empty() || parts.wall.empty()) return false;
  std::array<Side, 2> sides{find_parts(working, cell, parts, false), find_parts(working, cell, parts, true)};
  for (Side& side : sides) {
    if (!place_cavities(side, min_volume)) return false;
  }
  for (const Eigen::Vector3d& p : parts.inner_points) working.add_inner_vertex(p);
  std::array<std::vector<std::int32_t>, 2> cells;
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t p = 0; p < sides[s].volumes.size(); ++p)
      cells[s].push_back(s == 0 && p == 0 ? cell : working.add_cell());
  }
  std::array<std::vector<std::vector<std::uint32_t>>, 2> lists;
  for (std::size_t s = 0; s < 2; ++s) {
    lists[s].resize(cells[s].size());
    for (std::size_t i = 0; i < parts.faces[s].size(); ++i) {
      const std::size_t p = sides[s].part_of_face[i];
      working.change_owner(parts.faces[s][i], cell, cells[s][p]);
      lists[s][p].push_back(parts.faces[s][i]);
    }
  }
  auto f = static_cast<std::uint32_t>(working.complex().surfaces.faces.size());
  for (std::size_t i = 0; i < parts.wall.size(); ++i, ++f) {
    const std::size_t below = sides[0].part_of_wall[i];
    const std::size_t above = sides[1].part_of_wall[i];
    working.add_wall(parts.wall[i], cells[0][below], cells[1][above]);
    lists[0][below].push_back(f);
    lists[1][above].push_back(f);
  }
  for (std::size_t s = 0; s < 2; ++s) {
    for (std::size_t p = 0; p < cells[s].size(); ++p)
      working.set_faces(cells[s][p], std::move(lists[s][p]), sides[s].volumes[p]);
  }
  return true;
}

}  // namespace pmtr
