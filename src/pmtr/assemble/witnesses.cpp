// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/witnesses.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "pmtr/assemble/bridges.h"
#include "pmtr/assemble/joint_weight.h"
#include "pmtr/assemble/number_groups.h"
#include "pmtr/averaging/components.h"
#include "pmtr/core/index.h"
#include "pmtr/core/odds.h"
#include "pmtr/pose/joint_evidence.h"
#include "pmtr/pose/reach.h"

namespace pmtr {
namespace {

bool together(const Assembly& assembly, int a, int b) {
  const PlacedPart& x = assembly.parts[at(a)];
  const PlacedPart& y = assembly.parts[at(b)];
  return x.placed && y.placed && x.component == y.component;
}

/// How much of every part's breaks is covered by all others together; weighted by how surely it is a break.
void measure_open(Assembly& assembly, std::span<const OrientedCloud> clouds, Threads& threads) {
  const Reach reach(clouds);
  std::vector<double> broken(clouds.size(), 0.0);
  run_tasks(threads, static_cast<std::int64_t>(clouds.size()), [&](std::int64_t index) {
    const auto i = static_cast<std::size_t>(index);
    PlacedPart& part = assembly.parts[i];
    part.open_share.reset();
    if (!part.placed || clouds[i].fracture.empty()) return;
    std::vector<std::uint8_t> touching(clouds[i].fracture.size(), 0);
    for (std::size_t j = 0; j < clouds.size(); ++j) {
      const auto own = static_cast<int>(i), other = static_cast<int>(j);
      if (i == j || !together(assembly, own, other)) continue;
      const Rigid3 there = assembly.parts[j].world_from_part.inverse() * part.world_from_part;
      if (!reach.meet(other, own, there)) continue;
      mark_contact(clouds[j], clouds[i], there, {}, touching);
    }
    double open = 0.0;
    for (std::size_t k = 0; k < touching.size(); ++k) {
      const auto score = static_cast<double>(clouds[i].fracture[k].score);
      broken[i] += score * clouds[i].point_area();
      if (touching[k] == 0) open += score * clouds[i].point_area();
    }
    if (broken[i] > 0.0) part.open_share = open / broken[i];
  });
  double all = 0.0;
  double open = 0.0;
  for (std::size_t i = 0; i < clouds.size(); ++i) {
    all += broken[i];
    open += broken[i] * assembly.parts[i].open_share.value_or(0.0);
  }
  assembly.open_share.reset();
  if (all > 0.0) assembly.open_share = open / all;
}

/// Does the joint say of its two parts what the assembly says?
bool agrees(const Assembly& assembly, std::size_t joint) {
  if (assembly.verdicts.empty()) return assembly.joints[joint].used;
  const JointFate fate = assembly.verdicts[joint].fate;
  return fate == JointFate::used || fate == JointFate::spare;
}

/// Parts that used joints of at least even odds tie to each part.
std::vector<std::set<int>> tied_parts(const Assembly& assembly) {
  std::vector<std::set<int>> tied(assembly.parts.size());
  for (const Joint& joint : assembly.joints) {
    if (!joint.used || joint.confidence < 0.5) continue;
    tied[at(joint.a)].insert(joint.b);
    tied[at(joint.b)].insert(joint.a);
  }
  return tied;
}

/// Fragments from which on a group is large.
constexpr std::size_t large_group = 4;

/// Used joints that alone hold two large groups together and are not confirmed. Two groups of one object
/// nearly always touch in several places, so a single place that fits just so is more likely one of the many
/// that fit by chance: of two vessels it would make one.
std::vector<std::size_t> doubtful_bridges(const Assembly& assembly, double least) {
  std::vector<std::size_t> doubtful;
  for (const std::vector<int>& side : bridge_sides(assembly)) {
    if (side.size() < large_group) continue;
    const auto inside = [&](int part) { return std::binary_search(side.begin(), side.end(), part); };
    std::vector<std::size_t> bridge;
    double surest = 0.0;
    for (std::size_t j = 0; j < assembly.joints.size(); ++j) {
      const Joint& joint = assembly.joints[j];
      if (!joint.used || inside(joint.a) == inside(joint.b)) continue;
      bridge.push_back(j);
      surest = std::max(surest, joint.confidence);
    }
    if (surest < least) doubtful.insert(doubtful.end(), bridge.begin(), bridge.end());
  }
  return doubtful;
}

}  // namespace

const std::array<const char*, WitnessFigures::count> WitnessFigures::names = {
    "surface", "stands_out", "matches_agree", "third_agrees", "covered", "fixed", "log_alternatives"};

WitnessFigures witness_figures(const JointWitnesses& w) {
  WitnessFigures f;
  f.value = {std::clamp(w.surface, -6.0, 6.0),
             w.stands_out() ? 1.0 : 0.0,
             w.matches_agree() ? 1.0 : 0.0,
             w.third_agrees() ? 1.0 : 0.0,
             w.is_covered() ? 1.0 : 0.0,
             w.is_fixed() ? 1.0 : 0.0,
             std::log(static_cast<double>(std::max(1, w.alternatives)))};
  return f;
}

const WitnessModel& WitnessModel::fitted() {
  // Fitted to 870 used joints, 26 of them wrong: docs/assemble.md says of what.
  static const WitnessModel model = {-1.71, {0.50, 1.85, 0.0, 2.58, 0.89, 0.88, 0.0}, 0.96};
  return model;
}

double WitnessModel::probability(const JointWitnesses& witnesses) const {
  const WitnessFigures figures = witness_figures(witnesses);
  double sum = bias;
  for (std::size_t i = 0; i < weight.size(); ++i) sum += weight[i] * figures.value[i];
  return probability_of(sum);
}

Band band_of(const Joint& joint) {
  if (joint.confidence < 0.5) return Band::rejected;
  return joint.witnesses && joint.confidence >= WitnessModel::fitted().confirmed ? Band::confirmed
                                                                                 : Band::probable;
}

Band band_of(const PlacedPart& part) {
  if (!part.placed || part.confidence < 0.5) return Band::rejected;
  return part.open_share && part.confidence >= WitnessModel::fitted().confirmed ? Band::confirmed
                                                                                : Band::probable;
}

std::string band_reason(const Joint& joint) {
  if (!joint.witnesses) return "nothing but its own fit was looked at";
  const JointWitnesses& w = *joint.witnesses;
  std::vector<std::string> for_it;
  std::vector<std::string> against;
  const auto say = [&](bool yes, const char* good, const char* bad) {
    (yes ? for_it : against).emplace_back(yes ? good : bad);
  };
  say(w.surface > 0.0, "the surfaces fit", "the surfaces fit badly");
  say(w.stands_out(), "no other pose is nearly as good", "another pose is nearly as good");
  if (w.has_matches()) say(w.matches_agree(), "matches agree", "few matches agree");
  say(w.third_agrees(), "a third fragment agrees", "no third fragment agrees");
  say(w.is_covered(), "both breaks are covered", "a break stays mostly open");
  say(w.is_fixed(), "the contact leaves no motion free", "the contact could slide or turn");
  return fmt::format("{}{}{}", fmt::join(for_it, ", "), for_it.empty() || against.empty() ? "" : "; but ",
                     fmt::join(against, ", "));
}

Assembly call_witnesses(Assembly assembly, const PartsAtHand& parts, Threads& threads) {
  measure_open(assembly, parts.clouds, threads);
  const std::vector<std::set<int>> tied = tied_parts(assembly);
  std::vector<double> surface;
  for (const Joint& joint : assembly.joints) {
    surface.push_back(log_odds(joint.confidence, 1e-6));
  }
  // For every part, what speaks best against where it stands, and for it.
  std::vector<double> against(parts.clouds.size(), -6.0);
  std::vector<double> standing(parts.clouds.size(), -6.0);
  for (std::size_t j = 0; j < assembly.joints.size(); ++j) {
    auto& side = agrees(assembly, j) ? standing : against;
    for (const int part : {assembly.joints[j].a, assembly.joints[j].b})
      side[at(part)] = std::max(side[at(part)], surface[j]);
  }
  run_tasks(threads, static_cast<std::int64_t>(assembly.joints.size()), [&](std::int64_t index) {
    const auto j = static_cast<std::size_t>(index);
    Joint& joint = assembly.joints[j];
    if (!joint.witnesses) joint.witnesses.emplace();
    JointWitnesses& w = *joint.witnesses;
    const auto& rivals = agrees(assembly, j) ? against : standing;
    w.surface = surface[j];
    w.margin = surface[j] - std::max(rivals[at(joint.a)], rivals[at(joint.b)]);
    w.alternatives = std::max(1, static_cast<int>(parts.clouds.size()) - 1);
    if (parts.matches.count) {
      const MatchCount matches = parts.matches.count(joint.a, joint.b, joint.a_from_b);
      joint.matches = matches.agreeing;
      w.matched = matches.all > 0 ? static_cast<double>(matches.agreeing) / matches.all : 0.0;
    }
    w.thirds = 0;
    w.covered = 0.0;
    w.stiffness = 0.0;
    if (!joint.used) return;
    for (const int third : tied[at(joint.a)])
      w.thirds += third != joint.b && tied[at(joint.b)].contains(third) ? 1 : 0;
    w.covered = 1.0 - std::max(assembly.parts[at(joint.a)].open_share.value_or(1.0),
                               assembly.parts[at(joint.b)].open_share.value_or(1.0));
    w.stiffness = contact_stiffness(
        parts.clouds[at(joint.a)], parts.clouds[at(joint.b)],
        assembly.parts[at(joint.a)].world_from_part.inverse() * assembly.parts[at(joint.b)].world_from_part,
        {});
  });
  for (Joint& joint : assembly.joints)
    joint.confidence = WitnessModel::fitted().probability(*joint.witnesses);
  rate_parts(assembly);
  return assembly;
}

Assembly keep_joints(Assembly assembly, std::span<const PartShape> shapes, double least,
                     double least_of_bridge) {
  bool dropped = false;
  const auto drop = [&](std::size_t j) {
    assembly.joints[j].used = false;
    dropped = true;
    if (!assembly.verdicts.empty()) assembly.verdicts[j].fate = JointFate::weak;
  };
  for (std::size_t j = 0; j < assembly.joints.size(); ++j) {
    if (assembly.joints[j].used && assembly.joints[j].confidence < least) drop(j);
  }
  for (const std::size_t j : doubtful_bridges(assembly, least_of_bridge)) drop(j);
  if (!dropped) return assembly;
  DisjointSets sets(static_cast<int>(assembly.parts.size()));
  for (const Joint& joint : assembly.joints) {
    if (joint.used) sets.join(joint.a, joint.b);
  }
  std::vector<int> group;
  for (int i = 0; i < static_cast<int>(assembly.parts.size()); ++i)
    group.push_back(assembly.parts[at(i)].placed ? sets.find(i) : -1);
  std::vector<PlacedPart> before = std::move(assembly.parts);
  assembly.parts.assign(before.size(), {});
  for (const PartGroup& members : number_groups(shapes, group, assembly)) {
    const Rigid3 anchor_from_world = before[at(members.anchor)].world_from_part.inverse();
    for (const int i : members.members) {
      PlacedPart& part = assembly.parts[at(i)];
      part.open_share = before[at(i)].open_share;
      if (i != members.anchor) part.world_from_part = anchor_from_world * before[at(i)].world_from_part;
    }
  }
  for (std::size_t j = 0; j < assembly.verdicts.size(); ++j) {
    const Joint& joint = assembly.joints[j];
    if (together(assembly, joint.a, joint.b)) continue;
    assembly.verdicts[j].residual_deg.reset();
    assembly.verdicts[j].residual_shift.reset();
    if (!joint.used) assembly.verdicts[j].fate = JointFate::weak;
  }
  rate_parts(assembly);
  return assembly;
}

}  // namespace pmtr
