// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <stdexcept>

#include "pmtr/fracture/fracture_mesh.h"
#include "pmtr/fracture/shapes/shapes.h"
#include "support/fracture_pairs.h"

namespace pmtr::test {

/// A shape of our own in two pieces, both sampled and each in a pose of its own: every fracture point of one
/// mates with the other. Needs no data. Test support: throws on surprises.
inline ScatteredPair break_in_two(Shape shape, std::uint64_t seed, int points_per_object) {
  ShapeOptions shape_options;
  shape_options.seed = seed;
  shape_options.around = 48;
  const auto whole = make_shape(shape, shape_options);
  if (!whole.ok()) throw std::runtime_error(whole.error().text());
  FractureOptions options;
  options.pieces = 2;
  options.seed = seed;
  options.min_volume_share = 0.2;
  auto broken = fracture_mesh(*whole, options);
  if (!broken.ok()) throw std::runtime_error(broken.error().text());
  std::vector<TriangleMesh> pieces;
  for (FracturePiece& piece : broken->pieces) pieces.push_back(std::move(piece.mesh));
  const BrokenObject fracture = make_broken_object(std::move(pieces));
  ScatteredPair pair;
  pair.name = shape_name(shape);
  pair.a = sample_piece(fracture, 0, points_per_object, Random(seed, 1));
  pair.b = sample_piece(fracture, 1, points_per_object, Random(seed, 2));
  const Rigid3 a_from_world = scatter(pair.a.cloud, Random(seed, 3));
  const Rigid3 b_from_world = scatter(pair.b.cloud, Random(seed, 4));
  pair.a_from_b = a_from_world * b_from_world.inverse();
  return pair;
}

}  // namespace pmtr::test
