// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/local_to_global.h"

#include <cmath>

#include "pmtr/pose/procrustes.h"

namespace pmtr {
namespace {

struct Pairs {
  std::vector<Eigen::Vector3d> source;
  std::vector<Eigen::Vector3d> target;
  std::vector<double> scores;
};

bool agrees(const Pairs& pairs, std::size_t i, const Rigid3& source_from_target, double radius) {
  return (pairs.source[i] - source_from_target * pairs.target[i]).norm() < radius;
}

/// The scores of the correspondences that agree with a pose; zero for the others.
std::vector<double> agreeing_scores(const Pairs& pairs, const Rigid3& source_from_target, double radius) {
  std::vector<double> scores(pairs.scores.size(), 0.0);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (agrees(pairs, i, source_from_target, radius)) scores[i] = pairs.scores[i];
  }
  return scores;
}

int count_agreeing(const Pairs& pairs, const Rigid3& source_from_target, double radius) {
  int count = 0;
  for (std::size_t i = 0; i < pairs.scores.size(); ++i)
    count += agrees(pairs, i, source_from_target, radius) ? 1 : 0;
  return count;
}

}  // namespace

RegistrationOptions RegistrationOptions::reference() {
  RegistrationOptions options;
  options.acceptance_radius = 0.1;
  options.min_rank_ratio = 0.0;
  options.always_answer = true;
  return options;
}

Status RegistrationOptions::validate() const {
  const auto bad = [](const char* message) { return Error{Cause::invalid_option, message, {}}; };
  if (min_patch_correspondences < 3) return bad("a pose needs at least 3 correspondences");
  if (!(acceptance_radius > 0.0) || !std::isfinite(acceptance_radius))
    return bad("the acceptance radius must be positive");
  if (refinement_steps < 1) return bad("at least one refinement step is needed");
  if (!(min_rank_ratio >= 0.0 && min_rank_ratio <= 1.0)) return bad("the least rank ratio must be in [0, 1]");
  return {};
}

std::optional<Registration> register_local_to_global(std::span<const Eigen::Vector3f> source_points,
                                                     std::span<const Eigen::Vector3f> target_points,
                                                     std::span<const Correspondence> correspondences,
                                                     const RegistrationOptions& options) {
  Pairs pairs;
  for (const Correspondence& c : correspondences) {
    pairs.source.push_back(source_points[static_cast<std::size_t>(c.source)].cast<double>());
    pairs.target.push_back(target_points[static_cast<std::size_t>(c.target)].cast<double>());
    pairs.scores.push_back(c.score);
  }

  Registration registration;
  std::optional<Rigid3> best;
  int best_count = -1;
  const auto size = correspondences.size();
  for (std::size_t begin = 0; begin < size;) {
    std::size_t end = begin + 1;
    while (end < size && correspondences[end].patch == correspondences[begin].patch) ++end;
    const std::size_t count = end - begin;
    if (count >= static_cast<std::size_t>(options.min_patch_correspondences)) {
      const ProcrustesFit fit = fit_procrustes(std::span(pairs.source).subspan(begin, count),
                                               std::span(pairs.target).subspan(begin, count),
                                               std::span(pairs.scores).subspan(begin, count));
      if (fit.rank_ratio() >= options.min_rank_ratio) {
        ++registration.hypotheses;
        const int agreeing = count_agreeing(pairs, fit.a_from_b, options.acceptance_radius);
        if (agreeing > best_count) {
          best_count = agreeing;
          best = fit.a_from_b;
        }
      }
    }
    begin = end;
  }
  if (!best && !options.always_answer) return std::nullopt;
  if (!best) best = fit_procrustes(pairs.source, pairs.target, pairs.scores).a_from_b;

  ProcrustesFit fit;
  fit.a_from_b = *best;
  for (int step = 0; step < options.refinement_steps; ++step) {
    fit = fit_procrustes(pairs.source, pairs.target,
                         agreeing_scores(pairs, fit.a_from_b, options.acceptance_radius));
  }
  if (!options.always_answer && fit.rank_ratio() < options.min_rank_ratio) return std::nullopt;

  registration.a_from_b = fit.a_from_b;
  registration.rank_ratio = fit.rank_ratio();
  double agreeing = 0.0;
  double total = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    total += pairs.scores[i];
    if (!agrees(pairs, i, fit.a_from_b, options.acceptance_radius)) continue;
    ++registration.inliers;
    agreeing += pairs.scores[i];
  }
  registration.inlier_share = total > 0.0 ? agreeing / total : 0.0;
  return registration;
}

}  // namespace pmtr
