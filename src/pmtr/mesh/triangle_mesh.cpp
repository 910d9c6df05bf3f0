// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/triangle_mesh.h"

#include <bit>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include <fmt/format.h>
#include <Eigen/Geometry>

namespace pmtr {
namespace {

Error broken(Cause cause, std::string message) { return {cause, std::move(message), {}}; }

template <class Values>
Status check_finite(const Values& values, std::string_view what) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!values[i].allFinite())
      return broken(Cause::not_finite, fmt::format("{} {} is NaN or infinite", what, i));
  }
  return {};
}

Status check_indices(const std::vector<std::array<std::uint32_t, 3>>& faces, std::size_t limit,
                     std::string_view what) {
  for (std::size_t f = 0; f < faces.size(); ++f) {
    for (const std::uint32_t index : faces[f]) {
      if (index >= limit) {
        return broken(Cause::malformed, fmt::format("face {} uses {} {} of {}", f, what, index, limit));
      }
    }
  }
  return {};
}

Status check_complete(std::size_t have, std::size_t want, std::string_view what, std::string_view of) {
  if (have == 0 || have == want) return {};
  return broken(Cause::malformed, fmt::format("{} {} for {} {}", have, what, want, of));
}

struct CoordinateBits {
  std::array<std::uint64_t, 3> bits;
  // Adding zero turns -0 into +0: they are equal coordinates.
  explicit CoordinateBits(const Eigen::Vector3d& p)
      : bits{std::bit_cast<std::uint64_t>(p.x() + 0.0), std::bit_cast<std::uint64_t>(p.y() + 0.0),
             std::bit_cast<std::uint64_t>(p.z() + 0.0)} {}
  bool operator==(const CoordinateBits&) const = default;
};

struct CoordinateHash {
  std::size_t operator()(const CoordinateBits& key) const {
    std::uint64_t hash = 0;
    for (const std::uint64_t word : key.bits) {
      // splitmix64's finaliser: grid coordinates differ only in their high bits.
      hash += word + 0x9e3779b97f4a7c15U;
      hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9U;
      hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebU;
      hash ^= hash >> 31U;
    }
    return hash;
  }
};

}  // namespace

Status check_mesh(const TriangleMesh& mesh) {
  const std::size_t vertices = mesh.vertices.size();
  const std::size_t faces = mesh.faces.size();
  if (vertices > std::numeric_limits<std::uint32_t>::max())
    return broken(Cause::too_large, fmt::format("{} vertices, more than 32 bits can number", vertices));
  PMTR_TRY_STATUS(check_finite(mesh.vertices, "vertex"));
  PMTR_TRY_STATUS(check_indices(mesh.faces, vertices, "vertex"));
  PMTR_TRY_STATUS(check_complete(mesh.normals.size(), vertices, "normals", "vertices"));
  PMTR_TRY_STATUS(check_finite(mesh.normals, "normal"));
  PMTR_TRY_STATUS(check_complete(mesh.colours.size(), vertices, "colours", "vertices"));
  PMTR_TRY_STATUS(check_finite(mesh.colours, "colour"));
  PMTR_TRY_STATUS(check_complete(mesh.face_uvs.size(), faces, "UV triples", "faces"));
  PMTR_TRY_STATUS(check_finite(mesh.uvs, "UV"));
  PMTR_TRY_STATUS(check_indices(mesh.face_uvs, mesh.uvs.size(), "UV"));
  PMTR_TRY_STATUS(check_complete(mesh.face_materials.size(), faces, "material indices", "faces"));
  for (std::size_t f = 0; f < mesh.face_materials.size(); ++f) {
    const std::int64_t material = mesh.face_materials[f];
    if (material < -1 || material >= static_cast<std::int64_t>(mesh.materials.size())) {
      return broken(Cause::malformed,
                    fmt::format("face {} uses material {} of {}", f, material, mesh.materials.size()));
    }
  }
  for (const Material& material : mesh.materials) {
    if (material.texture < -1 || material.texture >= static_cast<std::int64_t>(mesh.textures.size())) {
      return broken(Cause::malformed, fmt::format("material \"{}\" uses texture {} of {}", material.name,
                                                  material.texture, mesh.textures.size()));
    }
    if (!material.base_colour.allFinite())
      return broken(Cause::not_finite, fmt::format("material \"{}\" has a NaN colour", material.name));
  }
  return {};
}

double surface_area(const TriangleMesh& mesh) {
  double twice = 0;
  for (const auto& [a, b, c] : mesh.faces) {
    const Eigen::Vector3d& p = mesh.vertices[a];
    twice += (mesh.vertices[b] - p).cross(mesh.vertices[c] - p).norm();
  }
  return twice / 2;
}

std::vector<const TriangleMesh*> pointers_to(std::span<const TriangleMesh> meshes) {
  std::vector<const TriangleMesh*> pointers;
  for (const TriangleMesh& mesh : meshes) pointers.push_back(&mesh);
  return pointers;
}

TriangleMesh merge_duplicate_vertices(const TriangleMesh& mesh) {
  TriangleMesh merged = mesh;
  merged.vertices.clear();
  merged.normals.clear();
  merged.colours.clear();
  std::vector<std::uint32_t> merged_from_old(mesh.vertices.size());
  std::unordered_map<CoordinateBits, std::uint32_t, CoordinateHash> seen;
  seen.reserve(mesh.vertices.size());
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    const auto [entry, is_new] = seen.try_emplace(CoordinateBits(mesh.vertices[v]),
                                                  static_cast<std::uint32_t>(merged.vertices.size()));
    merged_from_old[v] = entry->second;
    if (!is_new) continue;
    merged.vertices.push_back(mesh.vertices[v]);
    if (!mesh.normals.empty()) merged.normals.push_back(mesh.normals[v]);
    if (!mesh.colours.empty()) merged.colours.push_back(mesh.colours[v]);
  }
  for (auto& face : merged.faces) {
    for (std::uint32_t& index : face) index = merged_from_old[index];
  }
  return merged;
}

}  // namespace pmtr
