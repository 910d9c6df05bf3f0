// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/whole_object.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "pmtr/assemble/bridges.h"
#include "pmtr/assemble/measure_assembly.h"
#include "pmtr/core/index.h"
#include "pmtr/pose/mating_icp.h"
#include "pmtr/pose/reach.h"

namespace pmtr {
namespace {

/// Another place for a set of parts: a motion of all of them.
struct Place {
  Rigid3 motion;
  double value = 0.0;
};

/// An assembly whose parts can be tried elsewhere.
class Standing {
 public:
  Standing(Assembly& assembly, const PartsAtHand& parts, const WholeOptions& options, Threads& threads)
      : assembly_(assembly),
        clouds_(parts.clouds),
        check_(parts.check),
        options_(options),
        threads_(threads),
        reach_(parts.clouds, 2.0) {
    for (const OrientedCloud& cloud : clouds_) {
      double score = options.weights.border * static_cast<double>(cloud.border.size());
      for (const OrientedPoint& p : cloud.fracture) score += static_cast<double>(p.score);
      broken_.push_back(score * cloud.point_area());
    }
  }

  /// Moves the set to the best place that joints propose, if that is better than where it stands.
  bool improve(const std::vector<int>& set) {
    const std::set<int> members(set.begin(), set.end());
    const double now = value(set, members, Rigid3{});
    double most = 0.0;  // as much as could ever speak for a place
    for (const int i : set) most += broken_[at(i)];
    if (now > options_.settled * most) return false;
    std::vector<Place> places = alternatives(members);
    if (places.empty()) return false;
    const double least = now + options_.margin * std::abs(now) + 0.01 * most;
    rate(set, members, places);
    std::stable_sort(places.begin(), places.end(),
                     [](const Place& x, const Place& y) { return x.value > y.value; });
    if (places.size() > at(options_.refined)) places.resize(at(options_.refined));
    threads_.parallel_for(
        static_cast<std::int64_t>(places.size()), 1, [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t k = begin; k < end; ++k) {
            Place fitted{refined(set, members, places[static_cast<std::size_t>(k)].motion), 0.0};
            fitted.value = value(set, members, fitted.motion);
            if (fitted.value > places[static_cast<std::size_t>(k)].value)
              places[static_cast<std::size_t>(k)] = fitted;
          }
        });
    std::stable_sort(places.begin(), places.end(),
                     [](const Place& x, const Place& y) { return x.value > y.value; });
    for (const Place& place : places) {
      if (place.value <= least) return false;
      if (!stands(set, members, place.motion)) continue;
      for (const int i : set)
        assembly_.parts[at(i)].world_from_part = place.motion * assembly_.parts[at(i)].world_from_part;
      return true;
    }
    return false;
  }

 private:
  const Rigid3& pose(int i) const { return assembly_.parts[at(i)].world_from_part; }
  bool beside(int i, int j) const {
    return i != j && assembly_.parts[at(i)].placed && assembly_.parts[at(j)].placed &&
           assembly_.parts[at(i)].component == assembly_.parts[at(j)].component;
  }
  bool reaches(int j, int i, const Rigid3& world_from_i) const {
    return reach_.meet(j, i, pose(j).inverse() * world_from_i);
  }

  /// What joints between the set and the rest propose, the likeliest first, without places that are nearly
  /// the same or where the set stands already.
  std::vector<Place> alternatives(const std::set<int>& members) const {
    std::vector<std::pair<double, Place>> found;
    for (const Joint& joint : assembly_.joints) {
      if (members.contains(joint.a) == members.contains(joint.b) || !beside(joint.a, joint.b)) continue;
      const bool moves_b = members.contains(joint.b);
      const int stays = moves_b ? joint.a : joint.b;
      const int moves = moves_b ? joint.b : joint.a;
      const Rigid3 stays_from_moves = moves_b ? joint.a_from_b : joint.a_from_b.inverse();
      found.push_back({joint.confidence, {pose(stays) * stays_from_moves * pose(moves).inverse(), 0.0}});
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& x, const auto& y) { return x.first > y.first; });
    const int first = *members.begin();
    const OrientedCloud& cloud = clouds_[at(first)];
    std::vector<Rigid3> kept = {pose(first)};
    std::vector<Place> places;
    for (const auto& [confidence, place] : found) {
      if (places.size() >= at(options_.alternatives)) break;
      const Rigid3 there = place.motion * pose(first);
      const bool known = std::any_of(kept.begin(), kept.end(), [&](const Rigid3& other) {
        return rotation_angle_deg(there.rotation, other.rotation) < 3.0 &&
               (there * cloud.centre - other * cloud.centre).norm() < 0.01;
      });
      if (known) continue;
      kept.push_back(there);
      places.push_back(place);
    }
    return places;
  }

  double pair_value(int j, int i, const Rigid3& j_from_i) const {
    const OrientedCloud& a = clouds_[at(j)];
    const OrientedCloud& b = clouds_[at(i)];
    const JointEvidence e = measure_joint(a, b, j_from_i, {});
    const WholeWeights& w = options_.weights;
    const double point = std::max(a.point_area(), b.point_area());
    return e.close_area + w.border * e.border_agreement * e.border_points * point -
           w.penetration * e.penetration_area - w.same_side * e.same_side_area - w.blocked * e.blocked_area;
  }

  double value(const std::vector<int>& set, const std::set<int>& members, const Rigid3& motion) const {
    double sum = 0.0;
    for (const int i : set) {
      const Rigid3 there = motion * pose(i);
      for (int j = 0; j < static_cast<int>(clouds_.size()); ++j) {
        if (members.contains(j) || !beside(i, j) || !reaches(j, i, there)) continue;
        sum += pair_value(j, i, pose(j).inverse() * there);
      }
    }
    return sum;
  }

  void rate(const std::vector<int>& set, const std::set<int>& members, std::vector<Place>& places) const {
    threads_.parallel_for(static_cast<std::int64_t>(places.size()), 1,
                          [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t k = begin; k < end; ++k)
                              places[static_cast<std::size_t>(k)].value =
                                  value(set, members, places[static_cast<std::size_t>(k)].motion);
                          });
  }

  /// Fits the part of the set that touches most to all that stands around it there, and the others with it.
  Rigid3 refined(const std::vector<int>& set, const std::set<int>& members, const Rigid3& motion) const {
    constexpr IcpRound round = {.steps = 6, .first_tolerance = 1.5, .last_tolerance = 0.5, .points = 600};
    double most = 0.0;
    int best = -1;
    std::vector<StandingCloud> around;
    for (const int i : set) {
      const Rigid3 there = motion * pose(i);
      std::vector<StandingCloud> near;
      double contact = 0.0;
      for (int j = 0; j < static_cast<int>(clouds_.size()); ++j) {
        if (members.contains(j) || !beside(i, j) || !reaches(j, i, there)) continue;
        const JointEvidence e = measure_joint(clouds_[at(j)], clouds_[at(i)], pose(j).inverse() * there, {});
        if (e.contact_points < 12) continue;
        contact += e.contact_area;
        near.push_back({&clouds_[at(j)], pose(j)});
      }
      if (contact <= most) continue;
      most = contact;
      best = i;
      around = std::move(near);
    }
    if (best < 0) return motion;
    const Rigid3 there = motion * pose(best);
    return refine_among(around, clouds_[at(best)], there, round).a_from_b * pose(best).inverse();
  }

  bool stands(const std::vector<int>& set, const std::set<int>& members, const Rigid3& motion) const {
    if (!check_) return true;
    for (const int i : set) {
      for (int j = 0; j < static_cast<int>(clouds_.size()); ++j) {
        if (members.contains(j) || !beside(i, j)) continue;
        if (!check_(j, i, pose(j).inverse() * motion * pose(i))) return false;
      }
    }
    return true;
  }

  Assembly& assembly_;
  std::span<const OrientedCloud> clouds_;
  const PairCheck& check_;
  const WholeOptions& options_;
  Threads& threads_;
  Reach reach_;
  std::vector<double> broken_;  ///< what speaks for a part whose breaks are covered and whose rims run on
};

/// Every part alone, and what a single joint holds.
std::vector<std::vector<int>> movable_sets(const Assembly& assembly) {
  std::vector<std::vector<int>> sets;
  for (int i = 0; i < static_cast<int>(assembly.parts.size()); ++i) {
    if (assembly.parts[at(i)].placed) sets.push_back({i});
  }
  for (std::vector<int>& side : bridge_sides(assembly)) {
    if (side.size() > 1) sets.push_back(std::move(side));
  }
  return sets;
}

}  // namespace

Status WholeOptions::validate() const {
  if (sweeps < 0 || sweeps > 1000) return invalid_option("sweeps over the whole object are 0 to 1000");
  if (alternatives < 1 || refined < 1) return invalid_option("at least one other place must be looked at");
  if (!(settled >= 0.0)) return invalid_option("the share of a settled part must not be negative");
  if (!(margin >= 0.0)) return invalid_option("the margin of a better place must not be negative");
  return {};
}

Assembly improve_whole(Assembly assembly, const PartsAtHand& parts, const ChooseOptions& choose,
                       const WholeOptions& options, Threads& threads, const Listener& listener) {
  bool moved = false;
  for (int sweep = 0; sweep < options.sweeps; ++sweep) {
    bool changed = false;
    listener.advance("whole object", sweep, options.sweeps);
    Standing standing(assembly, parts, options, threads);
    for (const std::vector<int>& set : movable_sets(assembly)) {
      if (listener.stop()) break;
      changed = standing.improve(set) || changed;
    }
    if (!changed) break;
    moved = true;
    judge_where_they_stand(assembly, parts.shapes, choose);
  }
  if (!moved) return assembly;
  // Anchors stay where their files have them.
  std::map<int, Rigid3> anchor_from_world;
  for (const PlacedPart& part : assembly.parts) {
    if (part.anchor) anchor_from_world[part.component] = part.world_from_part.inverse();
  }
  for (PlacedPart& part : assembly.parts) {
    if (part.anchor) {
      part.world_from_part = {};
    } else if (part.placed) {
      part.world_from_part = anchor_from_world.at(part.component) * part.world_from_part;
    }
  }
  rate_parts(assembly);
  return assembly;
}

}  // namespace pmtr
