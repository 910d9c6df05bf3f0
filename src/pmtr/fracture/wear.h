// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <vector>

#include "pmtr/core/random.h"
#include "pmtr/core/result.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

/// What use and weather take from broken surfaces.
struct WearOptions {
  /// Mean distance by which fracture surfaces recede, over the longest side of the piece. 0: none; at most
  /// 0.05.
  double distance = 0;
  double unevenness = 0.5;  ///< 0: the same everywhere; 1: from nothing to twice the mean
  int smoothing = 4;  ///< rounds that spread the loss to neighbours, which rounds edges and blunts bumps

  Status validate() const;
};

/// Moves the vertices of the fracture surface, and those near them, inward by an uneven distance. Faces stay
/// the same, so the piece stays closed. Where it would cut through itself, less is taken, at last nothing.
/// Returns the mean distance that was taken from the fracture surface.
double wear_piece(TriangleMesh& piece, const std::vector<bool>& is_fracture, const WearOptions& options,
                  Random& random);

}  // namespace pmtr
