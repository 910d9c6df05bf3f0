// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <map>

#include "pmtr/mesh/io/glb/glb.h"
#include "pmtr/mesh/io/glb/glb_container.h"
#include "pmtr/mesh/io/glb/glb_json.h"
#include "pmtr/mesh/io/glb/glb_scene.h"

namespace pmtr {
namespace {

using glb::Json;

Json pose_node(const Rigid3& world_from_part, Json children) {
  const Eigen::Matrix4d pose = world_from_part.matrix();
  Json matrix = Json::array();
  for (Eigen::Index column = 0; column < 4; ++column) {
    for (Eigen::Index row = 0; row < 4; ++row) matrix.push_back(pose(row, column));
  }
  Json node = Json::object();
  node["name"] = "placed";
  node["matrix"] = std::move(matrix);
  node["children"] = std::move(children);
  return node;
}

/// Whether scenes show a node together with different others. A new root for each would then be a second
/// parent.
bool roots_overlap(const Json& scenes) {
  std::map<std::uint64_t, const Json*> list_of_root;
  for (const Json& scene : scenes) {
    const Json* roots = glb::find(scene, "nodes");
    if (roots == nullptr || !roots->is_array()) continue;
    for (const Json& root : *roots) {
      const auto [known, is_new] = list_of_root.emplace(glb::as_index(root).value_or(0), roots);
      if (!is_new && *known->second != *roots) return true;
    }
  }
  return false;
}

/// Puts new roots into one scene: one for all its old ones, or one for each where scenes overlap.
void place_scene(Json& scene, Json& nodes, const Rigid3& pose, bool one_each,
                 std::map<std::string, std::size_t>& made) {
  if (!scene.is_object()) return;
  const auto roots = scene.find("nodes");
  if (roots == scene.end() || !roots->is_array() || roots->empty()) return;
  const auto new_root_of = [&](const Json& children) {
    const auto [known, is_new] = made.emplace(children.dump(), nodes.size());
    if (is_new) nodes.push_back(pose_node(pose, children));
    return known->second;
  };
  Json new_roots = Json::array();
  if (one_each) {
    for (const Json& root : *roots) new_roots.push_back(new_root_of(Json::array({root})));
  } else {
    new_roots.push_back(new_root_of(*roots));
  }
  *roots = std::move(new_roots);
}

}  // namespace

Result<std::vector<std::byte>> move_glb(std::span<const std::byte> bytes, const Rigid3& world_from_part,
                                        const std::string& name) {
  PMTR_TRY(const glb::Chunks chunks, glb::split(bytes, name));
  PMTR_TRY(Json document, glb::parse_json(chunks.json, name));
  if (glb::entry_count(document, "nodes") == 0) return error_at(name, Cause::empty, "has no nodes");
  if (glb::entry_count(document, "scenes") == 0) {
    Json scene = Json::object();
    scene["nodes"] = glb::parentless_nodes(document);
    document["scene"] = 0;
    document["scenes"] = Json::array({scene});
  }
  const bool one_each = roots_overlap(document["scenes"]);
  std::map<std::string, std::size_t> made;  // new roots by the children they were made for
  for (Json& scene : document["scenes"])
    place_scene(scene, document["nodes"], world_from_part, one_each, made);
  const std::string json = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  return glb::join(json, chunks.after_json, name);
}

}  // namespace pmtr
