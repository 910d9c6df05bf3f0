// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/io/glb/glb_scene.h"

#include <array>

#include <fmt/format.h>
#include <Eigen/Geometry>

namespace pmtr::glb {
namespace {

/// `count` numbers at `key`; the given ones if there is no such member.
template <std::size_t count>
Result<std::array<double, count>> numbers_at(const Json& node, const char* key,
                                             std::array<double, count> numbers, const std::string& where) {
  const Json* list = find(node, key);
  if (list == nullptr) return numbers;
  if (!list->is_array() || list->size() != count) {
    return malformed(fmt::format("{}: {} needs {} numbers", where, key, count));
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!(*list)[i].is_number()) return malformed(fmt::format("{}: {} needs {} numbers", where, key, count));
    numbers[i] = (*list)[i].template get<double>();
  }
  return numbers;
}

Result<Eigen::Matrix4d> parent_from_node(const Json& node, const std::string& where) {
  if (find(node, "matrix") != nullptr) {
    PMTR_TRY(const auto columns, numbers_at<16>(node, "matrix", {}, where));
    Eigen::Matrix4d matrix = Eigen::Map<const Eigen::Matrix4d>(columns.data());
    matrix.row(3) << 0, 0, 0, 1;  // as the format demands
    return matrix;
  }
  PMTR_TRY(const auto move, numbers_at<3>(node, "translation", {0, 0, 0}, where));
  PMTR_TRY(const auto turn, numbers_at<4>(node, "rotation", {0, 0, 0, 1}, where));
  PMTR_TRY(const auto scale, numbers_at<3>(node, "scale", {1, 1, 1}, where));
  Eigen::Quaterniond rotation(turn[3], turn[0], turn[1], turn[2]);
  const double norm = rotation.norm();
  if (!(norm > 1e-6 && norm < 1e6)) return malformed(where + ": rotation is not a unit quaternion");
  rotation.coeffs() /= norm;
  Eigen::Matrix4d matrix = Eigen::Matrix4d::Identity();
  matrix.topLeftCorner<3, 3>() =
      rotation.toRotationMatrix() * Eigen::Vector3d(scale[0], scale[1], scale[2]).asDiagonal();
  matrix.topRightCorner<3, 1>() << move[0], move[1], move[2];
  return matrix;
}

Result<std::vector<std::uint64_t>> index_list(const Json& holder, const char* key, const std::string& where) {
  std::vector<std::uint64_t> indices;
  const Json* list = find(holder, key);
  if (list == nullptr) return indices;
  if (!list->is_array()) return malformed(fmt::format("{}: {} is not a list", where, key));
  for (const Json& item : *list) {
    const auto index = as_index(item);
    if (!index) return malformed(fmt::format("{}: {} is not a list of indices", where, key));
    indices.push_back(*index);
  }
  return indices;
}

Result<std::vector<std::uint64_t>> default_roots(const Json& document) {
  if (entry_count(document, "scenes") == 0) return parentless_nodes(document);
  PMTR_TRY(const std::uint64_t index, index_at(document, "scene", 0, "the document"));
  const Json* scene = entry(document, "scenes", index);
  const std::string where = fmt::format("scene {}", index);
  if (scene == nullptr) return malformed(where + " does not exist");
  return index_list(*scene, "nodes", where);
}

}  // namespace

std::vector<std::uint64_t> parentless_nodes(const Json& document) {
  const std::size_t count = entry_count(document, "nodes");
  std::vector<bool> is_child(count, false);
  for (std::size_t i = 0; i < count; ++i) {
    const auto children = index_list(*entry(document, "nodes", i), "children", "");
    if (!children.ok()) continue;
    for (const std::uint64_t child : *children) {
      if (child < count) is_child[static_cast<std::size_t>(child)] = true;
    }
  }
  std::vector<std::uint64_t> roots;
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_child[i]) roots.push_back(i);
  }
  return roots;
}

Result<std::vector<MeshInstance>> mesh_instances(const Json& document) {
  struct Visit {
    std::uint64_t node;
    Eigen::Matrix4d world_from_parent;
  };
  PMTR_TRY(const auto roots, default_roots(document));
  // A stack of our own: the depth of the hierarchy is the file's choice.
  std::vector<Visit> open;
  for (auto root = roots.rbegin(); root != roots.rend(); ++root)
    open.push_back({*root, Eigen::Matrix4d::Identity()});
  std::vector<bool> visited(entry_count(document, "nodes"), false);
  std::vector<MeshInstance> instances;
  while (!open.empty()) {
    const Visit visit = open.back();
    open.pop_back();
    const std::string where = fmt::format("node {}", visit.node);
    const Json* node = entry(document, "nodes", visit.node);
    if (node == nullptr) return malformed(where + " does not exist");
    if (visited[static_cast<std::size_t>(visit.node)]) {
      return malformed(where + " is reached twice: the nodes are not a tree");
    }
    visited[static_cast<std::size_t>(visit.node)] = true;
    PMTR_TRY(const Eigen::Matrix4d parent_from_this, parent_from_node(*node, where));
    const Eigen::Matrix4d world_from_this = visit.world_from_parent * parent_from_this;
    if (find(*node, "mesh") != nullptr) {
      PMTR_TRY(const std::uint64_t mesh, index_at(*node, "mesh", 0, where));
      instances.push_back({mesh, world_from_this, find(*node, "skin") != nullptr});
    }
    PMTR_TRY(const auto children, index_list(*node, "children", where));
    for (auto child = children.rbegin(); child != children.rend(); ++child)
      open.push_back({*child, world_from_this});
  }
  return instances;
}

}  // namespace pmtr::glb
