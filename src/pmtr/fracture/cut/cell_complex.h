// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// A solid cut into cells. Every triangle is there once and knows the cells on its two sides, so whatever
/// cells are put together to pieces, the pieces are closed and their mating surfaces bit-identical and
/// reversed.
struct CellComplex {
  TriangleMesh surfaces;  ///< the outer surface with its look, and the walls between cells
  /// Per face: the cell it is outward from, and the cell behind it or -1 on the outer surface.
  std::vector<std::array<std::int32_t, 2>> owners;
  std::vector<double> volumes;  ///< per cell

  std::size_t cell_count() const { return volumes.size(); }
};

/// Indices in range, one pair of owners per face, the two different; every cell closed and of positive
/// volume.
Status check_cell_complex(const CellComplex& complex);

/// The volumes of the cells by their faces; `cells` bounds the owners.
std::vector<double> cell_volumes(const CellComplex& complex, std::size_t cells);

/// One closed mesh per label: label[c] in {0, ..., n-1} is the piece of cell c. Piece p has the faces with
/// label[A] = p != label[B] as they are, and those with label[B] = p != label[A] reversed. Vertices keep
/// their order. Materials and textures go along where the outer surface has them.
std::vector<TriangleMesh> pieces_of_labels(const CellComplex& complex, std::span<const std::int32_t> labels);

/// Two pieces that share a surface; a < b.
struct MatingArea {
  std::int32_t a = 0;
  std::int32_t b = 0;
  double area = 0;
};

/// All pairs of pieces that share a surface, in order.
std::vector<MatingArea> mating_areas(const CellComplex& complex, std::span<const std::int32_t> labels);

}  // namespace pmtr
