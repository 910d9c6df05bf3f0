// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/averaging/choose_joints.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pmtr/averaging/consensus.h"
#include "pmtr/core/check.h"

namespace pmtr {

Status ChooseOptions::validate() const {
  if (!(rotation_tolerance_deg > 0 && rotation_tolerance_deg <= 180))
    return invalid_option("rotation_tolerance_deg is above 0, to 180");
  if (!(shift_tolerance > 0)) return invalid_option("shift_tolerance is positive");
  if (!(agreement_bonus >= 0)) return invalid_option("agreement_bonus is not negative");
  if (!std::isfinite(least_evidence)) return invalid_option("least_evidence is a number");
  if (patience < 0 || patience > 10000) return invalid_option("patience is 0 to 10000");
  return {};
}

PoseDifference difference(const Rigid3& a_from_b, const Rigid3& other_a_from_b) {
  PoseDifference out;
  out.angle_deg = rotation_angle_deg(a_from_b.rotation, other_a_from_b.rotation);
  // Seen from either part, the turn of the other does less to the place between them than to its far end.
  const Eigen::Vector3d middle_in_a = a_from_b.translation / 2;
  const Eigen::Vector3d middle_in_b = a_from_b.inverse() * middle_in_a;
  out.shift = (other_a_from_b * middle_in_b - middle_in_a).norm();
  return out;
}

Choice choose_joints(int parts, std::span<const Hypothesis> hypotheses, double object_size,
                     const ChooseOptions& options, const PairCheck& check) {
  const Status valid = options.validate();
  PMTR_CHECK(valid.ok(), valid.error().message);
  for (const Hypothesis& h : hypotheses) {
    PMTR_CHECK(h.a >= 0 && h.b >= 0 && h.a < parts && h.b < parts && h.a != h.b,
               "a joint is between two parts");
  }
  const Consensus consensus(parts, hypotheses, object_size, options, check);
  const std::vector<double> priority = consensus.priorities();
  std::vector<double> shaken = priority;
  Choice best = consensus.improved(consensus.grown(shaken));
  std::uint64_t attempt = 0;
  for (int failures = 0; failures < options.patience && consensus.has_contradictions(best);) {
    Random random(options.seed, ++attempt);
    for (std::size_t h = 0; h < shaken.size(); ++h) {
      // Gumbel noise: the winner is drawn with odds as the evidence says.
      shaken[h] = priority[h] - 2.0 * std::log(-std::log(random.uniform(1e-12, 1.0)));
    }
    Choice other = consensus.improved(consensus.grown(shaken));
    if (other.score > best.score + 1e-9) {
      best = std::move(other);
      failures = 0;
    } else {
      ++failures;
    }
  }
  return best;
}

}  // namespace pmtr
