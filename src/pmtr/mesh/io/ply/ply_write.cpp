// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "pmtr/core/check.h"
#include "pmtr/core/file.h"
#include "pmtr/formats/byte_order.h"
#include "pmtr/mesh/io/moved_number.h"
#include "pmtr/mesh/io/ply/ply.h"

namespace pmtr {
namespace {

template <class T>
void put(std::vector<std::byte>& out, T value) {
  out.resize(out.size() + sizeof(T));
  store_bytes(out.data() + out.size() - sizeof(T), value, std::endian::little);
}

bool float_is_exact(double value) {
  return fits_float(value) && static_cast<double>(static_cast<float>(value)) == value;
}

std::uint8_t colour_byte(float value) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0F, 1.0F) * 255.0F));
}

/// One UV per vertex, or nothing if a vertex has different ones on different faces or none.
std::vector<Eigen::Vector2f> uvs_per_vertex(const TriangleMesh& mesh) {
  constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> uv_of(mesh.vertices.size(), none);
  for (std::size_t f = 0; f < mesh.face_uvs.size(); ++f) {
    for (std::size_t i = 0; i < 3; ++i) {
      std::uint32_t& known = uv_of[mesh.faces[f][i]];
      const std::uint32_t here = mesh.face_uvs[f][i];
      if (known != none && mesh.uvs[known] != mesh.uvs[here]) return {};
      known = here;
    }
  }
  std::vector<Eigen::Vector2f> uvs(mesh.vertices.size(), Eigen::Vector2f::Zero());
  for (std::size_t v = 0; v < uvs.size(); ++v) {
    if (uv_of[v] != none) uvs[v] = mesh.uvs[uv_of[v]];  // a vertex without faces shows no texture
  }
  return uvs;
}

}  // namespace

std::vector<std::byte> format_ply(const TriangleMesh& mesh) {
  const Status valid = check_mesh(mesh);
  PMTR_CHECK(valid.ok(), valid.error().text());
  const bool as_float = std::all_of(mesh.vertices.begin(), mesh.vertices.end(), [](const Eigen::Vector3d& p) {
    return float_is_exact(p.x()) && float_is_exact(p.y()) && float_is_exact(p.z());
  });
  const bool uvs = !mesh.face_uvs.empty();
  const std::vector<Eigen::Vector2f> vertex_uvs = uvs ? uvs_per_vertex(mesh) : std::vector<Eigen::Vector2f>{};

  std::string header =
      fmt::format("ply\nformat binary_little_endian 1.0\nelement vertex {}\n", mesh.vertices.size());
  for (const char* axis : {"x", "y", "z"})
    header += fmt::format("property {} {}\n", as_float ? "float" : "double", axis);
  if (!mesh.normals.empty()) header += "property float nx\nproperty float ny\nproperty float nz\n";
  if (!mesh.colours.empty())
    header += "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\n";
  if (!vertex_uvs.empty()) header += "property float s\nproperty float t\n";
  if (!mesh.faces.empty())
    header += fmt::format("element face {}\nproperty list uchar uint vertex_indices\n", mesh.faces.size());
  if (uvs && vertex_uvs.empty()) header += "property list uchar float texcoord\n";
  header += "end_header\n";

  const auto text = as_bytes(header);
  std::vector<std::byte> out(text.begin(), text.end());
  const std::size_t row = (as_float ? 12 : 24) + (mesh.normals.empty() ? 0 : 12) +
                          (mesh.colours.empty() ? 0 : 4) + (vertex_uvs.empty() ? 0 : 8);
  out.reserve(out.size() + row * mesh.vertices.size() +
              (13 + (uvs && vertex_uvs.empty() ? 25 : 0)) * mesh.faces.size());
  for (std::size_t v = 0; v < mesh.vertices.size(); ++v) {
    for (const double coordinate : mesh.vertices[v]) {
      if (as_float) {
        put(out, static_cast<float>(coordinate));
      } else {
        put(out, coordinate);
      }
    }
    if (!mesh.normals.empty()) {
      for (const float component : mesh.normals[v]) put(out, component);
    }
    if (!mesh.colours.empty()) {
      for (const float component : mesh.colours[v]) put(out, colour_byte(component));
    }
    if (!vertex_uvs.empty()) {
      for (const float component : vertex_uvs[v]) put(out, component);
    }
  }
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    put(out, std::uint8_t{3});
    for (const std::uint32_t index : mesh.faces[f]) put(out, index);
    if (!uvs || !vertex_uvs.empty()) continue;
    put(out, std::uint8_t{6});
    for (const std::uint32_t index : mesh.face_uvs[f]) {
      for (const float component : mesh.uvs[index]) put(out, component);
    }
  }
  return out;
}

}  // namespace pmtr
