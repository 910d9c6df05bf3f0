// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/page/display_mesh.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "pmtr/render/corner_normals.h"

namespace pmtr {
namespace {

constexpr std::uint32_t none = 0xFFFFFFFFU;

std::uint8_t byte_of(float share) {
  return static_cast<std::uint8_t>(std::lround(255.0F * std::clamp(share, 0.0F, 1.0F)));
}

bool has_own_colour(const TriangleMesh& mesh) {
  if (!mesh.colours.empty()) return true;
  if (mesh.face_materials.empty()) return false;
  return std::any_of(mesh.materials.begin(), mesh.materials.end(),
                     [](const Material& m) { return m.base_colour.head<3>() != Eigen::Vector3f::Ones(); });
}

Rgb colour_of(const TriangleMesh& mesh, std::uint32_t vertex, std::int32_t material) {
  Eigen::Vector3f colour = Eigen::Vector3f::Ones();
  if (!mesh.colours.empty()) colour = mesh.colours[vertex].head<3>();
  if (material >= 0)
    colour = colour.cwiseProduct(mesh.materials[static_cast<std::size_t>(material)].base_colour.head<3>());
  return {byte_of(colour.x()), byte_of(colour.y()), byte_of(colour.z())};
}

/// What makes one copy of a vertex differ from another.
struct Look {
  std::array<std::int8_t, 3> normal{};
  std::uint32_t uv = none;
  std::int32_t material = -1;
  bool operator==(const Look&) const = default;
};

std::array<std::int8_t, 3> coarse(const Eigen::Vector3f& normal) {
  const auto part = [](float x) {
    return static_cast<std::int8_t>(std::lround(127.0F * std::clamp(x, -1.0F, 1.0F)));
  };
  return {part(normal.x()), part(normal.y()), part(normal.z())};
}

DisplayMesh display_cloud(const TriangleMesh& mesh) {
  DisplayMesh out;
  out.positions = mesh.vertices;
  out.normals = mesh.normals;
  if (!mesh.colours.empty()) {
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
      out.colours.push_back(colour_of(mesh, static_cast<std::uint32_t>(i), -1));
  }
  return out;
}

}  // namespace

DisplayMesh display_mesh(const TriangleMesh& mesh, double crease_angle_deg) {
  if (mesh.faces.empty()) return display_cloud(mesh);
  DisplayMesh out;
  const bool coloured = has_own_colour(mesh);
  const auto normals = corner_normals(mesh, crease_angle_deg);
  std::vector<std::uint32_t> first(mesh.vertices.size(), none);  // copies of a vertex, as a chain
  std::vector<std::uint32_t> next;
  std::vector<Look> looks;
  std::map<int, std::vector<std::array<std::uint32_t, 3>>> by_texture;
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    if (normals[f][0].isZero()) continue;  // without area: nothing to see, and no normal to light it with
    const std::int32_t material = mesh.face_materials.empty() ? -1 : mesh.face_materials[f];
    std::array<std::uint32_t, 3> face{};
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t vertex = mesh.faces[f][c];
      const Look look{coarse(normals[f][c]), mesh.face_uvs.empty() ? none : mesh.face_uvs[f][c], material};
      std::uint32_t copy = first[vertex];
      while (copy != none && !(looks[copy] == look)) copy = next[copy];
      if (copy == none) {
        copy = static_cast<std::uint32_t>(out.positions.size());
        out.positions.push_back(mesh.vertices[vertex]);
        out.normals.push_back(normals[f][c]);
        if (coloured) out.colours.push_back(colour_of(mesh, vertex, material));
        if (!mesh.face_uvs.empty()) out.uvs.push_back(mesh.uvs[look.uv]);
        looks.push_back(look);
        next.push_back(first[vertex]);
        first[vertex] = copy;
      }
      face[c] = copy;
    }
    int texture = material < 0 ? -1 : mesh.materials[static_cast<std::size_t>(material)].texture;
    // A mesh with one picture and no materials means that one.
    if (mesh.face_materials.empty() && mesh.textures.size() == 1 && !mesh.face_uvs.empty()) texture = 0;
    by_texture[texture].push_back(face);
  }
  for (auto& [texture, faces] : by_texture) {
    const auto begin = static_cast<std::uint32_t>(out.faces.size());
    out.faces.insert(out.faces.end(), faces.begin(), faces.end());
    out.groups.push_back({texture, begin, static_cast<std::uint32_t>(out.faces.size())});
  }
  return out;
}

}  // namespace pmtr
