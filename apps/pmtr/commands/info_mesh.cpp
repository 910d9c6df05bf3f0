// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "console.h"
#include "info.h"
#include "pmtr/mesh/io/mesh_file.h"

namespace pmtr::command {
namespace {

struct EdgeCount {
  std::int64_t open = 0;          ///< on one face only: the rim of a hole
  std::int64_t non_manifold = 0;  ///< on more than two
};

/// Vertices with equal coordinates count as one, or every STL would be nothing but rims.
EdgeCount count_edges(const TriangleMesh& mesh) {
  const TriangleMesh merged = merge_duplicate_vertices(mesh);
  std::vector<std::uint64_t> edges;
  edges.reserve(3 * merged.faces.size());
  for (const auto& face : merged.faces) {
    if (face[0] == face[1] || face[1] == face[2] || face[2] == face[0]) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      const auto [low, high] = std::minmax(face[i], face[(i + 1) % 3]);
      edges.push_back(std::uint64_t{low} << 32 | high);
    }
  }
  std::sort(edges.begin(), edges.end());
  EdgeCount count;
  for (std::size_t begin = 0; begin < edges.size();) {
    std::size_t end = begin;
    while (end < edges.size() && edges[end] == edges[begin]) ++end;
    if (end - begin == 1) ++count.open;
    if (end - begin > 2) ++count.non_manifold;
    begin = end;
  }
  return count;
}

std::string yes_no(bool value) { return value ? "yes" : "no"; }

std::string describe(const MeshFile& file, const nlohmann::json& info, const EdgeCount& edges) {
  const TriangleMesh& mesh = file.mesh;
  std::string text = fmt::format("{}: {}, {}\n", file.path.string(),
                                 mesh.faces.empty() ? "point cloud" : "mesh", format_name(file.format));
  text += fmt::format("  vertices  {}\n", mesh.vertices.size());
  text += fmt::format("  faces     {}\n", mesh.faces.size());
  if (!mesh.vertices.empty()) {
    const auto low = info["bounds"]["min"].get<std::vector<double>>();
    const auto high = info["bounds"]["max"].get<std::vector<double>>();
    for (std::size_t i = 0; i < 3; ++i) {
      text += fmt::format("  {}         {:.6g} to {:.6g}\n", "xyz"[i], low[i], high[i]);
    }
  }
  if (!mesh.faces.empty()) {
    text += fmt::format("  area      {:.6g}\n", info["area"].get<double>());
    text += edges.open == 0 ? "  surface   closed\n"
                            : fmt::format("  surface   open: {} edges on one face only\n", edges.open);
    if (edges.non_manifold > 0) {
      text += fmt::format("            {} edges on more than two faces\n", edges.non_manifold);
    }
  }
  text += fmt::format("  normals   {}\n", yes_no(!mesh.normals.empty()));
  text += fmt::format("  colours   {}\n", yes_no(!mesh.colours.empty()));
  text += fmt::format("  textures  {}\n", mesh.textures.size());
  for (const std::string& warning : file.warnings) text += fmt::format("  warning: {}\n", warning);
  return text;
}

}  // namespace

int print_mesh_info(const InfoArguments& arguments) {
  const Result<MeshFile> file = read_mesh_file(arguments.file);
  if (!file.ok()) return report(file.error());
  const TriangleMesh& mesh = file->mesh;
  const EdgeCount edges = count_edges(mesh);
  nlohmann::json info{{"file", file->path.string()},
                      {"kind", "mesh"},
                      {"format", format_name(file->format)},
                      {"vertices", mesh.vertices.size()},
                      {"faces", mesh.faces.size()},
                      {"area", surface_area(mesh)},
                      {"open_edges", edges.open},
                      {"non_manifold_edges", edges.non_manifold},
                      {"closed", !mesh.faces.empty() && edges.open == 0},
                      {"normals", !mesh.normals.empty()},
                      {"colours", !mesh.colours.empty()},
                      {"uvs", !mesh.face_uvs.empty()},
                      {"materials", mesh.materials.size()},
                      {"textures", nlohmann::json::array()},
                      {"warnings", file->warnings}};
  if (!mesh.vertices.empty()) {
    Eigen::Vector3d low = mesh.vertices.front();
    Eigen::Vector3d high = low;
    for (const Eigen::Vector3d& vertex : mesh.vertices) {
      low = low.cwiseMin(vertex);
      high = high.cwiseMax(vertex);
    }
    info["bounds"] = {{"min", {low.x(), low.y(), low.z()}}, {"max", {high.x(), high.y(), high.z()}}};
  }
  for (const Texture& texture : mesh.textures) {
    info["textures"].push_back(
        {{"name", texture.name}, {"mime", texture.mime}, {"bytes", texture.bytes.size()}});
  }
  return arguments.json ? print_json(info) : print(describe(*file, info, edges));
}

}  // namespace pmtr::command
