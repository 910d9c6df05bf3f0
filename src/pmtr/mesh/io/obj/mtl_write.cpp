// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <algorithm>
#include <cmath>
#include <unordered_map>

#include <fmt/format.h>

#include "pmtr/formats/number_text.h"
#include "pmtr/mesh/io/mesh_appearance.h"
#include "pmtr/mesh/io/obj/mtl.h"

namespace pmtr {
namespace {

/// Names given so far, with the number to try next when one comes again.
using TakenNames = std::unordered_map<std::string, int>;

std::string unique_name(const std::string& stem, const std::string& extension, TakenNames& taken) {
  std::string name = stem + extension;
  const auto [first, is_new] = taken.emplace(name, 2);
  if (is_new) return name;
  int number = first->second;
  do {
    name = fmt::format("{}_{}{}", stem, number++, extension);
  } while (!taken.emplace(name, 2).second);
  taken[stem + extension] = number;
  return name;
}

}  // namespace

std::string plain_word(std::string_view name) {
  std::string word(name);
  for (char& c : word) {
    const auto code = static_cast<unsigned char>(c);
    if (code <= 0x20 || code == 0x7F || c == '/' || c == '\\' || c == ':' || c == '"') c = '_';
  }
  if (!word.empty() && (word[0] == '#' || word[0] == '-' || word[0] == '.')) word[0] = '_';
  return word;
}

std::vector<std::string> obj_material_names(const TriangleMesh& mesh) {
  std::vector<std::string> names;
  TakenNames taken;
  for (const auto& material : mesh.materials) {
    std::string word = plain_word(material.name);
    if (word.empty()) word = "material";
    names.push_back(unique_name(word, "", taken));
  }
  return names;
}

MtlDocument format_mtl(const TriangleMesh& mesh, const std::string& stem) {
  MtlDocument document;
  TakenNames taken;
  std::vector<std::string> texture_names;
  for (const auto& texture : mesh.textures) {
    const std::string_view name = texture.name;
    const std::string file = plain_word(name.substr(name.find_last_of("/\\") + 1));  // npos + 1 is 0
    const std::size_t dot = file.rfind('.');
    const bool has_extension = dot != std::string::npos && dot > 0;
    std::string word = file.substr(0, has_extension ? dot : file.size());
    if (word.empty()) word = "texture";
    if (!stem.empty() && !word.starts_with(stem + "_")) word.insert(0, stem + "_");
    texture_names.push_back(
        unique_name(word, has_extension ? file.substr(dot) : image_extension(texture.mime), taken));
    document.textures.push_back({texture_names.back(), texture.bytes});
  }
  const std::vector<std::string> names = obj_material_names(mesh);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Material& material = mesh.materials[i];
    document.mtl += fmt::format("{}newmtl {}\nKd", i == 0 ? "" : "\n", names[i]);
    for (int c = 0; c < 3; ++c) {
      document.mtl += ' ';
      append_number(document.mtl, unit_range(material.base_colour[c]));
    }
    document.mtl += "\nd ";
    append_number(document.mtl, unit_range(material.base_colour[3]));
    document.mtl += '\n';
    if (material.texture >= 0 && static_cast<std::size_t>(material.texture) < texture_names.size()) {
      document.mtl += "map_Kd " + texture_names[static_cast<std::size_t>(material.texture)] + "\n";
    }
  }
  return document;
}

}  // namespace pmtr
