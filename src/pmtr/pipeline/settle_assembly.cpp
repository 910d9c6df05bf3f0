// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/settle_assembly.h"

#include <map>
#include <utility>

#include "pmtr/assemble/contact_joints.h"
#include "pmtr/assemble/measure_assembly.h"
#include "pmtr/assemble/witnesses.h"

namespace pmtr {
namespace {

/// How many pairs of parts may be expected to stand rightly to each other.
double pairs_expected(const Assembly& assembly) {
  std::map<int, double> right;
  for (const PlacedPart& part : assembly.parts) {
    if (part.placed) right[part.component] += part.confidence;
  }
  double pairs = 0.0;
  for (const auto& [component, parts] : right) pairs += parts * parts;
  return pairs;
}

/// Are the same parts together in both?
bool same_groups(const Assembly& one, const Assembly& other) {
  std::map<int, int> other_of;
  std::map<int, int> one_of;
  for (std::size_t i = 0; i < one.parts.size(); ++i) {
    if (one.parts[i].placed != other.parts[i].placed) return false;
    if (!one.parts[i].placed) continue;
    const int a = one.parts[i].component, b = other.parts[i].component;
    if (other_of.try_emplace(a, b).first->second != b || one_of.try_emplace(b, a).first->second != a)
      return false;
  }
  return true;
}

}  // namespace

Assembly settle_assembly(Assembly assembly, const PartsAtHand& parts, const AssembleOptions& options,
                         Threads& threads, const Listener& listener) {
  assembly =
      improve_whole(std::move(assembly), parts, options.solve.choose, options.whole, threads, listener);
  tell_groups(assembly, listener);
  assembly = refine_contacts(std::move(assembly), parts.clouds, options.refinement, threads).assembly;
  assembly = join_contacts(std::move(assembly), parts, threads);
  assembly = measure_assembly(std::move(assembly), parts.shapes, parts.clouds);
  return call_witnesses(std::move(assembly), parts, threads);
}

Result<Assembly> rejoin_confirmed(Assembly assembly, const PartsAtHand& parts, const AssembleOptions& options,
                                  Threads& threads, const Listener& listener) {
  if (static_cast<int>(parts.clouds.size()) <= options.pairs.few || options.objects > 1) return assembly;
  // A single joint between large groups, however sure, is one of the few that fit by chance if it is wrong.
  constexpr double never = 2.0;
  constexpr int rounds = 3;
  const RematchOptions rematch = options.rematch_of_all();
  for (int round = 0; round < rounds; ++round) {
    Assembly again = keep_joints(assembly, parts.shapes, WitnessModel::fitted().confirmed, never);
    // Groups that confirmed joints hold have been searched as they are.
    if (same_groups(again, assembly)) break;
    PMTR_TRY(again, rematch_groups(std::move(again), parts, options.pairs.with_seed(options.seed),
                                   options.solve, options.oriented, rematch, threads, listener));
    again = join_contacts(std::move(again), parts, threads);
    again = settle_assembly(std::move(again), parts, options, threads, listener);
    if (pairs_expected(again) <= pairs_expected(assembly)) break;
    assembly = std::move(again);
  }
  return assembly;
}

}  // namespace pmtr
