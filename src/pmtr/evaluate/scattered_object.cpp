// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/scattered_object.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "pmtr/core/check.h"
#include "pmtr/core/random.h"
#include "pmtr/core/stable_hash.h"
#include "pmtr/mesh/measures.h"
#include "pmtr/mesh/strew_points.h"

namespace pmtr {

std::string sample_path(const std::string& fracture, std::span<const int> pieces) {
  std::string path = fracture;
  for (std::size_t i = 0; i < pieces.size(); ++i) path += fmt::format("{}{}", i == 0 ? '#' : '+', pieces[i]);
  return path;
}

ScatteredObject scatter(const BrokenObject& object, std::span<const int> chosen, std::uint64_t seed) {
  std::vector<int> pieces(chosen.begin(), chosen.end());
  ScatteredObject scattered;
  scattered.path = sample_path(object.name(), chosen);
  if (pieces.empty()) {
    pieces.resize(object.pieces.size());
    std::iota(pieces.begin(), pieces.end(), 0);
  }
  scattered.object = object.object;
  scattered.category = object.category;
  scattered.object_size = longest_side(object.pieces);
  const double whole = object.mating.whole_area();
  Random random(seed, stable_hash(scattered.path));
  scattered.area_share = 0.0;
  for (const int index : pieces) {
    const auto p = static_cast<std::size_t>(index);
    PMTR_CHECK(p < object.pieces.size(), "a piece of the object");
    const TriangleMesh& mesh = object.pieces[p];
    const Eigen::Matrix3d rotation = random.rotation();
    const Eigen::Vector3d shift(random.normal(), random.normal(), random.normal());
    const Rigid3 piece_from_world{rotation, scattered.object_size * shift - rotation * vertex_mean(mesh)};
    scattered.pieces.push_back(moved(mesh, piece_from_world));
    scattered.areas.push_back(object.mating.piece_areas[p]);
    std::vector<std::uint8_t>& broken = scattered.broken_faces.emplace_back();
    std::vector<std::int32_t>& partners = scattered.partners.emplace_back();
    for (const std::int32_t partner : object.mating.partner[p]) {
      broken.push_back(partner >= 0 ? 1 : 0);
      const auto here = partner < 0 ? pieces.end() : std::find(pieces.begin(), pieces.end(), partner);
      partners.push_back(here == pieces.end() ? -1 : static_cast<std::int32_t>(here - pieces.begin()));
    }
    scattered.area_share += object.mating.piece_areas[p] / whole;
    scattered.world_from_piece.push_back(piece_from_world.inverse());
  }
  for (const MatingPair& pair : object.mating.pairs) {
    const auto a = std::find(pieces.begin(), pieces.end(), pair.a);
    const auto b = std::find(pieces.begin(), pieces.end(), pair.b);
    if (a != pieces.end() && b != pieces.end())
      scattered.adjacent.emplace_back(static_cast<int>(a - pieces.begin()),
                                      static_cast<int>(b - pieces.begin()));
  }
  return scattered;
}

ScatteredObject as_clouds(ScatteredObject object, int points, int least, std::uint64_t seed) {
  const double area = std::accumulate(object.areas.begin(), object.areas.end(), 0.0);
  for (std::size_t i = 0; i < object.pieces.size(); ++i) {
    const double share = object.area_share * object.areas[i] / area;
    const int count = std::max(least, static_cast<int>(std::lround(share * points)));
    Random random(seed, stable_hash(object.path) + i);
    StrewnPoints strewn = strew_points(object.pieces[i], count, random);
    std::vector<std::uint8_t> broken;
    std::vector<std::int32_t> partners;
    for (const std::uint32_t face : strewn.faces) {
      if (!object.broken_faces.empty()) broken.push_back(object.broken_faces[i][face]);
      if (!object.partners.empty()) partners.push_back(object.partners[i][face]);
    }
    object.pieces[i] = std::move(strewn.cloud);
    if (!object.broken_faces.empty()) object.broken_faces[i] = std::move(broken);
    if (!object.partners.empty()) object.partners[i] = std::move(partners);
  }
  return object;
}

}  // namespace pmtr
