// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/averaging/consensus.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "pmtr/averaging/components.h"
#include "pmtr/core/check.h"

namespace pmtr {
namespace {

int group_of(const Choice& choice, int part) { return choice.group[static_cast<std::size_t>(part)]; }
const Rigid3& pose_of(const Choice& choice, int part) {
  return choice.world_from_part[static_cast<std::size_t>(part)];
}

void move_group(Choice& choice, int from, int to, const Rigid3& motion) {
  for (std::size_t i = 0; i < choice.group.size(); ++i) {
    if (choice.group[i] != from) continue;
    choice.group[i] = to;
    choice.world_from_part[i] = motion * choice.world_from_part[i];
  }
}

}  // namespace

Consensus::Consensus(int parts, std::span<const Hypothesis> hypotheses, double object_size,
                     const ChooseOptions& options, const PairCheck& check)
    : parts_(parts),
      hypotheses_(hypotheses),
      shift_limit_(options.shift_tolerance * object_size),
      least_cosine_(std::cos(options.rotation_tolerance_deg * M_PI / 180.0)),
      options_(options),
      check_(check),
      at_part_(static_cast<std::size_t>(parts)) {
  std::map<std::pair<int, int>, int> number;
  for (std::size_t h = 0; h < hypotheses.size(); ++h) {
    pair_.push_back(
        number.try_emplace(std::minmax(hypotheses[h].a, hypotheses[h].b), static_cast<int>(number.size()))
            .first->second);
    if (hypotheses[h].evidence + options.agreement_bonus <= 0) continue;
    at_part_[static_cast<std::size_t>(hypotheses[h].a)].push_back(static_cast<int>(h));
    at_part_[static_cast<std::size_t>(hypotheses[h].b)].push_back(static_cast<int>(h));
  }
  best_of_pair_.assign(number.size(), 0.0);
}

bool Consensus::agree(const Rigid3& a_from_b, const Rigid3& other) const {
  // trace = 1 + 2 cos: no need for the angle itself.
  if ((a_from_b.rotation.cwiseProduct(other.rotation).sum() - 1) / 2 < least_cosine_) return false;
  return difference(a_from_b, other).shift <= shift_limit_;
}

std::vector<double> Consensus::priorities() const {
  std::vector<double> priority(hypotheses_.size());
  for (std::size_t h = 0; h < hypotheses_.size(); ++h) {
    const Hypothesis& ab = hypotheses_[h];
    priority[h] = ab.evidence;
    std::map<int, double> best_through;  // third part -> what its triangle adds
    for (const int second : at_part_[static_cast<std::size_t>(ab.a)]) {
      const Hypothesis& ac = hypotheses_[static_cast<std::size_t>(second)];
      const int c = ac.a == ab.a ? ac.b : ac.a;
      if (c == ab.b) continue;
      const Rigid3 a_from_c = ac.a == ab.a ? ac.a_from_b : ac.a_from_b.inverse();
      for (const int third : at_part_[static_cast<std::size_t>(ab.b)]) {
        const Hypothesis& bc = hypotheses_[static_cast<std::size_t>(third)];
        if ((bc.a == ab.b ? bc.b : bc.a) != c) continue;
        const Rigid3 b_from_c = bc.a == ab.b ? bc.a_from_b : bc.a_from_b.inverse();
        if (!agree(a_from_c, ab.a_from_b * b_from_c)) continue;
        double& best = best_through[c];
        best = std::max(best, options_.agreement_bonus + ac.evidence + bc.evidence);
      }
    }
    for (const auto& [c, evidence] : best_through) priority[h] += evidence;
  }
  return priority;
}

std::map<int, std::vector<Consensus::Crossing>> Consensus::crossings(const Choice& choice, int stays,
                                                                     int only) const {
  std::map<int, std::vector<Crossing>> found;
  for (int i = 0; i < parts_; ++i) {
    if (group_of(choice, i) != stays) continue;
    for (const int h : at_part_[static_cast<std::size_t>(i)]) {
      const Hypothesis& joint = hypotheses_[static_cast<std::size_t>(h)];
      const int j = joint.a == i ? joint.b : joint.a;
      const int moves = group_of(choice, j);
      if (moves == stays || (only >= 0 && moves != only)) continue;
      const Rigid3 i_from_j = joint.a == i ? joint.a_from_b : joint.a_from_b.inverse();
      const Eigen::Vector3d middle_in_i = i_from_j.translation / 2;
      found[moves].push_back(
          {h, pair_[static_cast<std::size_t>(h)], joint.evidence + options_.agreement_bonus,
           pose_of(choice, i) * i_from_j * pose_of(choice, j).inverse(), pose_of(choice, i) * middle_in_i,
           pose_of(choice, j) * (i_from_j.inverse() * middle_in_i)});
    }
  }
  return found;
}

double Consensus::gain(std::span<const Crossing> crossings, const Rigid3& motion) const {
  double sum = -options_.agreement_bonus;
  for (const Crossing& crossing : crossings) best_of_pair_[static_cast<std::size_t>(crossing.pair)] = 0;
  for (const Crossing& crossing : crossings) {
    if ((crossing.motion.rotation.cwiseProduct(motion.rotation).sum() - 1) / 2 < least_cosine_) continue;
    if ((motion * crossing.middle_moving - crossing.middle_staying).norm() > shift_limit_) continue;
    // Of the hypotheses of one pair only the best counts.
    double& best = best_of_pair_[static_cast<std::size_t>(crossing.pair)];
    if (crossing.value <= best) continue;
    sum += crossing.value - best;
    best = crossing.value;
  }
  return sum;
}

bool Consensus::stands(const Choice& choice, int stays, int moves, const Rigid3& motion) const {
  if (!check_) return true;
  for (int i = 0; i < parts_; ++i) {
    if (group_of(choice, i) != stays) continue;
    for (int j = 0; j < parts_; ++j) {
      if (group_of(choice, j) != moves) continue;
      if (!check_(i, j, pose_of(choice, i).inverse() * motion * pose_of(choice, j))) return false;
    }
  }
  return true;
}

Choice Consensus::grown(std::span<const double> priority) const {
  Choice choice;
  choice.world_from_part.resize(static_cast<std::size_t>(parts_));
  for (int i = 0; i < parts_; ++i) choice.group.push_back(i);
  // For every two groups the best join; only those of a group that has changed are looked for again.
  struct Join {
    int h = -1;
    double order = 0;
    double gain = 0;
    int stays = -1;
    int moves = -1;
    Rigid3 motion;
  };
  std::map<std::pair<int, int>, Join> joins;
  const auto look_for = [&](int g, int k, std::span<const Crossing> between) {
    std::vector<Join> likely;
    for (const Crossing& crossing : between) {
      const auto h = static_cast<std::size_t>(crossing.h);
      const double value = gain(between, crossing.motion);
      const double order = value + priority[h] - hypotheses_[h].evidence;
      if (value >= options_.least_evidence)
        likely.push_back({crossing.h, order, value, g, k, crossing.motion});
    }
    // The check is what costs time: the best that passes it is enough.
    std::stable_sort(likely.begin(), likely.end(),
                     [](const Join& x, const Join& y) { return x.order > y.order; });
    for (const Join& join : likely) {
      if (!stands(choice, g, k, join.motion)) continue;
      joins[std::minmax(g, k)] = join;
      break;
    }
  };
  for (int g = 0; g < parts_; ++g) {
    for (const auto& [k, between] : crossings(choice, g)) {
      if (k > g) look_for(g, k, between);
    }
  }
  while (!joins.empty()) {
    const auto best = std::max_element(joins.begin(), joins.end(), [](const auto& x, const auto& y) {
      return x.second.order < y.second.order;
    });
    const int stays = best->second.stays;
    const int moved = best->second.moves;
    move_group(choice, moved, stays, best->second.motion);
    choice.forest.push_back(best->second.h);
    for (auto it = joins.begin(); it != joins.end();) {
      const auto [g, k] = it->first;
      const bool touched = g == stays || k == stays || g == moved || k == moved;
      it = touched ? joins.erase(it) : std::next(it);
    }
    for (const auto& [k, between] : crossings(choice, stays)) look_for(stays, k, between);
  }
  finish(choice);
  return choice;
}

bool Consensus::recut(Choice& choice, std::size_t join) const {
  // Without the join its group falls in two: `cut` is the side of b.
  DisjointSets sets(parts_);
  for (std::size_t k = 0; k < choice.forest.size(); ++k) {
    const Hypothesis& joint = hypotheses_[static_cast<std::size_t>(choice.forest[k])];
    if (k != join) sets.join(joint.a, joint.b);
  }
  const int old_h = choice.forest[join];
  const Hypothesis& old_joint = hypotheses_[static_cast<std::size_t>(old_h)];
  const int stays = group_of(choice, old_joint.a);
  const int cut = parts_;  // a number that no group has
  Choice trial = choice;
  for (int i = 0; i < parts_; ++i) {
    if (sets.find(i) == sets.find(old_joint.b)) trial.group[static_cast<std::size_t>(i)] = cut;
  }
  const std::vector<Crossing> between = crossings(trial, stays, cut)[cut];
  double best = gain(between, Rigid3{}) + 1e-9;
  int best_h = -1;
  Rigid3 best_motion;
  for (const Crossing& crossing : between) {
    const double value = gain(between, crossing.motion);
    if (value <= best || !stands(trial, stays, cut, crossing.motion)) continue;
    best = value;
    best_h = crossing.h;
    best_motion = crossing.motion;
  }
  if (best_h < 0) return false;
  move_group(trial, cut, stays, best_motion);
  trial.forest[join] = best_h;
  choice = std::move(trial);
  return true;
}

Choice Consensus::improved(Choice choice) const {
  for (int sweep = 0; sweep < 8; ++sweep) {
    bool changed = false;
    for (std::size_t join = 0; join < choice.forest.size(); ++join) changed = recut(choice, join) || changed;
    if (!changed) break;
  }
  finish(choice);
  return choice;
}

void Consensus::finish(Choice& choice) const {
  choice.agrees.assign(hypotheses_.size(), false);
  std::map<std::pair<int, int>, double> best;
  for (std::size_t h = 0; h < hypotheses_.size(); ++h) {
    const Hypothesis& joint = hypotheses_[h];
    if (group_of(choice, joint.a) != group_of(choice, joint.b)) continue;
    if (!agree(joint.a_from_b, pose_of(choice, joint.a).inverse() * pose_of(choice, joint.b))) continue;
    choice.agrees[h] = true;
    double& value = best[std::minmax(joint.a, joint.b)];
    value = std::max(value, joint.evidence + options_.agreement_bonus);
  }
  choice.score = -options_.agreement_bonus * static_cast<double>(choice.forest.size());
  for (const auto& [pair, value] : best) choice.score += value;
}

bool Consensus::has_contradictions(const Choice& choice) const {
  for (std::size_t h = 0; h < hypotheses_.size(); ++h) {
    if (!choice.agrees[h] && hypotheses_[h].evidence > options_.least_evidence) return true;
  }
  return false;
}

}  // namespace pmtr
