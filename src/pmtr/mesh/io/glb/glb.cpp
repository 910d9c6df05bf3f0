// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/glb/glb.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include <fmt/format.h>
#include <Eigen/LU>

#include "pmtr/mesh/io/glb/glb_accessors.h"
#include "pmtr/mesh/io/glb/glb_container.h"
#include "pmtr/mesh/io/glb/glb_materials.h"
#include "pmtr/mesh/io/glb/glb_primitive.h"
#include "pmtr/mesh/io/glb/glb_scene.h"
#include "pmtr/mesh/io/mesh_appearance.h"

namespace pmtr {
namespace {

using glb::Json;
using glb::malformed;

constexpr std::uint64_t absent = std::uint64_t{1} << 63;

/// Extensions that leave the meaning of positions and indices as it is, or that we read.
bool is_harmless(std::string_view extension) {
  return extension == "KHR_mesh_quantization" || extension == "KHR_lights_punctual" ||
         extension == "KHR_texture_transform" || extension == "KHR_animation_pointer" ||
         extension == "KHR_node_visibility" || extension.starts_with("KHR_materials_") ||
         extension.starts_with("KHR_xmp") || extension.starts_with("KHR_texture_basisu") ||
         extension.starts_with("EXT_texture_");
}

Status check_extensions(const Json& document) {
  const Json* required = glb::find(document, "extensionsRequired");
  if (required == nullptr || !required->is_array()) return {};
  for (const Json& extension : *required) {
    if (!extension.is_string()) return malformed("extensionsRequired is not a list of names");
    const auto& name = extension.get_ref<const std::string&>();
    if (!is_harmless(name)) {
      return Error{
          Cause::unsupported, fmt::format("needs the glTF extension {}, which is not supported", name), {}};
    }
  }
  return {};
}

/// How a node places a mesh.
struct Placement {
  explicit Placement(const Eigen::Matrix4d& world_from_mesh)
      : linear(world_from_mesh.topLeftCorner<3, 3>()), translation(world_from_mesh.topRightCorner<3, 1>()) {
    // Normals go with the inverse transpose. The cofactors are that up to a factor, and exist for flat scales
    // too; the unit scale keeps them in range.
    const double size = linear.cwiseAbs().maxCoeff();
    const Eigen::Matrix3d m = size > 0 ? Eigen::Matrix3d(linear / size) : linear;
    normal.col(0) = m.col(1).cross(m.col(2));
    normal.col(1) = m.col(2).cross(m.col(0));
    normal.col(2) = m.col(0).cross(m.col(1));
    mirrored = m.determinant() < 0;
    if (mirrored) normal = -normal;
  }
  Eigen::Matrix3d linear;
  Eigen::Vector3d translation;
  Eigen::Matrix3d normal;
  bool mirrored = false;
};

/// The vertices that primitives of one mesh share.
struct Block {
  std::uint32_t first_vertex = 0;
  std::uint32_t count = 0;
  std::uint32_t first_uv = no_index;
};

class Reader {
 public:
  Reader(const Json& document, const glb::Chunks& chunks, std::uint64_t file_bytes)
      : document_(document),
        // A file may show one mesh many times, but not without end: a hundred instances of real data are
        // fine.
        remaining_((std::uint64_t{1} << 20) + 8 * file_bytes),
        accessors_(document, chunks.binary, remaining_),
        file_bytes_(file_bytes) {}

  Result<GlbReading> read();

 private:
  using BlockKey =
      std::array<std::uint64_t, 4>;  ///< the accessors of position, normal, colour, texture coordinate

  Status add_instance(const glb::MeshInstance& instance);
  Status add_primitive(const Json& primitive, const Placement& placement, const std::string& where);
  Result<Block> add_block(const BlockKey& key, const Placement& placement, const std::string& where);
  Status add_normals(std::uint64_t accessor, const Block& block, const Placement& placement,
                     const std::string& where);
  Status add_colours(std::uint64_t accessor, const Block& block, const std::string& where);
  Status add_uvs(std::uint64_t accessor, Block& block, const std::string& where);
  Result<glb::Numbers> attribute(std::uint64_t accessor, std::size_t least, std::size_t most,
                                 std::uint64_t count, const std::string& where);
  Status spend(std::uint64_t elements);
  void warn_once(const std::string& warning) {
    if (warned_.insert(warning).second) reading_.warnings.push_back(warning);
  }

  const Json& document_;
  std::uint64_t remaining_;
  glb::Accessors accessors_;
  std::uint64_t file_bytes_;
  GlbReading reading_;
  TriangleMesh& mesh_ = reading_.mesh;
  std::map<BlockKey, Block> blocks_;  ///< of the current instance
  bool normals_complete_ = true;
  std::set<std::string> warned_;
};

Status Reader::spend(std::uint64_t elements) {
  if (elements > remaining_) {
    return Error{
        Cause::too_large, "instances and shared data would make far more of the file than is in it", {}};
  }
  remaining_ -= elements;
  return {};
}

Result<GlbReading> Reader::read() {
  PMTR_TRY_STATUS(check_extensions(document_));
  PMTR_TRY(const auto instances, glb::mesh_instances(document_));
  glb::read_materials(document_, accessors_, 2 * file_bytes_, mesh_, reading_.warnings);
  for (const auto& instance : instances) PMTR_TRY_STATUS(add_instance(instance));
  if (mesh_.vertices.empty()) return Error{Cause::empty, "shows no mesh with vertices", {}};
  if (!normals_complete_) mesh_.normals.clear();
  if (!mesh_.colours.empty()) mesh_.colours.resize(mesh_.vertices.size(), Eigen::Vector4f::Ones());
  complete_face_uvs(mesh_);
  if (mesh_.materials.empty()) mesh_.face_materials.clear();
  return std::move(reading_);
}

Status Reader::add_instance(const glb::MeshInstance& instance) {
  const std::string where = fmt::format("mesh {}", instance.mesh);
  const Json* mesh = glb::entry(document_, "meshes", instance.mesh);
  if (mesh == nullptr) return malformed(where + " does not exist");
  if (instance.has_skin) warn_once("a skin is not applied: the mesh is shown unbent");
  const Placement placement(instance.world_from_mesh);
  blocks_.clear();
  for (std::size_t i = 0; i < glb::entry_count(*mesh, "primitives"); ++i) {
    PMTR_TRY_STATUS(add_primitive(*glb::entry(*mesh, "primitives", i), placement,
                                  fmt::format("{}, primitive {}", where, i)));
  }
  return {};
}

Status Reader::add_primitive(const Json& primitive, const Placement& placement, const std::string& where) {
  PMTR_TRY_STATUS(spend(1));
  const Json* attributes = glb::find(primitive, "attributes");
  if (attributes == nullptr) return malformed(where + " has no attributes");
  BlockKey key{};
  const std::array<const char*, 4> names{"POSITION", "NORMAL", "COLOR_0", "TEXCOORD_0"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    PMTR_TRY(key[i], glb::index_at(*attributes, names[i], absent, where));
  }
  PMTR_TRY(const std::uint64_t mode, glb::index_at(primitive, "mode", glb::triangles, where));
  if (mode > glb::triangle_fan) return malformed(fmt::format("{}: mode {} is not known", where, mode));
  if (key[0] == absent || (mode != glb::points && mode < glb::triangles)) {
    warn_once(key[0] == absent ? "a primitive without positions is left out" : "lines are left out");
    return {};
  }
  PMTR_TRY(const std::uint64_t material, glb::index_at(primitive, "material", absent, where));
  if (material != absent && material >= mesh_.materials.size()) {
    return malformed(fmt::format("{}: material {} does not exist", where, material));
  }
  auto known = blocks_.find(key);
  if (known == blocks_.end()) {
    PMTR_TRY(const Block added, add_block(key, placement, where));
    known = blocks_.emplace(key, added).first;
  }
  const Block& block = known->second;
  if (mode == glb::points) return {};

  std::vector<std::uint32_t> indices;
  if (glb::find(primitive, "indices") != nullptr) {
    PMTR_TRY(const std::uint64_t accessor, glb::index_at(primitive, "indices", 0, where));
    PMTR_TRY(const std::uint64_t count, accessors_.count(accessor));
    PMTR_TRY_STATUS(spend(count));
    PMTR_TRY(indices, accessors_.indices(accessor));
  } else {
    PMTR_TRY_STATUS(spend(block.count));
    indices.resize(block.count);
    for (std::uint32_t i = 0; i < block.count; ++i) indices[i] = i;
  }
  for (const std::uint32_t index : indices) {
    if (index >= block.count) {
      return malformed(
          fmt::format("{}: index {} is out of range, there are {} vertices", where, index, block.count));
    }
  }
  PMTR_TRY(const auto faces, glb::faces_of(indices, mode, where));
  for (auto face : faces) {
    if (placement.mirrored) std::swap(face[1], face[2]);
    std::array<std::uint32_t, 3> uvs{no_index, no_index, no_index};
    for (std::size_t c = 0; c < 3; ++c) {
      if (block.first_uv != no_index) uvs[c] = block.first_uv + face[c];
      face[c] += block.first_vertex;
    }
    mesh_.faces.push_back(face);
    mesh_.face_uvs.push_back(uvs);
    mesh_.face_materials.push_back(material == absent ? -1 : static_cast<std::int32_t>(material));
  }
  return {};
}

Result<Block> Reader::add_block(const BlockKey& key, const Placement& placement, const std::string& where) {
  PMTR_TRY(const std::uint64_t count, accessors_.count(key[0]));
  PMTR_TRY_STATUS(spend(count));
  if (count >= no_index - mesh_.vertices.size()) return Error{Cause::too_large, "has too many vertices", {}};
  PMTR_TRY(const glb::Numbers positions, accessors_.numbers(key[0], 3, 3));
  Block block;
  block.first_vertex = static_cast<std::uint32_t>(mesh_.vertices.size());
  block.count = static_cast<std::uint32_t>(count);
  for (std::size_t i = 0; i < block.count; ++i) {
    const Eigen::Map<const Eigen::Vector3f> position(positions.values.data() + 3 * i);
    const Eigen::Vector3d placed = placement.linear * position.cast<double>() + placement.translation;
    if (!placed.allFinite()) {
      return Error{
          Cause::not_finite, fmt::format("{}: accessor {}: position {} is not finite", where, key[0], i), {}};
    }
    mesh_.vertices.push_back(placed);
  }
  if (key[1] == absent) normals_complete_ = normals_complete_ && block.count == 0;
  if (key[1] != absent && normals_complete_) PMTR_TRY_STATUS(add_normals(key[1], block, placement, where));
  if (key[2] != absent) PMTR_TRY_STATUS(add_colours(key[2], block, where));
  if (key[3] != absent) PMTR_TRY_STATUS(add_uvs(key[3], block, where));
  return block;
}

Result<glb::Numbers> Reader::attribute(std::uint64_t accessor, std::size_t least, std::size_t most,
                                       std::uint64_t count, const std::string& where) {
  PMTR_TRY(const std::uint64_t have, accessors_.count(accessor));
  if (have != count) {
    return malformed(
        fmt::format("{}: accessor {} has {} elements for {} positions", where, accessor, have, count));
  }
  return accessors_.numbers(accessor, least, most);
}

Status Reader::add_normals(std::uint64_t accessor, const Block& block, const Placement& placement,
                           const std::string& where) {
  PMTR_TRY(const glb::Numbers numbers, attribute(accessor, 3, 3, block.count, where));
  for (std::size_t i = 0; i < block.count; ++i) {
    const Eigen::Map<const Eigen::Vector3f> normal(numbers.values.data() + 3 * i);
    const Eigen::Vector3f placed =
        (placement.normal * normal.cast<double>()).stableNormalized().cast<float>();
    if (!placed.allFinite()) {
      warn_once("some normals are not finite: all are left out");
      normals_complete_ = false;
      return {};
    }
    mesh_.normals.push_back(placed);
  }
  return {};
}

Status Reader::add_colours(std::uint64_t accessor, const Block& block, const std::string& where) {
  PMTR_TRY(const glb::Numbers numbers, attribute(accessor, 3, 4, block.count, where));
  mesh_.colours.resize(block.first_vertex, Eigen::Vector4f::Ones());  // those before without colour
  for (std::size_t i = 0; i < block.count; ++i) {
    const float* from = numbers.values.data() + numbers.components * i;
    Eigen::Vector4f colour(from[0], from[1], from[2], numbers.components == 4 ? from[3] : 1.0F);
    if (!colour.allFinite()) colour.setOnes();
    mesh_.colours.emplace_back(colour.cwiseMax(0.0F).cwiseMin(1.0F));
  }
  return {};
}

Status Reader::add_uvs(std::uint64_t accessor, Block& block, const std::string& where) {
  PMTR_TRY(const glb::Numbers numbers, attribute(accessor, 2, 2, block.count, where));
  block.first_uv = static_cast<std::uint32_t>(mesh_.uvs.size());
  for (std::size_t i = 0; i < block.count; ++i) {
    const Eigen::Vector2f uv(numbers.values[2 * i],
                             1.0F - numbers.values[2 * i + 1]);  // glTF counts from the top
    mesh_.uvs.push_back(uv.allFinite() ? uv : Eigen::Vector2f(0, 0));
  }
  return {};
}

}  // namespace

Result<GlbReading> read_glb_with_warnings(std::span<const std::byte> bytes, const std::string& name) {
  PMTR_TRY(const glb::Chunks chunks, glb::split(bytes, name));
  PMTR_TRY(const Json document, glb::parse_json(chunks.json, name));
  auto reading = Reader(document, chunks, bytes.size()).read();
  if (reading.ok()) return reading;
  Error error = reading.error();
  error.place.file = name;
  return error;
}

Result<TriangleMesh> parse_glb(std::span<const std::byte> bytes, const std::string& name) {
  PMTR_TRY(GlbReading reading, read_glb_with_warnings(bytes, name));
  return std::move(reading.mesh);
}

}  // namespace pmtr
