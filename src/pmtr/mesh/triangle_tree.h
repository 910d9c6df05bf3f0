// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// A tree of boxes over the triangles of a mesh, for distances. The mesh must outlive it. Private to this
/// stage.
class TriangleTree {
 public:
  explicit TriangleTree(const TriangleMesh& mesh);

  /// Unit, or zero for a triangle without area.
  const Eigen::Vector3d& normal(std::size_t triangle) const { return normals_[triangle]; }

  /// Distance to the nearest triangle whose normal has at most this cosine with `facing`; `limit` if there is
  /// none nearer.
  double distance_to_facing(const Eigen::Vector3d& point, const Eigen::Vector3d& facing, double most_cosine,
                            double limit) const;

 private:
  struct Node {
    Eigen::AlignedBox3d box;
    std::uint32_t begin = 0, end = 0;  ///< into order_
    std::uint32_t skip = 0;            ///< the next node in preorder outside this one
    bool leaf = false;
  };
  void build(std::uint32_t begin, std::uint32_t end);

  const TriangleMesh& mesh_;
  std::vector<Eigen::Vector3d> normals_;
  std::vector<std::uint32_t> order_;
  std::vector<Node> nodes_;  ///< in preorder
};

/// Squared distance of a point to the triangle abc, its inside included.
double squared_distance_to_triangle(const Eigen::Vector3d& p, const Eigen::Vector3d& a,
                                    const Eigen::Vector3d& b, const Eigen::Vector3d& c);

}  // namespace pmtr
