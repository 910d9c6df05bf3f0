// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/assemble_fragments.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "pmtr/assemble/contact_joints.h"
#include "pmtr/assemble/joint_weight.h"
#include "pmtr/assemble/witnesses.h"
#include "pmtr/pipeline/assemble_by_matches.h"
#include "pmtr/pipeline/densify_breaks.h"
#include "pmtr/pipeline/encode_and_keep.h"
#include "pmtr/pipeline/input_frame.h"
#include "pmtr/pipeline/sample_meshes.h"
#include "pmtr/pipeline/settle_assembly.h"
#include "pmtr/pipeline/stage_clock.h"
#include "pmtr/pipeline/usable_scans.h"
#include "pmtr/pose/neighbour_score.h"

namespace pmtr {

namespace {

/// Every way in which the breaks of two fragments could lie against each other: a brief look at all pairs, a
/// full search of those that it leaves open.
Result<std::vector<Joint>> search_joints(std::span<const OrientedCloud> surfaces,
                                         std::span<const std::pair<int, int>> pairs,
                                         std::span<const MatchedPair> matched,
                                         std::span<const PairCandidates> seen, const AssembleOptions& options,
                                         Threads& threads, const Listener& listener) {
  const PairSearchOptions look = options.pair_search(static_cast<int>(surfaces.size()), !matched.empty());
  const std::vector<std::vector<Rigid3>> hints = hints_for(pairs, matched);
  PairSearch search = coarse_search(surfaces, pairs, hints, look, threads, listener, seen);
  search = full_search(surfaces, std::move(search), hints, look, threads, listener);
  if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
  return joints_of(search);
}

std::vector<std::pair<int, int>> pairs_of(std::span<const PairCandidates> seen) {
  std::vector<std::pair<int, int>> pairs;
  for (const PairCandidates& pair : seen) pairs.emplace_back(pair.a, pair.b);
  return pairs;
}

/// Of few fragments all, of many those that look like neighbours.
std::vector<std::pair<int, int>> pairs_worth_a_look(const AssembleResult& result,
                                                    const PairMatchOptions& match,
                                                    const AssembleOptions& options, Threads& threads) {
  const auto count = static_cast<int>(result.fragments.size());
  const std::vector<std::pair<int, int>> pairs = options.pairs_to_look_at(count);
  if (options.pairs.exhaustive || result.matched.empty() || count <= match.partners + 1) return pairs;
  const NeighbourScore neighbours(result.surfaces, threads);
  return likely_pairs(pairs, scores_of(result.matched, neighbours, threads), count, match.partners);
}

}  // namespace

Result<AssembleResult> assemble_fragments(std::span<const TriangleMesh* const> given,
                                          const FragmentEncoder& encoder, const AssembleOptions& options,
                                          Threads& threads, const Listener& listener) {
  const bool by_matches = options.method == PoseMethod::matches || options.method == PoseMethod::lgr;
  if (!encoder.options().sees_breaks() || by_matches || given.size() < 2)
    return assemble_by_matches(given, encoder, options, threads, listener);
  PMTR_TRY_STATUS(options.validate());
  AssembleResult result;
  std::map<std::string, double> timing_ms;
  StageClock clock(timing_ms);

  // Once per fragment: points on its surface; what the network says of them, features that match those of a
  // partner and where the fragment is broken; more points there.
  PMTR_TRY(const UsableScans scans, make_usable(given, options, threads, listener));
  PMTR_TRY(SampledMeshes sampled, sample_meshes(scans.surfaces(), options, threads, listener));
  const double noise = options.point_noise * sampled.object_size / sampled.unit();
  result.object_size = sampled.object_size;
  result.fragments = std::move(sampled.fragments);
  clock.ended("sample");
  const bool keeps = options.kept != nullptr && options.known_breaks.empty() && can_be_kept(encoder);
  PMTR_TRY(result.features,
           keeps ? encode_and_keep(result.fragments, encoder, *options.kept, threads, listener)
                 : encode_fragments(result.fragments, options.known_breaks, encoder, threads, listener));
  clock.ended("encode");
  PMTR_TRY_STATUS(densify_breaks(scans.surfaces(), result.fragments, result.features, options.sample_of_all(),
                                 noise, options.seed, options.densify, threads));
  clock.ended("densify");
  result.surfaces = orient_fragments(result.fragments, result.features, options.oriented, threads);
  clock.ended("orient");

  // Once per pair: which break points match, who is worth a closer look, and how the two could lie.
  const std::vector<std::pair<int, int>> pairs = options.pairs_to_look_at(static_cast<int>(given.size()));
  const PairMatchOptions match = options.match.for_breaks(encoder.options().break_cloud);
  if (options.method == PoseMethod::both)
    result.matched = match_pairs(result.features, result.surfaces, pairs, encoder.dustbin_score(), match,
                                 threads, listener, features_of_pair(encoder, result.features, threads));
  clock.ended("match");
  PMTR_TRY(result, assemble_matched(std::move(result), {}, match, options, clock, threads, listener));
  result.timing_ms = std::move(timing_ms);
  return result;
}

Result<AssembleResult> assemble_matched(AssembleResult begun, std::span<const PairCandidates> seen,
                                        const PairMatchOptions& match, const AssembleOptions& options,
                                        StageClock& clock, Threads& threads, const Listener& listener) {
  AssembleResult result = std::move(begun);
  const std::vector<std::pair<int, int>> pairs =
      seen.empty() ? pairs_worth_a_look(result, match, options, threads) : pairs_of(seen);
  PMTR_TRY(std::vector<Joint> joints,
           search_joints(result.surfaces, pairs, result.matched, seen, options, threads, listener));
  result.candidates = with_matches(std::move(joints), result.matched, result.features, match.agreement());
  clock.ended("search");

  // Once per object: which joints hold together, and where every fragment goes.
  const BreakMatches matches = matches_of_breaks(result.matched, result.features, match);
  PMTR_TRY(Reread read, assemble_joints(std::move(result.surfaces), result.candidates, matches, options,
                                        clock, threads, listener));
  result.surfaces = std::move(read.clouds);
  result.assembly = in_input_frame(std::move(read.assembly), result.fragments);
  result.solve = options.solve_again();
  clock.ended("witnesses");
  return result;
}

Result<Reread> assemble_joints(std::vector<OrientedCloud> surfaces, std::span<const Joint> joints,
                               const BreakMatches& matches, const AssembleOptions& options, StageClock& clock,
                               Threads& threads, const Listener& listener) {
  if (surfaces.size() == 1) return Reread{lone_fragment(), std::move(surfaces)};
  const std::vector<PartShape> shapes = shapes_of(surfaces);
  const PairCheck check =
      options.check_penetration ? refuse_penetration(surfaces, options.penetration) : PairCheck{};
  PartsAtHand parts{surfaces, shapes, check, matches};
  PMTR_TRY(Assembly assembly, solve_joints(shapes, joints, 1.0, options.solve, listener, check));
  tell_groups(assembly, listener);
  clock.ended("solve");
  const RematchOptions rematch = options.rematch_of_all();
  PMTR_TRY(assembly, rematch_groups(std::move(assembly), parts, options.pairs.with_seed(options.seed),
                                    options.solve, options.oriented, rematch, threads, listener));
  clock.ended("rematch");
  assembly = join_contacts(std::move(assembly), parts, threads);
  assembly = search_bridges(std::move(assembly), parts, options.pairs.with_seed(options.seed),
                            options.solve.choose, options.oriented, rematch, threads, listener);
  tell_groups(assembly, listener);
  clock.ended("bridges");
  Reread read = reread_breaks(std::move(assembly), std::move(surfaces), shapes,
                              options.pairs.with_seed(options.seed).full, options.solve.choose,
                              options.oriented, options.reread, threads, listener);
  assembly = std::move(read.assembly);
  parts.clouds = read.clouds;
  tell_groups(assembly, listener);
  clock.ended("breaks again");
  assembly = settle_assembly(std::move(assembly), parts, options, threads, listener);
  clock.ended("whole object");
  PMTR_TRY(assembly, rejoin_confirmed(std::move(assembly), parts, options, threads, listener));
  clock.ended("confirmed groups");
  if (!options.rematch.place_all)
    assembly = keep_joints(std::move(assembly), shapes,
                           options.only_confirmed ? WitnessModel::fitted().confirmed : 0.5);
  return Reread{std::move(assembly), std::move(read.clouds)};
}

Result<Assembly> assemble_surfaces(std::span<const OrientedCloud> surfaces, const AssembleOptions& options,
                                   Threads& threads, const Listener& listener) {
  PMTR_TRY_STATUS(options.validate());
  PMTR_TRY(const std::vector<Joint> joints,
           search_joints(surfaces, all_pairs(static_cast<int>(surfaces.size())), {}, {}, options, threads,
                         listener));
  std::map<std::string, double> timing_ms;
  StageClock clock(timing_ms);
  PMTR_TRY(Reread read, assemble_joints({surfaces.begin(), surfaces.end()}, joints, {}, options, clock,
                                        threads, listener));
  return std::move(read.assembly);
}

std::vector<std::pair<int, int>> AssembleOptions::pairs_to_look_at(int fragments) const {
  return known_neighbours.empty() ? all_pairs(fragments) : known_neighbours;
}

SampleOptions AssembleOptions::sample_of_all() const {
  const auto of_all = [this](int points) {
    return static_cast<int>(
        std::min<std::int64_t>(std::int64_t{points} * objects, std::numeric_limits<int>::max()));
  };
  SampleOptions all = sample;
  all.points = of_all(sample.points);
  all.dense_points = of_all(sample.dense_points);
  return all;
}

PairSearchOptions AssembleOptions::pair_search(int fragments, bool matched) const {
  const PairSearchOptions look = pairs.with_seed(seed);
  // Of many fragments, what matches cannot settle waits until groups have formed: see rematch_groups.
  return fragments > look.few && matched ? look.only_hints() : look;
}

RematchOptions AssembleOptions::rematch_of_all() const {
  RematchOptions of_all = rematch;
  of_all.known_neighbours = known_neighbours;
  if (objects > 1) of_all.large_pairs = 0;  // whole vessels would be laid against each other
  return of_all;
}

SolveOptions AssembleOptions::solve_again() const {
  SolveOptions again = rematch.place_all ? solve.placing_all() : solve;
  if (only_confirmed) again.choose.least_evidence = log_odds(WitnessModel::fitted().confirmed);
  return again;
}

Status AssembleOptions::validate() const {
  PMTR_TRY_STATUS(normals.validate());
  PMTR_TRY_STATUS(sample.validate());
  PMTR_TRY_STATUS(densify.validate());
  PMTR_TRY_STATUS(oriented.validate());
  PMTR_TRY_STATUS(pairs.validate());
  PMTR_TRY_STATUS(match.validate());
  PMTR_TRY_STATUS(solve.validate());
  PMTR_TRY_STATUS(penetration.validate());
  PMTR_TRY_STATUS(rematch.validate());
  PMTR_TRY_STATUS(reread.validate());
  PMTR_TRY_STATUS(whole.validate());
  PMTR_TRY_STATUS(refinement.validate());
  for (const auto& [a, b] : known_neighbours)
    if (a < 0 || b < 0 || a == b) return invalid_option("neighbours must be two different fragments");
  if (!std::isfinite(object_size) || object_size < 0.0)
    return invalid_option("the size of the object must be a positive number");
  if (!(unit_fragments == 0.0 || (unit_fragments >= 0.1 && unit_fragments <= 1e6)))
    return invalid_option("the unit is 0.1 to 1000000 times the diameter of a fragment, or 0");
  if (objects < 1 || objects > 10000) return invalid_option("the fragments are of 1 to 10000 objects");
  if (!(point_noise >= 0.0 && point_noise < 1.0))
    return invalid_option("the noise of the points must be from 0 to below 1");
  return {};
}

}  // namespace pmtr
