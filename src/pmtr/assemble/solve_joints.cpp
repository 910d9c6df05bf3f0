// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/solve_joints.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "pmtr/assemble/joint_weight.h"
#include "pmtr/assemble/number_groups.h"
#include "pmtr/averaging/components.h"
#include "pmtr/averaging/rounding.h"
#include "pmtr/averaging/translations.h"
#include "pmtr/core/index.h"

namespace pmtr {
namespace {

std::vector<Hypothesis> hypotheses_of(std::span<const PartShape> parts, std::span<const Joint> joints) {
  std::vector<Hypothesis> out;
  for (const Joint& joint : joints) {
    // Poses that went through single precision are rotations to six digits only.
    const Rigid3 a_from_b{nearest_rotation(joint.a_from_b.rotation), joint.a_from_b.translation};
    out.push_back({joint.a, joint.b,
                   centred(a_from_b, parts[static_cast<std::size_t>(joint.a)],
                           parts[static_cast<std::size_t>(joint.b)]),
                   log_odds(joint.confidence)});
  }
  return out;
}

/// Of the joints of one pair that agree, the one with the most evidence; of equal ones the first.
std::vector<int> best_of_pairs(std::span<const Hypothesis> hypotheses, const std::vector<bool>& agrees) {
  std::map<std::pair<int, int>, int> best;
  for (std::size_t h = 0; h < hypotheses.size(); ++h) {
    if (!agrees[h]) continue;
    const auto [place, fresh] =
        best.try_emplace(std::minmax(hypotheses[h].a, hypotheses[h].b), static_cast<int>(h));
    if (!fresh && hypotheses[h].evidence > hypotheses[static_cast<std::size_t>(place->second)].evidence) {
      place->second = static_cast<int>(h);
    }
  }
  std::vector<int> chosen;
  for (const auto& [pair, h] : best) chosen.push_back(h);
  return chosen;
}

/// Poses averaged over a set of joints, component by component.
struct Averaged {
  std::vector<Rigid3> world_from_part;
  std::vector<int> component;
  std::vector<int> used;  ///< joints that were kept
  Certificate certificate;
};

Result<Averaged> average(int parts, std::span<const Joint> joints, std::span<const Hypothesis> hypotheses,
                         const std::vector<int>& chosen, const RobustAveragingOptions& options) {
  PoseGraph graph;
  graph.nodes = parts;
  for (const int h : chosen) {
    const Hypothesis& joint = hypotheses[static_cast<std::size_t>(h)];
    const double weight = joint_weight(joints[static_cast<std::size_t>(h)]);
    graph.edges.push_back({joint.a, joint.b, joint.a_from_b, weight, weight});
  }
  Averaged out;
  out.world_from_part.resize(static_cast<std::size_t>(parts));
  out.component = connected_components(graph);
  out.certificate.optimal = true;
  const int components = parts == 0 ? 0 : 1 + *std::max_element(out.component.begin(), out.component.end());
  for (int c = 0; c < components; ++c) {
    Subgraph sub = component_subgraph(graph, out.component, c);
    if (sub.nodes.size() < 2) break;  // the largest come first
    PMTR_TRY(const RobustAveraging rotations, average_rotations_robustly(sub.graph, options));
    for (std::size_t e = 0; e < sub.edges.size(); ++e) {
      if (rotations.kept[e]) {
        out.used.push_back(chosen[static_cast<std::size_t>(sub.edges[e])]);
      } else {
        sub.graph.edges[e].translation_weight = 0;
      }
    }
    PMTR_TRY(const TranslationAveraging translations,
             average_translations(sub.graph, rotations.averaging.world_from_node));
    for (std::size_t i = 0; i < sub.nodes.size(); ++i) {
      out.world_from_part[static_cast<std::size_t>(sub.nodes[i])] = {rotations.averaging.world_from_node[i],
                                                                     translations.world_from_node[i]};
    }
    Certificate& all = out.certificate;
    all.min_eigenvalue = c == 0 ? rotations.averaging.min_eigenvalue
                                : std::min(all.min_eigenvalue, rotations.averaging.min_eigenvalue);
    all.optimal = all.optimal && rotations.averaging.optimal;
    all.cost += rotations.averaging.cost;
    all.rank = std::max(all.rank, rotations.averaging.rank);
  }
  std::sort(out.used.begin(), out.used.end());
  return out;
}

PoseDifference residual(const Hypothesis& joint, const std::vector<Rigid3>& world_from_part) {
  return difference(joint.a_from_b, world_from_part[static_cast<std::size_t>(joint.a)].inverse() *
                                        world_from_part[static_cast<std::size_t>(joint.b)]);
}

/// The parts of one component stay together, whatever its joints' residuals.
bool still_connected(const Averaged& averaged, std::span<const Hypothesis> hypotheses,
                     const std::vector<int>& chosen) {
  DisjointSets sets(static_cast<int>(averaged.component.size()));
  for (const int h : chosen)
    sets.join(hypotheses[static_cast<std::size_t>(h)].a, hypotheses[static_cast<std::size_t>(h)].b);
  std::map<int, int> root_of;
  for (std::size_t i = 0; i < averaged.component.size(); ++i) {
    const int root = sets.find(static_cast<int>(i));
    if (root_of.try_emplace(averaged.component[i], root).first->second != root) return false;
  }
  return true;
}

void place_parts(std::span<const PartShape> parts, const Averaged& averaged, Assembly& assembly) {
  for (const PartGroup& group : number_groups(parts, averaged.component, assembly)) {
    const Rigid3 anchor_from_world = averaged.world_from_part[at(group.anchor)].inverse();
    for (const int i : group.members) {
      if (i == group.anchor) continue;
      assembly.parts[at(i)].world_from_part = uncentred(anchor_from_world * averaged.world_from_part[at(i)],
                                                        parts[at(group.anchor)], parts[at(i)]);
    }
  }
}

void judge_joints(std::span<const Hypothesis> hypotheses, const Averaged& averaged,
                  const ChooseOptions& options, double object_size, Assembly& assembly) {
  assembly.verdicts.resize(hypotheses.size());
  for (std::size_t h = 0; h < hypotheses.size(); ++h) {
    const Hypothesis& joint = hypotheses[h];
    JointVerdict& verdict = assembly.verdicts[h];
    const bool likely = joint.evidence >= options.least_evidence;
    const bool together = averaged.component[static_cast<std::size_t>(joint.a)] ==
                          averaged.component[static_cast<std::size_t>(joint.b)];
    if (!together) {
      verdict.fate = likely ? JointFate::unjoined : JointFate::weak;
      continue;
    }
    const PoseDifference off = residual(joint, averaged.world_from_part);
    verdict.residual_deg = off.angle_deg;
    verdict.residual_shift = off.shift;
    if (std::binary_search(averaged.used.begin(), averaged.used.end(), static_cast<int>(h))) {
      verdict.fate = JointFate::used;
      assembly.joints[h].used = true;
    } else if (off.angle_deg <= options.rotation_tolerance_deg &&
               off.shift <= options.shift_tolerance * object_size) {
      verdict.fate = JointFate::spare;
    } else {
      verdict.fate = likely ? JointFate::contradicts : JointFate::weak;
    }
  }
}

}  // namespace

SolveOptions SolveOptions::placing_all() const {
  SolveOptions bold = *this;
  // More than the least log odds there are.
  bold.choose.agreement_bonus = 5.0;
  bold.choose.least_evidence = -5.0;
  return bold;
}

Status SolveOptions::validate() const {
  PMTR_TRY_STATUS(choose.validate());
  PMTR_TRY_STATUS(averaging.validate());
  if (max_rounds < 1) return invalid_option("max_rounds is at least 1");
  return {};
}

Result<Assembly> solve_joints(std::span<const PartShape> parts, std::span<const Joint> joints,
                              double object_size, const SolveOptions& options, const Listener& listener,
                              const PairCheck& check) {
  PMTR_TRY_STATUS(options.validate());
  if (!(object_size > 0) || !std::isfinite(object_size)) {
    return Error{Cause::degenerate, "the object has no size", {}};
  }
  const int count = static_cast<int>(parts.size());
  for (const Joint& joint : joints) {
    PMTR_CHECK(joint.a >= 0 && joint.b >= 0 && joint.a < count && joint.b < count && joint.a != joint.b,
               fmt::format("a joint of parts {} and {} among {}", joint.a, joint.b, count));
  }
  Assembly assembly;
  assembly.parts.resize(parts.size());
  assembly.joints.assign(joints.begin(), joints.end());
  for (Joint& joint : assembly.joints) joint.used = false;
  if (parts.empty()) return assembly;

  const std::vector<Hypothesis> hypotheses = hypotheses_of(parts, joints);
  PairCheck centred_check;
  if (check) {
    centred_check = [&](int a, int b, const Rigid3& a_from_b) {
      return check(
          a, b, uncentred(a_from_b, parts[static_cast<std::size_t>(a)], parts[static_cast<std::size_t>(b)]));
    };
  }
  listener.advance("assemble", 0, 0);
  const Choice choice = choose_joints(count, hypotheses, object_size, options.choose, centred_check);
  std::vector<int> chosen = best_of_pairs(hypotheses, choice.agrees);
  PMTR_TRY(Averaged averaged, average(count, joints, hypotheses, chosen, options.averaging));
  for (int round = 1; round < options.max_rounds; ++round) {
    std::vector<bool> agrees(hypotheses.size(), false);
    for (std::size_t h = 0; h < hypotheses.size(); ++h) {
      const Hypothesis& joint = hypotheses[h];
      if (averaged.component[static_cast<std::size_t>(joint.a)] !=
          averaged.component[static_cast<std::size_t>(joint.b)]) {
        continue;
      }
      const PoseDifference off = residual(joint, averaged.world_from_part);
      agrees[h] = off.angle_deg <= options.choose.rotation_tolerance_deg &&
                  off.shift <= options.choose.shift_tolerance * object_size;
    }
    std::vector<int> next = best_of_pairs(hypotheses, agrees);
    if (next == chosen || !still_connected(averaged, hypotheses, next)) break;
    chosen = std::move(next);
    PMTR_TRY(averaged, average(count, joints, hypotheses, chosen, options.averaging));
  }

  place_parts(parts, averaged, assembly);
  judge_joints(hypotheses, averaged, options.choose, object_size, assembly);
  rate_parts(assembly);
  if (averaged.used.size() > 1) assembly.certificate = averaged.certificate;
  return assembly;
}

}  // namespace pmtr
