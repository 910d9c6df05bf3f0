// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/rematch_groups.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "pmtr/assemble/attach_rest.h"
#include "pmtr/assemble/bridges.h"
#include "pmtr/assemble/group_joints.h"
#include "pmtr/assemble/measure_assembly.h"
#include "pmtr/assemble/merge_clouds.h"
#include "pmtr/averaging/rigid_groups.h"
#include "pmtr/core/index.h"
#include "pmtr/pose/likely_pairs.h"
#include "pmtr/pose/neighbour_score.h"

namespace pmtr {
namespace {

/// Parts that are surely joined. A part alone is in its own frame.
std::vector<StandingGroup> sure_groups(const Assembly& assembly, double sure) {
  std::vector<Rigid3> standing;
  for (const PlacedPart& part : assembly.parts) standing.push_back(part.world_from_part);
  RigidGroups rigid(std::move(standing));
  for (const Joint& joint : assembly.joints) {
    if (joint.used && joint.confidence >= sure) rigid.join_where_they_stand(joint.a, joint.b);
  }
  std::vector<StandingGroup> groups;
  for (const std::vector<int>& parts : rigid.members()) {
    StandingGroup group{parts, {}};
    for (const int part : parts)
      group.group_from_part.push_back(parts.size() == 1 ? Rigid3{} : rigid.group_from_part(part));
    groups.push_back(std::move(group));
  }
  return groups;
}

bool same_places(const StandingGroup& x, const StandingGroup& y) {
  const auto same = [](const Rigid3& a, const Rigid3& b) {
    return a.rotation == b.rotation && a.translation == b.translation;
  };
  return x.parts == y.parts && std::equal(x.group_from_part.begin(), x.group_from_part.end(),
                                          y.group_from_part.begin(), y.group_from_part.end(), same);
}

/// Groups as one cloud each. Of very many fragments most groups are what they were in the round before: these
/// are not merged again.
class MergedGroups {
 public:
  MergedGroups(std::span<const OrientedCloud> clouds, const OrientedCloudOptions& options)
      : clouds_(clouds), options_(options) {}

  std::span<const OrientedCloud> of(std::vector<StandingGroup> groups, Threads& threads) {
    std::vector<OrientedCloud> merged(groups.size());
    std::vector<std::size_t> fresh;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const auto known = place_.find(groups[g].parts);
      if (known != place_.end() && same_places(groups_[known->second], groups[g])) {
        merged[g] = std::move(merged_[known->second]);
      } else {
        fresh.push_back(g);
      }
    }
    run_tasks(threads, static_cast<std::int64_t>(fresh.size()), [&](std::int64_t task) {
      const std::size_t g = fresh[static_cast<std::size_t>(task)];
      const std::vector<StandingCloud> members = clouds_of(groups[g], clouds_);
      merged[g] = members.size() == 1 ? *members[0].cloud : merge_clouds(members, options_, threads);
    });
    groups_ = std::move(groups);
    merged_ = std::move(merged);
    place_.clear();
    for (std::size_t g = 0; g < groups_.size(); ++g) place_[groups_[g].parts] = g;
    return merged_;
  }

 private:
  std::span<const OrientedCloud> clouds_;
  const OrientedCloudOptions& options_;
  std::vector<StandingGroup> groups_;  ///< of the last call
  std::vector<OrientedCloud> merged_;
  std::map<std::vector<int>, std::size_t> place_;
};

/// Pairs of groups, and the poses that matches of what is left open of the two agree on.
struct MatchedGroups {
  std::vector<std::pair<int, int>> pairs;
  std::vector<std::vector<Rigid3>> hints;
};

/// `partners`: of the pairs only those of each group with this many others, and `more`; 0: all. `surfaces`
/// are those of the groups. All pairs ascend.
MatchedGroups match_groups(std::span<const StandingGroup> groups, std::span<const OrientedCloud> surfaces,
                           std::span<const std::pair<int, int>> pairs, const PartsAtHand& parts,
                           const FramePoseOptions& options, int partners,
                           std::span<const std::pair<int, int>> more, Threads& threads) {
  MatchedGroups result{{pairs.begin(), pairs.end()}, std::vector<std::vector<Rigid3>>(pairs.size())};
  if (parts.matches.features.empty()) return result;
  std::vector<FragmentFeatures> merged(groups.size());
  run_tasks(threads, static_cast<std::int64_t>(groups.size()), [&](std::int64_t g) {
    const StandingGroup& group = groups[static_cast<std::size_t>(g)];
    std::vector<const FragmentFeatures*> features;
    for (const int part : group.parts) features.push_back(&parts.matches.features[at(part)]);
    merged[static_cast<std::size_t>(g)] = merge_breaks(clouds_of(group, parts.clouds), features);
  });
  const NeighbourScore neighbours(partners > 0 ? surfaces : std::span<const OrientedCloud>{}, threads);
  std::vector<PairScore> scores(pairs.size());
  run_tasks(threads, static_cast<std::int64_t>(pairs.size()), [&](std::int64_t i) {
    const auto [g, h] = pairs[static_cast<std::size_t>(i)];
    PairScore& score = scores[static_cast<std::size_t>(i)];
    score.a = g;
    score.b = h;
    const FragmentFeatures& a = merged[at(g)];
    const FragmentFeatures& b = merged[at(h)];
    if (a.breaks.points.empty() || b.breaks.points.empty()) return;
    const NearestRows nearest = find_nearest_rows(a.as_source.fine.values, b.as_target.fine.values,
                                                  a.as_source.fine.columns, threads);
    const std::vector<FramePose> poses = poses_from_nearest(a.breaks, b.breaks, nearest, options);
    for (const FramePose& pose : poses) result.hints[static_cast<std::size_t>(i)].push_back(pose.a_from_b);
    score.score = partners > 0 ? neighbours(g, h, poses) : 0.0;
    score.compared = !poses.empty();
  });
  if (partners == 0) return result;
  MatchedGroups likely;
  likely.pairs = likely_pairs(pairs, scores, static_cast<int>(groups.size()), partners);
  likely.pairs.insert(likely.pairs.end(), more.begin(), more.end());
  std::sort(likely.pairs.begin(), likely.pairs.end());
  likely.pairs.erase(std::unique(likely.pairs.begin(), likely.pairs.end()), likely.pairs.end());
  std::size_t next = 0;
  for (std::size_t i = 0; i < pairs.size() && next < likely.pairs.size(); ++i) {
    if (pairs[i] != likely.pairs[next]) continue;
    likely.hints.push_back(std::move(result.hints[i]));
    ++next;
  }
  return likely;
}

/// Pairs of groups searched, and what was found as joints of the parts that touch there.
std::vector<Joint> joints_between(std::span<const StandingGroup> groups,
                                  std::span<const OrientedCloud> merged, const MatchedGroups& matched,
                                  std::span<const OrientedCloud> clouds, const Reach& reach,
                                  const PairSearchOptions& look, Threads& threads, const Listener& listener) {
  PairSearch search = coarse_search(merged, matched.pairs, matched.hints, look, threads, listener);
  search = full_search(merged, std::move(search), matched.hints, look, threads, listener);
  std::vector<std::vector<Joint>> found(search.pairs.size());
  run_tasks(threads, static_cast<std::int64_t>(found.size()), [&](std::int64_t task) {
    const auto i = static_cast<std::size_t>(task);
    const PairCandidates& pair = search.pairs[i];
    for (const PoseCandidate& candidate : pair.poses) {
      for (Joint& joint : joints_of_groups(groups[at(pair.a)], groups[at(pair.b)], candidate, clouds, reach))
        found[i].push_back(std::move(joint));
    }
  });
  std::vector<Joint> joints;
  for (std::vector<Joint>& of_pair : found)
    std::move(of_pair.begin(), of_pair.end(), std::back_inserter(joints));
  return joints;
}

bool may_touch(const StandingGroup& a, const StandingGroup& b,
               std::span<const std::pair<int, int>> known_neighbours) {
  const auto inside = [](const StandingGroup& group, int part) {
    return std::find(group.parts.begin(), group.parts.end(), part) != group.parts.end();
  };
  return known_neighbours.empty() ||
         std::any_of(known_neighbours.begin(), known_neighbours.end(), [&](const std::pair<int, int>& pair) {
           return (inside(a, pair.first) && inside(b, pair.second)) ||
                  (inside(a, pair.second) && inside(b, pair.first));
         });
}

using TriedPairs = std::set<std::pair<std::vector<int>, std::vector<int>>>;

/// Pairs, one of them more than a single part, that have not been searched yet.
std::vector<std::pair<int, int>> untried_pairs(std::span<const StandingGroup> groups,
                                               std::span<const std::pair<int, int>> known_neighbours,
                                               const TriedPairs& tried) {
  std::vector<std::pair<int, int>> pairs;
  for (const auto& [g, h] : all_pairs(static_cast<int>(groups.size()))) {
    const StandingGroup& a = groups[at(g)];
    const StandingGroup& b = groups[at(h)];
    if (a.parts.size() + b.parts.size() == 2) continue;
    if (!may_touch(a, b, known_neighbours)) continue;
    if (!tried.contains({a.parts, b.parts})) pairs.emplace_back(g, h);
  }
  return pairs;
}

}  // namespace

Status RematchOptions::validate() const {
  if (rounds < 0) return invalid_option("rounds of rematching must not be negative");
  if (partners < 1) return invalid_option("each group needs at least one partner to be looked at");
  if (large < 1 || large_pairs < 0) return invalid_option("large groups have at least one part");
  if (bridges < 0) return invalid_option("the number of bridges must not be negative");
  if (!(sure > 0.5 && sure <= 1.0)) return invalid_option("sure joints are above 0.5, at most 1");
  return frames.validate();
}

std::vector<Joint> joints_of(const PairSearch& search) {
  std::vector<Joint> joints;
  for (const PairCandidates& pair : search.pairs) {
    for (const PoseCandidate& candidate : pair.poses)
      joints.push_back(joint_of(pair.a, pair.b, candidate.a_from_b, candidate));
  }
  return joints;
}

Result<Assembly> rematch_groups(Assembly assembly, const PartsAtHand& parts, const PairSearchOptions& pairs,
                                const SolveOptions& solve, const OrientedCloudOptions& oriented,
                                const RematchOptions& options, Threads& threads, const Listener& listener) {
  TriedPairs tried;
  MergedGroups known(parts.clouds, oriented);
  const Reach reach(parts.clouds);
  std::vector<Joint> doubtful;
  // Of many parts, first all that matches of breaks find; a blind search only of what that leaves, against
  // what has grown large.
  const bool many = static_cast<int>(parts.clouds.size()) > pairs.few && !parts.matches.features.empty();
  PairSearchOptions look = many ? pairs.only_hints() : pairs;
  // On the way there only what is sure counts, and that needs no second try: of a thousand fragments tries
  // would take longer than all searches.
  SolveOptions on_the_way = solve;
  on_the_way.choose.patience = 0;
  bool hasty = false;
  for (int round = 0; round < options.rounds; round += look.blind ? 1 : 0) {
    const std::vector<StandingGroup> groups = sure_groups(assembly, options.sure);
    if (groups.size() < 2 || groups.size() == parts.clouds.size()) break;
    const std::vector<std::pair<int, int>> again = untried_pairs(groups, options.known_neighbours, tried);
    std::vector<Joint> joints = assembly.joints;
    if (!again.empty()) {
      const std::span<const OrientedCloud> merged = known.of(groups, threads);
      // Of many groups only pairs that match: of several objects, those of the same one.
      const int partners = many ? (look.blind ? pairs.partners : options.partners) : 0;
      std::vector<std::pair<int, int>> large;
      if (many && look.blind) {
        std::vector<std::size_t> sizes;
        for (const StandingGroup& group : groups) sizes.push_back(group.parts.size());
        large = large_pairs(again, sizes, at(options.large), at(options.large_pairs));
      }
      const MatchedGroups matched =
          match_groups(groups, merged, again, parts, options.frames, partners, large, threads);
      // What did not match well enough may still be searched blindly in a later round.
      for (const auto& [g, h] : look.blind ? matched.pairs : again)
        tried.insert({groups[at(g)].parts, groups[at(h)].parts});
      for (Joint& joint :
           joints_between(groups, merged, matched, parts.clouds, reach, look, threads, listener)) {
        const bool likely = joint.confidence >= 0.5;
        if (likely || options.place_all) (likely ? joints : doubtful).push_back(std::move(joint));
      }
    }
    if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
    if (joints.size() > assembly.joints.size()) {
      hasty = many && !look.blind;
      PMTR_TRY(assembly,
               solve_joints(parts.shapes, joints, 1.0, hasty ? on_the_way : solve, listener, parts.check));
      tell_groups(assembly, listener);
    } else if (look.blind) {
      break;
    } else {
      look.blind = true;
      tried.clear();
    }
  }
  if (hasty) {
    PMTR_TRY(assembly, solve_joints(parts.shapes, assembly.joints, 1.0, solve, listener, parts.check));
  }
  return options.place_all ? attach_rest(std::move(assembly), doubtful, parts, solve.choose)
                           : Result<Assembly>(std::move(assembly));
}

Assembly search_bridges(Assembly assembly, const PartsAtHand& parts, const PairSearchOptions& pairs,
                        const ChooseOptions& choose, const OrientedCloudOptions& oriented,
                        const RematchOptions& options, Threads& threads, const Listener& listener) {
  // Of few parts every pair has been looked at.
  if (static_cast<int>(parts.clouds.size()) <= pairs.few) return assembly;
  std::vector<std::vector<int>> sides = bridge_sides(assembly);
  std::erase_if(sides, [](const std::vector<int>& side) { return side.size() < 2; });
  std::stable_sort(sides.begin(), sides.end(),
                   [](const auto& x, const auto& y) { return x.size() > y.size(); });
  if (sides.size() > at(options.bridges)) sides.resize(at(options.bridges));
  const Reach reach(parts.clouds);
  std::vector<Joint> found;
  for (const std::vector<int>& side : sides) {
    if (listener.stop()) break;
    std::array<StandingGroup, 2> groups;
    for (int i = 0; i < static_cast<int>(assembly.parts.size()); ++i) {
      const PlacedPart& part = assembly.parts[at(i)];
      if (!part.placed || part.component != assembly.parts[at(side[0])].component) continue;
      StandingGroup& group = groups[std::binary_search(side.begin(), side.end(), i) ? 1 : 0];
      group.parts.push_back(i);
      group.group_from_part.push_back(part.world_from_part);
    }
    MergedGroups merging(parts.clouds, oriented);
    const std::span<const OrientedCloud> merged = merging.of({groups.begin(), groups.end()}, threads);
    const std::vector<std::pair<int, int>> both = {{0, 1}};
    const MatchedGroups matched = match_groups(groups, merged, both, parts, options.frames, 0, {}, threads);
    for (Joint& joint :
         joints_between(groups, merged, matched, parts.clouds, reach, pairs, threads, listener))
      found.push_back(std::move(joint));
  }
  if (found.empty()) return assembly;
  assembly.joints.insert(assembly.joints.end(), found.begin(), found.end());
  judge_where_they_stand(assembly, parts.shapes, choose);
  return assembly;
}

}  // namespace pmtr
