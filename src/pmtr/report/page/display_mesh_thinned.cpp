// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cmath>
#include <cstddef>
#include <functional>
#include <unordered_map>

#include <Eigen/Geometry>

#include "pmtr/mesh/measures.h"
#include "pmtr/report/page/display_mesh.h"

namespace pmtr {
namespace {

/// Where a vertex is, and how it looks there.
struct Key {
  std::array<std::int32_t, 3> cell{};
  std::uint8_t octant = 0;           ///< of the normal
  std::array<std::int32_t, 2> uv{};  ///< cell of the texture: parts of it that lie apart stay apart
  bool operator==(const Key&) const = default;
};

struct KeyHash {
  std::size_t operator()(const Key& key) const {
    std::uint64_t h = key.octant;
    for (const std::int32_t x : {key.cell[0], key.cell[1], key.cell[2], key.uv[0], key.uv[1]}) {
      h = (h ^ static_cast<std::uint32_t>(x)) * 0x9E3779B97F4A7C15ULL;
      h ^= h >> 29;
    }
    return static_cast<std::size_t>(h);
  }
};

/// Which merged vertex every vertex becomes, and in which cell it lies.
struct Merging {
  std::vector<std::uint32_t> merged;
  std::vector<std::uint32_t> cell_of_merged;
  std::vector<std::uint32_t> cell_of;
  std::size_t cells = 0;
};

Merging merge(const DisplayMesh& mesh, const Eigen::Vector3d& low, double size) {
  constexpr float uv_cells = 48.0F;
  Merging out;
  std::unordered_map<Key, std::uint32_t, KeyHash> looks;
  std::unordered_map<Key, std::uint32_t, KeyHash> cells;
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    Key key;
    for (std::size_t c = 0; c < 3; ++c) {
      const auto axis = static_cast<Eigen::Index>(c);
      key.cell[c] = static_cast<std::int32_t>(std::floor((mesh.positions[i][axis] - low[axis]) / size));
    }
    const std::uint32_t cell = cells.try_emplace(key, static_cast<std::uint32_t>(cells.size())).first->second;
    out.cell_of.push_back(cell);
    if (!mesh.normals.empty()) {
      const Eigen::Vector3f& n = mesh.normals[i];
      key.octant = static_cast<std::uint8_t>((n.x() < 0 ? 1 : 0) + (n.y() < 0 ? 2 : 0) + (n.z() < 0 ? 4 : 0));
    }
    if (!mesh.uvs.empty()) {
      for (std::size_t c = 0; c < 2; ++c) {
        const float at = std::floor(mesh.uvs[i][static_cast<Eigen::Index>(c)] * uv_cells);
        key.uv[c] = static_cast<std::int32_t>(std::clamp(at, -1e9F, 1e9F));
      }
    }
    const auto [place, fresh] = looks.try_emplace(key, static_cast<std::uint32_t>(looks.size()));
    if (fresh) out.cell_of_merged.push_back(cell);
    out.merged.push_back(place->second);
  }
  out.cells = cells.size();
  return out;
}

bool collapsed(const Merging& merging, const std::array<std::uint32_t, 3>& face) {
  const std::uint32_t a = merging.cell_of[face[0]];
  const std::uint32_t b = merging.cell_of[face[1]];
  const std::uint32_t c = merging.cell_of[face[2]];
  return a == b || b == c || c == a;
}

std::size_t left_over(const DisplayMesh& mesh, const Merging& merging) {
  if (mesh.faces.empty()) return merging.cells;
  std::size_t left = 0;
  for (const auto& face : mesh.faces) left += collapsed(merging, face) ? 0 : 1;
  return left;
}

/// Of every cell the vertex nearest to the mean of all in it.
std::vector<std::uint32_t> representatives(const DisplayMesh& mesh, const Merging& merging) {
  std::vector<Eigen::Vector3d> mean(merging.cells, Eigen::Vector3d::Zero());
  std::vector<double> count(merging.cells, 0.0);
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    mean[merging.cell_of[i]] += mesh.positions[i];
    count[merging.cell_of[i]] += 1.0;
  }
  for (std::size_t c = 0; c < mean.size(); ++c) mean[c] /= count[c];
  std::vector<std::uint32_t> best(merging.cells, 0);
  std::vector<double> nearest(merging.cells, HUGE_VAL);
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const std::uint32_t cell = merging.cell_of[i];
    const double distance = (mesh.positions[i] - mean[cell]).squaredNorm();
    if (distance >= nearest[cell]) continue;
    nearest[cell] = distance;
    best[cell] = static_cast<std::uint32_t>(i);
  }
  return best;
}

}  // namespace

DisplayMesh thinned(const DisplayMesh& mesh, std::size_t faces) {
  const std::size_t present = mesh.faces.empty() ? mesh.positions.size() : mesh.faces.size();
  if (present <= faces) return mesh;
  const Eigen::AlignedBox3d box = bounding_box(mesh.positions);
  const double extent = box.sizes().maxCoeff();
  if (!(extent > 0.0)) return mesh;
  // The largest grid that keeps few enough, by halving the interval of its logarithm.
  double fine = extent / 30000.0;
  double rough = extent / 2.0;
  for (int step = 0; step < 12; ++step) {
    const double middle = std::sqrt(fine * rough);
    (left_over(mesh, merge(mesh, box.min(), middle)) > faces ? fine : rough) = middle;
  }
  const Merging merging = merge(mesh, box.min(), rough);
  const std::vector<std::uint32_t> keep = representatives(mesh, merging);

  DisplayMesh out;
  const std::size_t count = merging.cell_of_merged.size();
  out.positions.resize(count);
  std::vector<Eigen::Vector3f> colours(mesh.colours.empty() ? 0 : count, Eigen::Vector3f::Zero());
  std::vector<float> members(count, 0.0F);
  if (!mesh.normals.empty()) out.normals.assign(count, Eigen::Vector3f::Zero());
  if (!mesh.uvs.empty()) out.uvs.assign(count, Eigen::Vector2f::Zero());
  for (std::size_t m = 0; m < count; ++m) out.positions[m] = mesh.positions[keep[merging.cell_of_merged[m]]];
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const std::uint32_t m = merging.merged[i];
    members[m] += 1.0F;
    if (!mesh.normals.empty()) out.normals[m] += mesh.normals[i];
    if (!mesh.uvs.empty()) out.uvs[m] += mesh.uvs[i];
    if (!mesh.colours.empty()) {
      for (std::size_t c = 0; c < 3; ++c) colours[m][static_cast<Eigen::Index>(c)] += mesh.colours[i][c];
    }
  }
  for (Eigen::Vector3f& normal : out.normals) normal.stableNormalize();
  for (std::size_t m = 0; m < out.uvs.size(); ++m) out.uvs[m] /= members[m];
  for (std::size_t m = 0; m < colours.size(); ++m) {
    const Eigen::Vector3f mean = colours[m] / members[m];
    out.colours.push_back({static_cast<std::uint8_t>(mean.x()), static_cast<std::uint8_t>(mean.y()),
                           static_cast<std::uint8_t>(mean.z())});
  }
  for (const DisplayMesh::Group& group : mesh.groups) {
    const auto begin = static_cast<std::uint32_t>(out.faces.size());
    for (std::uint32_t f = group.begin; f < group.end; ++f) {
      const auto& face = mesh.faces[f];
      if (collapsed(merging, face)) continue;
      out.faces.push_back({merging.merged[face[0]], merging.merged[face[1]], merging.merged[face[2]]});
    }
    const auto end = static_cast<std::uint32_t>(out.faces.size());
    if (end > begin) out.groups.push_back({group.texture, begin, end});
  }
  return out;
}

}  // namespace pmtr
