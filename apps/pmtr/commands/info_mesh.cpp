// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "console.h"
#include "info.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "pmtr/scan/estimate_normals.h"
#include "pmtr/scan/scan_faults.h"

namespace pmtr::command {
namespace {

std::string yes_no(bool value) { return value ? "yes" : "no"; }

std::string describe(const MeshFile& file, const nlohmann::json& info, const ScanFaults& faults) {
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
    text += faults.open_edges == 0
                ? "  surface   closed\n"
                : fmt::format("  surface   open: {} edges on one face only\n", faults.open_edges);
    if (faults.crowded_edges > 0) {
      text += fmt::format("            {} edges on more than two faces\n", faults.crowded_edges);
    }
  }
  text += fmt::format("  normals   {}\n", yes_no(!mesh.normals.empty()));
  text += fmt::format("  colours   {}\n", yes_no(!mesh.colours.empty()));
  text += fmt::format("  textures  {}\n", mesh.textures.size());
  for (const std::string& fault : describe_faults(faults)) text += fmt::format("  fault: {}\n", fault);
  if (lacks_normals(mesh)) text += "  fault: points without normals; pmtr assemble estimates them\n";
  for (const std::string& warning : file.warnings) text += fmt::format("  warning: {}\n", warning);
  return text;
}

}  // namespace

int print_mesh_info(const InfoArguments& arguments) {
  const Result<MeshFile> file = read_mesh_file(arguments.file);
  if (!file.ok()) return report(file.error());
  const TriangleMesh& mesh = file->mesh;
  const ScanFaults faults = find_faults(mesh);
  nlohmann::json info{{"file", file->path.string()},
                      {"kind", "mesh"},
                      {"format", format_name(file->format)},
                      {"vertices", mesh.vertices.size()},
                      {"faces", mesh.faces.size()},
                      {"area", surface_area(mesh)},
                      {"open_edges", faults.open_edges},
                      {"non_manifold_edges", faults.crowded_edges},
                      {"closed", !mesh.faces.empty() && faults.open_edges == 0},
                      {"surfaces", faults.surfaces},
                      {"specks", faults.specks},
                      {"inside_out", faults.inside_out},
                      {"turned_faces", faults.turned_faces},
                      {"unused_vertices", faults.unused_vertices},
                      {"copied_vertices", faults.copied_vertices},
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
  return arguments.json ? print_json(info) : print(describe(*file, info, faults));
}

}  // namespace pmtr::command
