// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <tuple>

#include "pmtr/core/check.h"
#include "pmtr/mesh/io/glb/glb.h"
#include "pmtr/mesh/io/glb/glb_container.h"
#include "pmtr/mesh/io/glb/glb_json.h"
#include "pmtr/mesh/io/glb/glb_primitive.h"
#include "pmtr/mesh/io/mesh_appearance.h"

namespace pmtr {
namespace {

using glb::Json;

constexpr int vertex_data = 34962;  // bufferView targets
constexpr int index_data = 34963;
constexpr int unsigned_byte = 5121;  // component types
constexpr int unsigned_int = 5125;
constexpr int float_number = 5126;

/// The mesh with one texture coordinate per vertex.
struct SplitMesh {
  std::vector<std::uint32_t> source;  ///< per vertex, the one of the mesh it comes from
  std::vector<std::uint32_t> uv;      ///< per vertex, or no_index
  std::vector<std::array<std::uint32_t, 3>> faces;
};

SplitMesh split_by_uv(const TriangleMesh& mesh) {
  SplitMesh split;
  split.source.resize(mesh.vertices.size());
  for (std::size_t i = 0; i < split.source.size(); ++i) split.source[i] = static_cast<std::uint32_t>(i);
  split.faces = mesh.faces;
  if (mesh.face_uvs.empty()) return split;
  split.uv.assign(split.source.size(), no_index);
  std::map<std::tuple<std::uint32_t, float, float>, std::uint32_t> copies;  // by vertex and coordinate
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint32_t vertex = mesh.faces[f][c];
      const std::uint32_t uv = mesh.face_uvs[f][c];
      if (split.uv[vertex] == no_index) split.uv[vertex] = uv;
      if (mesh.uvs[split.uv[vertex]] == mesh.uvs[uv]) continue;
      const auto next = static_cast<std::uint32_t>(split.source.size());
      const auto [copy, is_new] = copies.emplace(std::tuple(vertex, mesh.uvs[uv][0], mesh.uvs[uv][1]), next);
      if (is_new) {
        split.source.push_back(vertex);
        split.uv.push_back(uv);
      }
      split.faces[f][c] = copy->second;
    }
  }
  return split;
}

/// Collects the binary chunk and the JSON that describes it.
class Builder {
 public:
  Builder()
      : accessors(Json::array()),
        views(Json::array()),
        images(Json::array()),
        textures(Json::array()),
        materials(Json::array()),
        meshes(Json::array()) {}

  std::size_t view(const void* data, std::size_t size, int target) {
    binary.resize((binary.size() + 3) / 4 * 4);
    Json json = {{"buffer", 0}, {"byteOffset", binary.size()}, {"byteLength", size}};
    if (target != 0) json["target"] = target;
    const auto* from = static_cast<const std::byte*>(data);
    binary.insert(binary.end(), from, from + size);
    views.push_back(std::move(json));
    return views.size() - 1;
  }

  template <class T>
  std::size_t accessor(const std::vector<T>& values, std::size_t components, int component_type, int target) {
    const char* types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    accessors.push_back({{"bufferView", view(values.data(), values.size() * sizeof(T), target)},
                         {"componentType", component_type},
                         {"count", values.size() / components},
                         {"type", types[components]}});
    return accessors.size() - 1;
  }

  Json accessors;
  Json views;
  Json images;
  Json textures;
  Json materials;
  Json meshes;
  std::vector<std::byte> binary;
};

float in_float_range(double value) {
  const auto most = static_cast<double>(std::numeric_limits<float>::max());
  return static_cast<float>(std::clamp(value, -most, most));
}

/// Zero if floats hold the coordinates well; else the middle of the box, for the node to add again.
Eigen::Vector3d origin_for_floats(const TriangleMesh& mesh) {
  Eigen::Vector3d low = mesh.vertices[0];
  Eigen::Vector3d high = low;
  bool exact = true;
  for (const auto& vertex : mesh.vertices) {
    low = low.cwiseMin(vertex);
    high = high.cwiseMax(vertex);
    for (Eigen::Index i = 0; i < 3; ++i)
      exact = exact && static_cast<double>(in_float_range(vertex[i])) == vertex[i];
  }
  const Eigen::Vector3d middle = low / 2 + high / 2;
  const bool far = middle.cwiseAbs().maxCoeff() > 4 * (high / 2 - low / 2).maxCoeff();
  return exact || !far ? Eigen::Vector3d(Eigen::Vector3d::Zero()) : middle;
}

std::size_t write_positions(const TriangleMesh& mesh, const SplitMesh& split, const Eigen::Vector3d& origin,
                            Builder& builder) {
  std::vector<float> values;
  values.reserve(3 * split.source.size());
  std::array<float, 3> low{};
  std::array<float, 3> high{};
  for (const std::uint32_t vertex : split.source) {
    for (std::size_t i = 0; i < 3; ++i) {
      const auto axis = static_cast<Eigen::Index>(i);
      const float value = in_float_range(mesh.vertices[vertex][axis] - origin[axis]);
      low[i] = values.size() < 3 ? value : std::min(low[i], value);
      high[i] = values.size() < 3 ? value : std::max(high[i], value);
      values.push_back(value);
    }
  }
  const std::size_t index = builder.accessor(values, 3, float_number, vertex_data);
  builder.accessors[index]["min"] = low;
  builder.accessors[index]["max"] = high;
  return index;
}

std::size_t write_colours(const TriangleMesh& mesh, const SplitMesh& split, Builder& builder) {
  const bool are_bytes =
      std::all_of(mesh.colours.begin(), mesh.colours.end(), [](const Eigen::Vector4f& colour) {
        return (colour.array() == (colour.array() * 255.0F).round() / 255.0F).all();
      });
  std::vector<float> values;
  std::vector<std::uint8_t> bytes;
  for (const std::uint32_t vertex : split.source) {
    for (Eigen::Index i = 0; i < 4; ++i) {
      const float value = std::clamp(mesh.colours[vertex][i], 0.0F, 1.0F);
      if (are_bytes) {
        bytes.push_back(static_cast<std::uint8_t>(std::lround(value * 255.0F)));
      } else {
        values.push_back(value);
      }
    }
  }
  if (!are_bytes) return builder.accessor(values, 4, float_number, vertex_data);
  const std::size_t index = builder.accessor(bytes, 4, unsigned_byte, vertex_data);
  builder.accessors[index]["normalized"] = true;
  return index;
}

Json write_attributes(const TriangleMesh& mesh, const SplitMesh& split, const Eigen::Vector3d& origin,
                      Builder& builder) {
  Json attributes = Json::object();
  attributes["POSITION"] = write_positions(mesh, split, origin, builder);
  if (!mesh.normals.empty()) {
    std::vector<float> values;
    for (const std::uint32_t vertex : split.source) {
      // The format wants unit normals, also where a mesh has none to give.
      Eigen::Vector3f normal = mesh.normals[vertex].stableNormalized();
      if (!(normal.squaredNorm() > 0.5F)) normal = Eigen::Vector3f::UnitZ();
      values.insert(values.end(), normal.data(), normal.data() + 3);
    }
    attributes["NORMAL"] = builder.accessor(values, 3, float_number, vertex_data);
  }
  if (!mesh.colours.empty()) attributes["COLOR_0"] = write_colours(mesh, split, builder);
  if (!split.uv.empty()) {
    std::vector<float> values;
    for (const std::uint32_t uv : split.uv) {
      values.push_back(uv == no_index ? 0.0F : mesh.uvs[uv][0]);
      values.push_back(uv == no_index ? 0.0F : 1.0F - mesh.uvs[uv][1]);  // glTF counts from the top
    }
    attributes["TEXCOORD_0"] = builder.accessor(values, 2, float_number, vertex_data);
  }
  return attributes;
}

Json write_primitives(const TriangleMesh& mesh, const SplitMesh& split, const Json& attributes,
                      Builder& builder) {
  Json primitives = Json::array();
  if (mesh.faces.empty()) {
    primitives.push_back({{"attributes", attributes}, {"mode", glb::points}});
    return primitives;
  }
  std::map<std::int32_t, std::vector<std::uint32_t>> indices;  // by material
  for (std::size_t f = 0; f < split.faces.size(); ++f) {
    auto& list = indices[mesh.face_materials.empty() ? -1 : mesh.face_materials[f]];
    list.insert(list.end(), split.faces[f].begin(), split.faces[f].end());
  }
  for (const auto& [material, list] : indices) {
    Json primitive = {{"attributes", attributes},
                      {"indices", builder.accessor(list, 1, unsigned_int, index_data)}};
    // The materials of this mesh come after those of the meshes before it.
    if (material >= 0) primitive["material"] = builder.materials.size() + static_cast<std::size_t>(material);
    primitives.push_back(std::move(primitive));
  }
  return primitives;
}

void write_materials(const TriangleMesh& mesh, Builder& builder) {
  std::vector<int> texture_index(mesh.textures.size(), -1);
  for (std::size_t i = 0; i < mesh.textures.size(); ++i) {
    const Texture& texture = mesh.textures[i];
    const std::string mime = texture.mime.empty() ? image_mime(texture.bytes, texture.name) : texture.mime;
    if (texture.bytes.empty() || (mime != "image/png" && mime != "image/jpeg")) continue;
    texture_index[i] = static_cast<int>(builder.textures.size());
    builder.textures.push_back({{"source", builder.images.size()}});
    builder.images.push_back({{"name", texture.name},
                              {"mimeType", mime},
                              {"bufferView", builder.view(texture.bytes.data(), texture.bytes.size(), 0)}});
  }
  for (const Material& material : mesh.materials) {
    std::array<float, 4> colour{};
    for (std::size_t i = 0; i < 4; ++i) {
      colour[i] = unit_range(material.base_colour[static_cast<Eigen::Index>(i)]);
    }
    Json surface = {{"baseColorFactor", colour}, {"metallicFactor", 0}, {"roughnessFactor", 1}};
    if (material.texture >= 0 && texture_index.at(static_cast<std::size_t>(material.texture)) >= 0) {
      surface["baseColorTexture"] = {{"index", texture_index[static_cast<std::size_t>(material.texture)]}};
    }
    // Scans are often open: their back must not be invisible.
    Json json = {{"name", material.name}, {"pbrMetallicRoughness", surface}, {"doubleSided", true}};
    if (colour[3] < 1.0F) json["alphaMode"] = "BLEND";
    builder.materials.push_back(std::move(json));
  }
}

void check_attributes(const TriangleMesh& mesh) {
  PMTR_CHECK(mesh.colours.empty() || mesh.colours.size() == mesh.vertices.size(), "colours are per vertex");
  PMTR_CHECK(mesh.normals.empty() || mesh.normals.size() == mesh.vertices.size(), "normals are per vertex");
  PMTR_CHECK(mesh.face_uvs.empty() || mesh.face_uvs.size() == mesh.faces.size(),
             "texture coordinates are per face");
  PMTR_CHECK(mesh.face_materials.empty() || mesh.face_materials.size() == mesh.faces.size(),
             "materials are per face");
}

/// Adds a mesh with its materials; gives where the origin of its coordinates is.
Eigen::Vector3d write_mesh_entry(const TriangleMesh& mesh, Builder& builder) {
  const SplitMesh split = split_by_uv(mesh);
  const Eigen::Vector3d origin = origin_for_floats(mesh);
  const Json attributes = write_attributes(mesh, split, origin, builder);
  builder.meshes.push_back({{"primitives", write_primitives(mesh, split, attributes, builder)}});
  write_materials(mesh, builder);
  return origin;
}

Json matrix_by_columns(const Rigid3& pose) {
  Json numbers = Json::array();
  const Eigen::Matrix4d matrix = pose.matrix();
  for (Eigen::Index i = 0; i < 16; ++i) numbers.push_back(matrix(i % 4, i / 4));
  return numbers;
}

Result<std::vector<std::byte>> finished(Json document, Builder builder) {
  const auto put = [&](const char* key, Json& list) {
    if (!list.empty()) document[key] = std::move(list);
  };
  put("meshes", builder.meshes);
  put("images", builder.images);
  put("textures", builder.textures);
  put("materials", builder.materials);
  std::vector<std::byte> chunk;
  if (!builder.binary.empty()) {
    document["buffers"] = Json::array({{{"byteLength", builder.binary.size()}}});
    put("bufferViews", builder.views);
    put("accessors", builder.accessors);
    chunk = glb::binary_chunk(builder.binary);
  }
  return glb::join(document.dump(-1, ' ', false, Json::error_handler_t::replace), chunk, "");
}

Json new_document() { return {{"asset", {{"version", "2.0"}, {"generator", "pmtr"}}}, {"scene", 0}}; }

}  // namespace

std::vector<std::byte> format_glb(const TriangleMesh& mesh) {
  check_attributes(mesh);
  Builder builder;
  Json document = new_document();
  document["scenes"] = Json::array({{{"nodes", Json::array({0})}}});
  Json node = Json::object();
  if (!mesh.vertices.empty()) {
    const Eigen::Vector3d origin = write_mesh_entry(mesh, builder);
    node["mesh"] = 0;
    if (!origin.isZero(0)) node["translation"] = Json::array({origin[0], origin[1], origin[2]});
  } else {
    node["name"] = "empty";
    write_materials(mesh, builder);
  }
  document["nodes"] = Json::array({node});
  auto bytes = finished(std::move(document), std::move(builder));
  PMTR_CHECK(bytes.ok(), "a GLB file holds less than 4 GiB");
  return *std::move(bytes);
}

Result<std::vector<std::byte>> format_glb_scene(std::span<const GlbPart> parts) {
  Builder builder;
  Json nodes = Json::array();
  std::map<int, Json> groups;  // the nodes of each group
  for (const GlbPart& part : parts) {
    PMTR_CHECK(part.mesh != nullptr && !part.mesh->vertices.empty(), "a part of a scene has vertices");
    check_attributes(*part.mesh);
    const Eigen::Vector3d origin = write_mesh_entry(*part.mesh, builder);
    const Rigid3 at_origin = Rigid3::from_translation(origin);
    auto& group = groups.try_emplace(part.group, Json::array()).first->second;
    group.push_back(nodes.size());
    nodes.push_back({{"name", part.name},
                     {"mesh", builder.meshes.size() - 1},
                     {"matrix", matrix_by_columns(part.world_from_part * at_origin)}});
  }
  Json roots = Json::array();
  for (auto& [number, children] : groups) {
    roots.push_back(nodes.size());
    nodes.push_back({{"name", "component " + std::to_string(number)}, {"children", std::move(children)}});
  }
  Json document = new_document();
  document["scenes"] = Json::array({Json::object()});
  if (!roots.empty()) document["scenes"][0]["nodes"] = std::move(roots);
  if (!nodes.empty()) document["nodes"] = std::move(nodes);
  return finished(std::move(document), std::move(builder));
}

}  // namespace pmtr
