// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/reread_breaks.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pmtr/assemble/group_joints.h"
#include "pmtr/assemble/joint_weight.h"
#include "pmtr/assemble/measure_assembly.h"
#include "pmtr/assemble/merge_clouds.h"
#include "pmtr/core/index.h"
#include "pmtr/core/odds.h"

namespace pmtr {
namespace {

constexpr std::size_t least_break = 6;  ///< points of a break that a search needs
constexpr std::size_t rivals = 2;       ///< other places of a part that are kept as joints

constexpr double hardly = 1e-6;  ///< scores are told apart down to here; joints end at 1 and 99 %

/// What is broken as it is said, without a look at the neighbours.
OrientedCloud as_said(const OrientedCloud& cloud, std::span<const float> scores, OrientedCloudOptions options,
                      Threads& threads) {
  options.smoothing_radius = 0.0;
  return with_scores(cloud, scores, options, threads);
}

/// As if scores of `from` were the border between broken and whole.
OrientedCloud broken_from(const OrientedCloud& cloud, double from, const OrientedCloudOptions& options,
                          Threads& threads) {
  std::vector<float> scores;
  for (const OrientedPoint& p : cloud.points)
    scores.push_back(static_cast<float>(
        probability_of(log_odds(static_cast<double>(p.score), hardly) - log_odds(from, hardly))));
  return as_said(cloud, scores, options, threads);
}

/// A place of a part, and how it is read there.
struct ReadPlace {
  Rigid3 world_from_part;
  double confidence = 0.0;  ///< by its surfaces
  double rating = 0.0;      ///< log odds, lower the more of it is read in another way than before
  OrientedCloud cloud;
};

/// A part that is looked at again, beside all that stands.
class SecondLook {
 public:
  SecondLook(const OrientedCloud& own, const RereadOptions& options, const OrientedCloudOptions& oriented,
             const PoseSearchOptions& search, Threads& threads)
      : own_(own),
        bare_(as_said(own, std::vector<float>(own.points.size(), 1.0F), oriented, threads)),
        options_(options),
        oriented_(oriented),
        search_(search),
        threads_(threads) {
    search_.kept = 12;
    search_.verified = 36;
  }

  /// Best first.
  std::vector<ReadPlace> places(const OrientedCloud& standing) const {
    std::vector<ReadPlace> found;
    for (const double from : options_.broken_from) {
      const OrientedCloud others = from == 0.5 ? standing : broken_from(standing, from, oriented_, threads_);
      if (others.fracture.size() < least_break) continue;
      for (const OrientedCloud* reading : {&own_, &bare_}) {
        for (const PoseCandidate& pose : search_poses(others, *reading, {}, search_, threads_))
          add_place(others, pose.a_from_b, found);
      }
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const ReadPlace& x, const ReadPlace& y) { return x.rating > y.rating; });
    return found;
  }

 private:
  /// Broken is there what lies against a break.
  void add_place(const OrientedCloud& others, const Rigid3& world_from_part,
                 std::vector<ReadPlace>& found) const {
    std::vector<std::uint8_t> touching(bare_.fracture.size(), 0);
    mark_contact(others, bare_, world_from_part, {}, touching);
    std::vector<float> scores(own_.points.size(), 0.0F);
    double contact = 0.0;
    double agreement = 0.0;
    for (std::size_t k = 0; k < touching.size(); ++k) {
      const auto index = static_cast<std::size_t>(bare_.fracture[k].index);
      const auto score = static_cast<double>(own_.points[index].score);
      scores[index] = static_cast<float>(touching[k]);
      contact += touching[k];
      agreement += touching[k] != 0 ? score : 1.0 - score;
    }
    const auto count = static_cast<double>(touching.size());
    if (contact < options_.least_contact * count) return;
    ReadPlace place;
    place.cloud = with_scores(own_, scores, oriented_, threads_);
    if (place.cloud.fracture.size() < least_break) return;
    place.world_from_part = refine_pose(others, place.cloud, world_from_part);
    place.confidence = verify_pose(others, place.cloud, place.world_from_part).confidence;
    place.rating =
        log_odds(place.confidence, hardly) - options_.doubt - options_.agreement * (1.0 - agreement / count);
    found.push_back(std::move(place));
  }

  const OrientedCloud& own_;
  OrientedCloud bare_;  ///< all of it broken
  const RereadOptions& options_;
  const OrientedCloudOptions& oriented_;
  PoseSearchOptions search_;
  Threads& threads_;
};

/// An assembly in which parts are looked at again, one after the other.
class Rereading {
 public:
  Rereading(Reread& now, std::span<const PartShape> shapes, const RereadOptions& options)
      : now_(now), shapes_(shapes), options_(options), surest_(now.clouds.size(), 0.0), reach_(now.clouds) {
    for (const Joint& joint : now.assembly.joints) {
      if (!joint.used) continue;
      for (const int part : {joint.a, joint.b})
        surest_[at(part)] = std::max(surest_[at(part)], joint.confidence);
    }
    double whole = 0.0;
    for (const PartShape& shape : shapes) whole += shape.area;
    for (int i = 0; i < static_cast<int>(now.clouds.size()); ++i) {
      held_.push_back(surest_[at(i)] >= options.settled || now.assembly.parts[at(i)].anchor ||
                      shapes[at(i)].area > options.largest * whole);
    }
  }

  std::vector<int> unsettled() const {
    std::vector<int> parts;
    for (int i = 0; i < static_cast<int>(held_.size()); ++i) {
      if (!held_[at(i)]) parts.push_back(i);
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [&](int x, int y) { return shapes_[at(x)].area > shapes_[at(y)].area; });
    if (parts.size() > at(options_.most)) parts.resize(at(options_.most));
    return parts;
  }

  /// What surely stands, without this part: of the first, largest component.
  StandingGroup standing(int own) const {
    StandingGroup group;
    for (int i = 0; i < static_cast<int>(held_.size()); ++i) {
      const PlacedPart& part = now_.assembly.parts[at(i)];
      if (i == own || !held_[at(i)] || !part.placed || part.component != 0) continue;
      group.parts.push_back(i);
      group.group_from_part.push_back(part.world_from_part);
    }
    return group;
  }

  /// Puts the part to the best of the places, if that is better than where it is; the best others become
  /// joints as well, so that what speaks against the place is heard. False: it stays.
  bool settle(int own, const StandingGroup& around, const std::vector<ReadPlace>& places,
              const OrientedCloudOptions& oriented, Threads& threads) {
    const auto best = places.begin();
    if (best == places.end() || best->confidence <= surest_[at(own)]) return false;
    const Rigid3 there = best->world_from_part;
    std::vector<Rigid3> kept = {there};
    for (auto other = best + 1; other != places.end() && kept.size() <= rivals; ++other) {
      if (!apart(own, kept, other->world_from_part)) continue;
      kept.push_back(other->world_from_part);
      add_joints(own, around, *other);
    }
    now_.clouds[at(own)] = best->cloud;
    read_scars(own, around, there, oriented, threads);
    add_joints(own, around, *best);
    PlacedPart& part = now_.assembly.parts[at(own)];
    part = {};
    part.placed = true;
    part.component = 0;
    part.world_from_part = there;
    surest_[at(own)] = believed(*best);
    held_[at(own)] = surest_[at(own)] >= 0.5;
    return true;
  }

 private:
  bool apart(int own, const std::vector<Rigid3>& places, const Rigid3& place) const {
    return std::all_of(places.begin(), places.end(), [&](const Rigid3& other) {
      const Eigen::Vector3d& centre = now_.clouds[at(own)].centre;
      return rotation_angle_deg(other.rotation, place.rotation) > 10.0 ||
             (other * centre - place * centre).norm() > 0.03;
    });
  }

  double believed(const ReadPlace& place) const {
    return std::min(probability_of(place.rating), options_.sure);
  }

  void add_joints(int own, const StandingGroup& around, const ReadPlace& place) {
    const PoseCandidate pose{place.world_from_part, {}, believed(place)};
    for (Joint& joint : joints_of_groups(around, {{own}, {Rigid3{}}}, pose, now_.clouds, reach_))
      now_.assembly.joints.push_back(std::move(joint));
  }

  /// What the part lies against is broken, however the network saw it.
  void read_scars(int own, const StandingGroup& around, const Rigid3& world_from_part,
                  const OrientedCloudOptions& oriented, Threads& threads) {
    for (std::size_t k = 0; k < around.parts.size(); ++k) {
      OrientedCloud& other = now_.clouds[at(around.parts[k])];
      if (!reach_.meet(around.parts[k], own, around.group_from_part[k].inverse() * world_from_part)) continue;
      const std::vector<StandingCloud> both = {{&other, around.group_from_part[k]},
                                               {&now_.clouds[at(own)], world_from_part}};
      const JointCover covered(both, 0);
      std::vector<float> scores;
      bool changed = false;
      for (const OrientedPoint& p : other.points) {
        const bool scar = p.score < 0.9F && covered(p.position, p.normal);
        scores.push_back(scar ? 0.95F : p.score);
        changed = changed || scar;
      }
      if (changed) other = as_said(other, scores, oriented, threads);
    }
  }

  Reread& now_;
  std::span<const PartShape> shapes_;
  const RereadOptions& options_;
  std::vector<double> surest_;  ///< confidence of the surest joint that holds each part
  Reach reach_;
  std::vector<bool> held_;
};

}  // namespace

Status RereadOptions::validate() const {
  if (most < 0) return invalid_option("the number of parts that are looked at again must not be negative");
  if (!(largest >= 0.0 && largest <= 1.0)) return invalid_option("a share of the surface is 0 to 1");
  if (!(settled > 0.5 && settled <= 1.0)) return invalid_option("settled joints are above 0.5, at most 1");
  for (const double from : broken_from) {
    if (!(from > 0.0 && from < 1.0)) return invalid_option("scores of breaks are between 0 and 1");
  }
  if (!(least_contact > 0.0 && least_contact <= 1.0))
    return invalid_option("a share of contact is above 0, at most 1");
  if (!(sure > 0.0 && sure < 1.0)) return invalid_option("a confidence is between 0 and 1");
  if (!(agreement >= 0.0 && doubt >= 0.0)) return invalid_option("log odds must not be negative here");
  return {};
}

Reread reread_breaks(Assembly assembly, std::vector<OrientedCloud> clouds, std::span<const PartShape> shapes,
                     const PoseSearchOptions& search, const ChooseOptions& choose,
                     const OrientedCloudOptions& oriented, const RereadOptions& options, Threads& threads,
                     const Listener& listener) {
  Reread now{std::move(assembly), std::move(clouds)};
  Rereading rereading(now, shapes, options);
  const std::vector<int> parts = rereading.unsettled();
  bool changed = false;
  for (std::size_t k = 0; k < parts.size() && !listener.stop(); ++k) {
    listener.advance("breaks again", static_cast<std::int64_t>(k), static_cast<std::int64_t>(parts.size()));
    const StandingGroup around = rereading.standing(parts[k]);
    if (around.parts.empty()) continue;
    const OrientedCloud standing = merge_clouds(clouds_of(around, now.clouds), oriented, threads);
    if (standing.points.empty()) continue;
    const SecondLook look(now.clouds[at(parts[k])], options, oriented, search, threads);
    changed = rereading.settle(parts[k], around, look.places(standing), oriented, threads) || changed;
  }
  if (changed) judge_where_they_stand(now.assembly, shapes, choose);
  return now;
}

}  // namespace pmtr
