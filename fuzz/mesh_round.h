// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "pmtr/core/check.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr::fuzz {

/// What every reader and mover promises, whatever the bytes: a file is refused, or it is a valid mesh and can
/// be moved into a file with as many vertices and faces.
template <class Parse, class Move>
void read_move_read(const std::uint8_t* data, std::size_t size, Parse parse, Move move) {
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data), size);
  Rigid3 world_from_part;
  world_from_part.rotation =
      Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, -2, 3).normalized()).toRotationMatrix();
  world_from_part.translation = Eigen::Vector3d(10, -20, 0.125);
  const auto mesh = parse(bytes, "fuzz");
  const auto moved = move(bytes, world_from_part, "fuzz");  // must not crash on refused files either
  if (!mesh.ok()) return;
  const Status valid = check_mesh(*mesh);
  PMTR_CHECK(valid.ok(), valid.error().text());
  const auto unmoved = move(bytes, Rigid3{}, "fuzz");
  PMTR_CHECK(unmoved.ok(), unmoved.error().text());
  PMTR_CHECK(std::equal(unmoved->begin(), unmoved->end(), bytes.begin(), bytes.end()),
             "the identity changed bytes");
  if (!moved.ok()) {
    // The number type of the file may be too small for the result.
    const Cause cause = moved.error().cause;
    PMTR_CHECK(cause == Cause::too_large || cause == Cause::unsupported, moved.error().text());
    return;
  }
  const auto again = parse(*moved, "moved");
  PMTR_CHECK(again.ok(), again.error().text());
  PMTR_CHECK(again->vertices.size() == mesh->vertices.size(), "moving changed the number of vertices");
  PMTR_CHECK(again->faces == mesh->faces, "moving changed the faces");
}

}  // namespace pmtr::fuzz
