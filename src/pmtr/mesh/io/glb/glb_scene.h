// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/result.h"
#include "pmtr/mesh/io/glb/glb_json.h"

namespace pmtr::glb {

/// A mesh as a node shows it.
struct MeshInstance {
  std::uint64_t mesh = 0;
  Eigen::Matrix4d world_from_mesh = Eigen::Matrix4d::Identity();
  bool has_skin = false;
};

/// The nodes that are no other node's child: what a document without scenes shows.
std::vector<std::uint64_t> parentless_nodes(const Json& document);

/// What the default scene shows, in the order of its nodes. Each node is visited once: a cycle or a node with
/// two parents is an error, so the number of instances is bounded by the number of nodes.
Result<std::vector<MeshInstance>> mesh_instances(const Json& document);

}  // namespace pmtr::glb
