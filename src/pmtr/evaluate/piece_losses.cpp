// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/piece_losses.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "pmtr/averaging/components.h"
#include "pmtr/core/check.h"
#include "pmtr/core/index.h"
#include "pmtr/evaluate/metrics.h"
#include "pmtr/mesh/measures.h"

namespace pmtr {
namespace {

/// With less than this of a break seen, its surfaces are not what the search compares.
constexpr double enough_seen = 0.5;

/// What the candidates of one true pair say.
struct PairOutcome {
  const TruePair* pair = nullptr;
  int candidates = 0;
  int rank = -1;
  double found = 0.0;
  double rival = 0.0;
};

PairOutcome look_at_pair(const ScatteredObject& object, const TruePair& pair,
                         std::vector<const Joint*> joints) {
  std::stable_sort(joints.begin(), joints.end(),
                   [](const Joint* x, const Joint* y) { return x->confidence > y->confidence; });
  PairOutcome outcome;
  outcome.pair = &pair;
  outcome.candidates = static_cast<int>(joints.size());
  for (std::size_t k = 0; k < joints.size(); ++k) {
    if (is_true_pose(object, joints[k]->a, joints[k]->b, joints[k]->a_from_b)) {
      if (outcome.rank >= 0) continue;
      outcome.rank = static_cast<int>(k);
      outcome.found = joints[k]->confidence;
    } else {
      outcome.rival = std::max(outcome.rival, joints[k]->confidence);
    }
  }
  return outcome;
}

/// Does x tell more about the piece than y: nearer to placing it?
bool nearer(const PairOutcome& x, const PairOutcome& y) {
  const auto order = [](const PairOutcome& outcome) {
    const int rank = outcome.rank < 0 ? 1'000'000 : outcome.rank;
    return std::tuple(rank, -outcome.found, -outcome.pair->confidence.value_or(0.0),
                      -outcome.pair->seen.value_or(0.0));
  };
  return order(x) < order(y);
}

/// Groups of pieces that stand rightly to each other.
DisjointSets right_groups(const ScatteredObject& object, const Assembly& assembly) {
  DisjointSets groups(static_cast<int>(object.pieces.size()));
  for (const auto& [a, b] : object.adjacent) {
    const PlacedPart& part_a = assembly.parts[at(a)];
    const PlacedPart& part_b = assembly.parts[at(b)];
    if (!part_a.placed || !part_b.placed || part_a.component != part_b.component) continue;
    if (is_true_pose(object, a, b, part_a.world_from_part.inverse() * part_b.world_from_part))
      groups.join(a, b);
  }
  return groups;
}

PieceLoss loss_of(std::span<const PairOutcome> outcomes) {
  PieceLoss loss;
  loss.pairs = static_cast<int>(outcomes.size());
  if (outcomes.empty()) return loss;  // it touches nothing: no pose could be found
  double most_seen = 0.0;
  for (const PairOutcome& outcome : outcomes) {
    loss.candidates += outcome.candidates;
    most_seen = std::max(most_seen, outcome.pair->seen.value_or(1.0));
  }
  const PairOutcome& best = *std::min_element(outcomes.begin(), outcomes.end(), nearer);
  loss.rank = best.rank;
  loss.rival = best.rival;
  loss.found = best.found;
  loss.pair = *best.pair;
  if (best.rank < 0) {
    loss.loss = most_seen < enough_seen ? LossClass::labels : LossClass::no_candidate;
  } else {
    loss.loss = best.rank > 0 ? LossClass::ranked_lower : LossClass::joined_wrongly;
  }
  return loss;
}

}  // namespace

const char* loss_name(LossClass loss) {
  switch (loss) {
    case LossClass::labels:
      return "labels";
    case LossClass::no_candidate:
      return "no candidate";
    case LossClass::ranked_lower:
      return "ranked lower";
    case LossClass::joined_wrongly:
      return "joined wrongly";
    case LossClass::drifted:
      return "drifted";
  }
  return "";
}

bool is_true_pose(const ScatteredObject& object, int a, int b, const Rigid3& a_from_b) {
  const Rigid3 truth = object.world_from_piece[at(a)].inverse() * object.world_from_piece[at(b)];
  PartScores off;
  off.rot_deg = geodesic_degrees(a_from_b.rotation, truth.rotation);
  // The smaller piece is the one that is moved to the other.
  const bool b_moves = object.areas[at(b)] <= object.areas[at(a)];
  const Eigen::Vector3d middle = vertex_mean(object.pieces[at(b_moves ? b : a)]);
  const Eigen::Vector3d shift = b_moves
                                    ? Eigen::Vector3d(a_from_b * middle - truth * middle)
                                    : Eigen::Vector3d(a_from_b.inverse() * middle - truth.inverse() * middle);
  off.trans = shift.norm() / object.object_size;
  return off.right();
}

std::vector<std::optional<PieceLoss>> explain_losses(const ScatteredObject& object, const Assembly& assembly,
                                                     std::span<const PartScores> scores,
                                                     const StagesSeen& seen) {
  const std::size_t count = object.pieces.size();
  PMTR_CHECK(assembly.parts.size() == count && scores.size() == count, "one part per piece");
  std::map<std::pair<int, int>, std::vector<const Joint*>> by_pair;
  for (const Joint& joint : seen.candidates) by_pair[std::minmax(joint.a, joint.b)].push_back(&joint);
  std::vector<PairOutcome> outcomes;
  for (const TruePair& pair : seen.pairs)
    outcomes.push_back(look_at_pair(object, pair, by_pair[std::minmax(pair.a, pair.b)]));

  DisjointSets groups = right_groups(object, assembly);
  const auto largest =
      static_cast<int>(std::max_element(object.areas.begin(), object.areas.end()) - object.areas.begin());
  std::vector<std::optional<PieceLoss>> losses(count);
  for (std::size_t i = 0; i < count; ++i) {
    if (scores[i].anchor || scores[i].right()) continue;
    const int own = groups.find(static_cast<int>(i));
    std::vector<PairOutcome> across;
    for (const PairOutcome& outcome : outcomes) {
      const bool a_inside = groups.find(outcome.pair->a) == own;
      const bool b_inside = groups.find(outcome.pair->b) == own;
      if (a_inside != b_inside) across.push_back(outcome);
    }
    PieceLoss loss = loss_of(across);
    if (own == groups.find(largest)) loss.loss = LossClass::drifted;
    loss.group = 0;
    for (std::size_t k = 0; k < count; ++k) loss.group += groups.find(static_cast<int>(k)) == own ? 1 : 0;
    losses[i] = loss;
  }
  return losses;
}

}  // namespace pmtr
