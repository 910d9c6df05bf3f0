// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include <Eigen/Core>

#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// A section carried around the axis: rings of vertices, joined by patches of two triangles.
class TurnedGrid {
 public:
  using Index = std::uint32_t;
  /// The place of a point of the section (radius, height) at a column.
  using Place = std::function<Eigen::Vector3d(const Eigen::Vector2d& point, std::size_t column)>;

  /// The first and the last point lie on the axis and become single vertices. With `closed` the section is a
  /// loop away from the axis instead, counter-clockwise: up outside, down inside.
  TurnedGrid(const std::vector<Eigen::Vector2d>& section, std::size_t around, bool closed,
             const Place& place);

  /// A rectangle of patches that is left out.
  struct Opening {
    std::size_t row, column, height, width;
    bool covers(std::size_t r, std::size_t k) const {
      return r >= row && r < row + height && k >= column && k < column + width;
    }
  };

  /// All patches but those that an opening covers.
  void add_patches(const std::vector<Opening>& openings);
  /// A bent tube of `rings` rings from one opening to another of the same size straight below it; it reaches
  /// out by `reach`. `angle` is where the openings begin, `width` how far they go. With `follow` 1 its ends
  /// lie in the wall however that is bent and leans; with 0 they turn flat at once.
  void add_handle(const Opening& upper, const Opening& lower, double angle, double width, double reach,
                  std::size_t rings, double follow);
  /// A tube that ends blind: outward by `reach`, bending up by `rise`, its end `slim` as thick as its start.
  void add_spout(const Opening& opening, double angle, double reach, double rise, double slim,
                 std::size_t rings);

  std::size_t rows() const { return rows_; }
  std::size_t around() const { return around_; }
  TriangleMesh& mesh() { return mesh_; }
  /// The mesh without the vertices that openings left behind.
  TriangleMesh take();

 private:
  Index at(std::size_t row, std::size_t k) const;
  void triangle(Index a, Index b, Index c);
  void quad(Index a, Index b, Index c, Index d);
  void tube(const std::vector<Index>& last, const std::vector<Index>& ring);
  std::vector<Index> ring_of(const Opening& opening, bool mirrored) const;
  Eigen::Vector3d middle_of(const std::vector<Index>& ring) const;

  std::size_t rows_;
  std::size_t around_;
  bool closed_;
  TriangleMesh mesh_;
};

}  // namespace pmtr
