// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pmtr/averaging/pose_graph.h"
#include "pmtr/core/result.h"

namespace pmtr {

/// A graph as robotics keeps them, with its own numbers for the nodes.
struct PoseGraphFile {
  PoseGraph graph;
  std::vector<std::int64_t> ids;  ///< of each node, ascending
  int anisotropic_edges = 0;  ///< their information differs by axis; the harmonic mean became their weight
  int ignored_lines = 0;      ///< of kinds that are not poses or edges
};

/// g2o (VERTEX_SE3:QUAT, EDGE_SE3:QUAT, VERTEX_SE2, EDGE_SE2) and TORO (VERTEX3, EDGE3, VERTEX2, EDGE2) text.
/// Flat graphs become turns about z. An edge without information has weight 1. Edges of a node with itself
/// are errors.
Result<PoseGraphFile> parse_pose_graph(std::string_view text, const std::string& name);

Result<PoseGraphFile> read_pose_graph(const std::filesystem::path& path);

}  // namespace pmtr
