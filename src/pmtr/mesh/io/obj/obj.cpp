// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/obj/obj.h"

#include <unordered_map>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/formats/word_reader.h"
#include "pmtr/mesh/io/companion_files.h"
#include "pmtr/mesh/io/mesh_appearance.h"
#include "pmtr/mesh/io/obj/mtl.h"
#include "pmtr/mesh/io/obj/obj_read.h"

namespace pmtr {
namespace {

class MaterialTable {
 public:
  explicit MaterialTable(TriangleMesh& mesh) : mesh_(mesh) {}

  int index_of(const std::string& name) const {
    const auto known = index_.find(name);
    return known == index_.end() ? -1 : known->second;
  }
  int add(Material material) {
    const auto index = static_cast<int>(mesh_.materials.size());
    if (!index_.emplace(material.name, index).second) return -1;  // the first definition counts
    mesh_.materials.push_back(std::move(material));
    return index;
  }

 private:
  TriangleMesh& mesh_;
  std::unordered_map<std::string, int> index_;
};

void read_material_file(const std::string& written, Companions& companions, MaterialTable& table,
                        std::unordered_map<int, int>& texture_of_companion, ObjReading& reading) {
  const int file = companions.load(written, "", "material file");
  if (file < 0) return;
  const std::string path = reading.companions[static_cast<std::size_t>(file)].relative_path.generic_string();
  const std::string folder = path.substr(0, path.rfind('/') + 1);  // npos + 1 is 0: the OBJ's own folder
  const MtlFile mtl = parse_mtl(as_text(reading.companions[static_cast<std::size_t>(file)].bytes));
  std::unordered_map<std::string, int> companion_of_map;
  for (const auto& map : mtl.maps) companion_of_map[map] = companions.load(map, folder, "texture");
  for (const auto& material : mtl.materials) {
    const int added = table.add({material.name, material.base_colour, -1});
    if (added < 0 || material.base_colour_map.empty()) continue;
    const int companion = companion_of_map[material.base_colour_map];
    if (companion < 0) continue;
    auto& textures = reading.mesh.textures;
    const auto [texture, is_new] = texture_of_companion.emplace(companion, static_cast<int>(textures.size()));
    if (is_new) {
      const CompanionFile& image = reading.companions[static_cast<std::size_t>(companion)];
      const std::string name = image.relative_path.generic_string();
      textures.push_back({name, image_mime(image.bytes, name), image.bytes});
    }
    reading.mesh.materials[static_cast<std::size_t>(added)].texture = texture->second;
  }
}

}  // namespace

Result<ObjReading> read_obj_with_companions(std::span<const std::byte> bytes, const std::string& name,
                                            const CompanionLoader& loader) {
  PMTR_TRY(ObjContent content, read_obj_content(bytes, name));
  ObjReading reading;
  reading.mesh = std::move(content.mesh);
  reading.warnings = std::move(content.warnings);
  const std::vector<Material> used = std::move(reading.mesh.materials);
  reading.mesh.materials.clear();

  Companions companions(loader, reading.companions, reading.warnings);
  MaterialTable table(reading.mesh);
  std::unordered_map<int, int> texture_of_companion;
  for (const auto& file : content.material_files) {
    read_material_file(file, companions, table, texture_of_companion, reading);
  }
  const bool has_definitions = !reading.mesh.materials.empty();
  std::vector<std::int32_t> index_of_used;
  for (const auto& material : used) {
    int index = table.index_of(material.name);
    if (index < 0) {
      index = table.add(material);
      if (has_definitions)
        reading.warnings.push_back(fmt::format("material {} is not defined", shown(material.name)));
    }
    index_of_used.push_back(index);
  }
  for (auto& material : reading.mesh.face_materials) {
    if (material >= 0) material = index_of_used[static_cast<std::size_t>(material)];
  }
  return reading;
}

Result<TriangleMesh> parse_obj(std::span<const std::byte> bytes, const std::string& name) {
  PMTR_TRY(ObjContent content, read_obj_content(bytes, name));
  return std::move(content.mesh);
}

}  // namespace pmtr
