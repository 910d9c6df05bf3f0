// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <map>
#include <span>
#include <vector>

#include "pmtr/averaging/choose_joints.h"
#include "pmtr/core/random.h"

namespace pmtr {

/// The moves that choose_joints is made of. The score of poses is the sum, over all pairs of parts, of the
/// best hypothesis that agrees with them (log odds plus bonus), less one bonus for each join, because the
/// joint that sets a pose agrees with itself.
class Consensus {
 public:
  Consensus(int parts, std::span<const Hypothesis> hypotheses, double object_size,
            const ChooseOptions& options, const PairCheck& check);

  /// Evidence of each hypothesis with that of the triangles it closes: an order to begin with.
  std::vector<double> priorities() const;
  /// Groups grown join by join. Between single parts the priorities count, later the evidence itself.
  Choice grown(std::span<const double> priority) const;
  /// Every join cut and made again in the best way, until nothing gets better.
  Choice improved(Choice choice) const;
  /// Is there a likely hypothesis that does not agree?
  bool has_contradictions(const Choice& choice) const;

 private:
  /// A hypothesis between two groups, as a motion of the second.
  struct Crossing {
    int h = 0;
    int pair = 0;
    double value = 0.0;
    Rigid3 motion;
    Eigen::Vector3d middle_staying;  ///< the place between its two parts, on the side that stays
    Eigen::Vector3d middle_moving;   ///< and on the side that moves, before it does
  };

  bool agree(const Rigid3& a_from_b, const Rigid3& other) const;
  /// Hypotheses between one group and others, by the other's number; with `only`, of that one alone.
  std::map<int, std::vector<Crossing>> crossings(const Choice& choice, int stays, int only = -1) const;
  /// What all hypotheses between the two groups say for a motion of the second.
  double gain(std::span<const Crossing> crossings, const Rigid3& motion) const;
  bool stands(const Choice& choice, int stays, int moves, const Rigid3& motion) const;
  void finish(Choice& choice) const;
  bool recut(Choice& choice, std::size_t join) const;

  int parts_;
  std::span<const Hypothesis> hypotheses_;
  double shift_limit_;
  double least_cosine_;
  const ChooseOptions& options_;
  const PairCheck& check_;
  std::vector<std::vector<int>> at_part_;     ///< hypotheses at each part that could ever help
  std::vector<int> pair_;                     ///< a number for each two parts, per hypothesis
  mutable std::vector<double> best_of_pair_;  ///< scratch of gain(): an object serves one thread
};

}  // namespace pmtr
