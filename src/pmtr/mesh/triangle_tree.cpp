// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/mesh/triangle_tree.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pmtr {
namespace {

constexpr std::uint32_t leaf_size = 4;

Eigen::Vector3d centre_of(const TriangleMesh& mesh, std::uint32_t triangle) {
  const auto& [a, b, c] = mesh.faces[triangle];
  return (mesh.vertices[a] + mesh.vertices[b] + mesh.vertices[c]) / 3.0;
}

double squared_distance_to_segment(const Eigen::Vector3d& p, const Eigen::Vector3d& a,
                                   const Eigen::Vector3d& b) {
  const Eigen::Vector3d ab = b - a;
  const double length = ab.squaredNorm();
  const double t = length > 0.0 ? std::clamp((p - a).dot(ab) / length, 0.0, 1.0) : 0.0;
  return (a + t * ab - p).squaredNorm();
}

}  // namespace

double squared_distance_to_triangle(const Eigen::Vector3d& p, const Eigen::Vector3d& a,
                                    const Eigen::Vector3d& b, const Eigen::Vector3d& c) {
  const Eigen::Vector3d normal = (b - a).cross(c - a);
  const double length = normal.squaredNorm();
  const auto inside = [&](const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
    return normal.dot((to - from).cross(p - from)) >= 0.0;
  };
  if (length > 0.0 && inside(a, b) && inside(b, c) && inside(c, a)) {
    const double height = normal.dot(p - a);
    return height * height / length;
  }
  return std::min({squared_distance_to_segment(p, a, b), squared_distance_to_segment(p, b, c),
                   squared_distance_to_segment(p, c, a)});
}

TriangleTree::TriangleTree(const TriangleMesh& mesh) : mesh_(mesh), order_(mesh.faces.size()) {
  normals_.reserve(mesh.faces.size());
  for (const auto& [a, b, c] : mesh.faces) {
    const Eigen::Vector3d& p = mesh.vertices[a];
    normals_.push_back((mesh.vertices[b] - p).cross(mesh.vertices[c] - p).stableNormalized());
  }
  std::iota(order_.begin(), order_.end(), 0U);
  nodes_.reserve(2 * order_.size() / leaf_size + 1);
  if (!order_.empty()) build(0, static_cast<std::uint32_t>(order_.size()));
}

void TriangleTree::build(std::uint32_t begin, std::uint32_t end) {
  const std::size_t me = nodes_.size();
  nodes_.push_back({{}, begin, end, 0, end - begin <= leaf_size});
  Eigen::AlignedBox3d centres;
  for (std::uint32_t i = begin; i < end; ++i) {
    for (const std::uint32_t v : mesh_.faces[order_[i]]) nodes_[me].box.extend(mesh_.vertices[v]);
    centres.extend(centre_of(mesh_, order_[i]));
  }
  if (!nodes_[me].leaf) {
    Eigen::Index axis = 0;
    centres.sizes().maxCoeff(&axis);
    const std::uint32_t middle = begin + (end - begin) / 2;
    const auto at = [this](std::uint32_t i) { return order_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end), [&](std::uint32_t x, std::uint32_t y) {
      const double cx = centre_of(mesh_, x)[axis];
      const double cy = centre_of(mesh_, y)[axis];
      return cx != cy ? cx < cy : x < y;
    });
    build(begin, middle);
    build(middle, end);
  }
  nodes_[me].skip = static_cast<std::uint32_t>(nodes_.size());
}

double TriangleTree::distance_to_facing(const Eigen::Vector3d& point, const Eigen::Vector3d& facing,
                                        double most_cosine, double limit) const {
  double nearest = limit * limit;
  bool found = false;
  for (std::size_t n = 0; n < nodes_.size();) {
    const Node& node = nodes_[n];
    if (node.box.squaredExteriorDistance(point) >= nearest) {
      n = node.skip;
      continue;
    }
    if (node.leaf) {
      for (std::uint32_t i = node.begin; i < node.end; ++i) {
        const std::uint32_t triangle = order_[i];
        if (normals_[triangle].isZero() || normals_[triangle].dot(facing) > most_cosine) continue;
        const auto& [a, b, c] = mesh_.faces[triangle];
        const double distance =
            squared_distance_to_triangle(point, mesh_.vertices[a], mesh_.vertices[b], mesh_.vertices[c]);
        if (distance >= nearest) continue;
        nearest = distance;
        found = true;
      }
    }
    ++n;
  }
  return found ? std::sqrt(nearest) : limit;
}

}  // namespace pmtr
