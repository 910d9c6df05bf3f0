// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "pmtr/fracture/cut/cell_complex.h"

namespace pmtr {

/// A CellComplex while it is being cut. There are two operations: an edge is split, with every triangle at
/// it; and triangles of a new wall are added inside a cell. So all stays conforming, and the outer surface
/// stays where it is. Vertices that were there keep their coordinates and numbers.
class WorkingComplex {
 public:
  /// One cell: the whole solid. The mesh must be closed.
  explicit WorkingComplex(TriangleMesh solid);

  const CellComplex& complex() const { return complex_; }
  const std::vector<Eigen::Vector3d>& vertices() const { return complex_.surfaces.vertices; }
  const std::array<std::uint32_t, 3>& face(std::uint32_t f) const { return complex_.surfaces.faces[f]; }
  /// The face as seen from outside the cell, which must own it.
  std::array<std::uint32_t, 3> face_of(std::uint32_t f, std::int32_t cell) const;
  const std::vector<std::uint32_t>& faces_of_cell(std::int32_t cell) const {
    return faces_of_cell_[static_cast<std::size_t>(cell)];
  }

  /// Adds a vertex at a + t (b - a) and splits every face at the edge, with its look.
  std::uint32_t split_edge(std::uint32_t a, std::uint32_t b, double t);

  /// A vertex inside the solid.
  std::uint32_t add_inner_vertex(const Eigen::Vector3d& point);

  /// The point as it will be stored: single precision if the solid came in it.
  Eigen::Vector3d rounded(const Eigen::Vector3d& point) const;

  std::int32_t add_cell();
  /// A face of a wall, outward from cell a; b is behind it.
  void add_wall(const std::array<std::uint32_t, 3>& face, std::int32_t a, std::int32_t b);
  /// The face goes from one cell to another. faces_of_cell is not changed: see set_faces.
  void change_owner(std::uint32_t f, std::int32_t from, std::int32_t to);
  void set_faces(std::int32_t cell, std::vector<std::uint32_t> faces, double volume);

  CellComplex take() && { return std::move(complex_); }

 private:
  void append_face_like(std::uint32_t f);
  std::uint32_t split_uv(std::uint32_t a, std::uint32_t b, double t);

  CellComplex complex_;
  std::vector<std::vector<std::uint32_t>> faces_at_vertex_;
  std::vector<std::vector<std::uint32_t>> faces_of_cell_;
  bool single_precision_ = false;
  std::uint32_t wall_uv_ = 0;
  std::int32_t wall_material_ = -1;
  struct UvSplit {
    std::uint32_t a, b, made;
  };
  std::vector<UvSplit> uv_splits_;  ///< of the edge being split
};

}  // namespace pmtr
