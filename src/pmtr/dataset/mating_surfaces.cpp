// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/mating_surfaces.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <Eigen/Geometry>

#include "pmtr/core/check.h"
#include "pmtr/dataset/coincident_triangles.h"
#include "pmtr/dataset/facing_surfaces.h"
#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

using Partners = std::vector<std::vector<std::int32_t>>;

Partners outer_only(std::span<const TriangleMesh> pieces) {
  Partners partner;
  for (const TriangleMesh& piece : pieces) partner.emplace_back(piece.faces.size(), -1);
  return partner;
}

/// Returns whether anything coincides.
bool mark_coincident(std::span<const TriangleMesh> pieces, Partners& partner) {
  const std::vector<TriangleKey> keys = triangle_keys(pieces);
  bool any = false;
  for (std::size_t begin = 0; begin < keys.size();) {
    std::size_t end = begin + 1;
    while (end < keys.size() && keys[end].same_corners(keys[begin])) ++end;
    // Two keys nearly always; more only where a surface is there twice.
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t j = begin; j < end; ++j) {
        if (keys[i].mesh == keys[j].mesh || keys[i].odd == keys[j].odd) continue;
        partner[keys[i].mesh][keys[i].triangle] = static_cast<std::int32_t>(keys[j].mesh);
        any = true;
        break;
      }
    }
    begin = end;
  }
  return any;
}

}  // namespace

Status MatingOptions::validate() const {
  if (!(tolerance > 0.0 && tolerance <= 1.0))
    return invalid_option(fmt::format("tolerance is {}: must be above 0 and at most 1", tolerance));
  if (!(least_normal_angle >= 90.0 && least_normal_angle <= 180.0))
    return invalid_option(fmt::format("least_normal_angle is {}: must be 90 to 180", least_normal_angle));
  if (!(least_share >= 0.0 && least_share < 1.0))
    return invalid_option(fmt::format("least_share is {}: must be 0 to 1", least_share));
  return {};
}

MatingSurfaces mating_from_partners(std::span<const TriangleMesh> pieces, Partners partner, bool exact,
                                    double least_share) {
  PMTR_CHECK(partner.size() == pieces.size(), "one list of partners per piece");
  MatingSurfaces mating;
  mating.exact = exact;
  std::map<std::pair<std::int32_t, std::int32_t>, double> area_towards;  // ordered: the result is
  std::vector<double> towards;                                           // of one piece, [other piece]
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    PMTR_CHECK(partner[p].size() == pieces[p].faces.size(), "one partner per triangle");
    double whole = 0.0;
    towards.assign(pieces.size(), 0.0);
    for (std::size_t f = 0; f < partner[p].size(); ++f) {
      const double area = triangle_area(pieces[p], f);
      whole += area;
      if (partner[p][f] >= 0) towards.at(static_cast<std::size_t>(partner[p][f])) += area;
    }
    mating.piece_areas.push_back(whole);
    for (std::size_t q = 0; q < towards.size(); ++q) {
      if (towards[q] > 0.0)
        area_towards[{static_cast<std::int32_t>(p), static_cast<std::int32_t>(q)}] = towards[q];
    }
  }
  for (const auto& [who, area_a] : area_towards) {
    const auto [a, b] = who;
    const auto other = area_towards.find({b, a});
    const double area_b = other == area_towards.end() ? 0.0 : other->second;
    // Seen from both sides it is one pair; seen only from the larger number it still is one.
    if (a > b && other != area_towards.end()) continue;
    const auto [low, high] = std::minmax(a, b);
    const double seen_low = a < b ? area_a : area_b;
    const double seen_high = a < b ? area_b : area_a;
    const double area_low = mating.piece_areas[static_cast<std::size_t>(low)];
    const double area_high = mating.piece_areas[static_cast<std::size_t>(high)];
    MatingPair pair{low, high, exact ? std::max(seen_low, seen_high) : 0.5 * (seen_low + seen_high), 0.0,
                    0.0};
    if (!(pair.area > 0.0)) continue;
    pair.share_of_a = pair.area / area_low;
    pair.share_of_b = pair.area / area_high;
    if (std::max(pair.share_of_a, pair.share_of_b) >= least_share) mating.pairs.push_back(pair);
  }
  std::sort(mating.pairs.begin(), mating.pairs.end(), [](const MatingPair& x, const MatingPair& y) {
    return std::pair(x.a, x.b) < std::pair(y.a, y.b);
  });
  mating.partner = std::move(partner);
  return mating;
}

MatingSurfaces find_mating_surfaces(std::span<const TriangleMesh> pieces, const MatingOptions& options) {
  PMTR_CHECK(options.validate().ok(), options.validate().error().message);
  Partners partner = outer_only(pieces);
  bool exact = options.method != MatingMethod::distance;
  if (exact) {
    const bool any = mark_coincident(pieces, partner);
    exact = any || options.method == MatingMethod::exact;
  }
  if (!exact) mark_facing(pieces, options, partner);
  return mating_from_partners(pieces, std::move(partner), exact, options.least_share);
}

}  // namespace pmtr
