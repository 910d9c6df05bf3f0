// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/core/check.h"
#include "pmtr/core/file.h"
#include "pmtr/formats/number_text.h"
#include "pmtr/mesh/io/obj/mtl.h"
#include "pmtr/mesh/io/obj/obj.h"

namespace pmtr {
namespace {

template <class Vector>
void append_numbers(std::string& text, const Vector& values, Eigen::Index count) {
  for (Eigen::Index i = 0; i < count; ++i) {
    text += ' ';
    append_number(text, values[i]);
  }
}

void append_index(std::string& text, std::uint32_t index) { append_number(text, std::uint64_t{index} + 1); }

}  // namespace

std::vector<std::byte> format_obj(const TriangleMesh& mesh, const std::string& mtl_name) {
  const bool has_colours = !mesh.colours.empty();
  const bool has_normals = !mesh.normals.empty();
  const bool has_uvs = !mesh.face_uvs.empty();
  const bool has_materials = !mesh.face_materials.empty();
  PMTR_CHECK(!has_colours || mesh.colours.size() == mesh.vertices.size(), "colours are per vertex");
  PMTR_CHECK(!has_normals || mesh.normals.size() == mesh.vertices.size(), "normals are per vertex");
  PMTR_CHECK(!has_uvs || mesh.face_uvs.size() == mesh.faces.size(), "texture coordinates are per face");
  PMTR_CHECK(!has_materials || mesh.face_materials.size() == mesh.faces.size(), "materials are per face");

  bool has_alpha = false;
  for (const auto& colour : mesh.colours) has_alpha = has_alpha || colour[3] != 1.0F;

  std::string text;
  if (!mtl_name.empty() && !mesh.materials.empty()) text += "mtllib " + mtl_name + "\n";
  for (std::size_t i = 0; i < mesh.vertices.size(); ++i) {
    text += 'v';
    append_numbers(text, mesh.vertices[i], 3);
    if (has_colours) append_numbers(text, mesh.colours[i], has_alpha ? 4 : 3);
    text += '\n';
  }
  if (has_uvs) {
    for (const auto& uv : mesh.uvs) {
      text += "vt";
      append_numbers(text, uv, 2);
      text += '\n';
    }
  }
  for (const auto& normal : mesh.normals) {
    text += "vn";
    append_numbers(text, normal, 3);
    text += '\n';
  }
  const std::vector<std::string> material_names = obj_material_names(mesh);
  std::int32_t material = -1;
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    if (has_materials && mesh.face_materials[f] != material) {
      material = mesh.face_materials[f];
      text += "usemtl";
      if (material >= 0) text += " " + material_names.at(static_cast<std::size_t>(material));
      text += '\n';
    }
    text += 'f';
    for (std::size_t c = 0; c < 3; ++c) {
      text += ' ';
      append_index(text, mesh.faces[f][c]);
      if (has_uvs || has_normals) text += '/';
      if (has_uvs) append_index(text, mesh.face_uvs[f][c]);
      if (has_normals) {
        text += '/';
        append_index(text, mesh.faces[f][c]);
      }
    }
    text += '\n';
  }
  const auto bytes = as_bytes(text);
  return {bytes.begin(), bytes.end()};
}

}  // namespace pmtr
