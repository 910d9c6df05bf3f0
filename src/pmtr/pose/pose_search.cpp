// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/pose_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "pmtr/core/random.h"
#include "pmtr/pose/confidence.h"
#include "pmtr/pose/mating_icp.h"
#include "pmtr/pose/pose_clusters.h"
#include "pmtr/pose/surface_score.h"

namespace pmtr {
namespace {

// Guesses that survived are nearly right: a wide reach would only let other faces pull them away.
constexpr IcpRound search_round = {.steps = 8, .first_tolerance = 1.6, .last_tolerance = 1.0, .points = 200};
constexpr IcpRound coarse_round = {.steps = 8, .first_tolerance = 3.0, .last_tolerance = 1.5, .points = 200};
constexpr IcpRound middle_round = {.steps = 8, .first_tolerance = 1.5, .last_tolerance = 0.7, .points = 500};
constexpr IcpRound fine_round = {.steps = 6, .first_tolerance = 0.7, .last_tolerance = 0.4, .points = 2000};

// Of the best rating: a refined pose with less is dropped.
constexpr float least_share = 0.4F;

/// Indices of the `limit` best scores, best first; ties by index, so that the order never depends on threads.
std::vector<std::size_t> best_of(const std::vector<float>& scores, std::size_t limit, float least) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > least) order.push_back(i);
  }
  const auto better = [&](std::size_t x, std::size_t y) {
    return scores[x] != scores[y] ? scores[x] > scores[y] : x < y;
  };
  if (order.size() > limit) {
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(limit), order.end(), better);
    order.resize(limit);
  }
  std::sort(order.begin(), order.end(), better);
  return order;
}

template <class Rate>
std::vector<float> rate_all(std::size_t count, std::int64_t grain, Threads& threads, const Rate& rate) {
  std::vector<float> scores(count);
  threads.parallel_for(static_cast<std::int64_t>(count), grain, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      scores[i] = rate(i);
  });
  return scores;
}

ScoreTolerance tolerance(float spacing, float plane, float depth) {
  return {plane * spacing, (0.5F * plane + 1.2F) * spacing, depth * spacing, 0.6F};
}

/// Nearly equal guesses share a cell, and only the best of them is worth more work.
std::array<std::int16_t, 9> cell_of(const PoseHypothesis& h, const OrientedCloud& b, float spacing) {
  const Eigen::Vector3f centre = h.rotation * b.centre.cast<float>() + h.translation;
  const float reach = 2.0F * static_cast<float>(std::sqrt(b.covariance.trace()));
  std::array<std::int16_t, 9> cell{};
  for (Eigen::Index k = 0; k < 3; ++k) {
    const auto at = static_cast<std::size_t>(3 * k);
    const auto round = [&](float length) {
      return static_cast<std::int16_t>(std::lround(length / (2.0F * spacing)));
    };
    cell[at] = round(centre[k]);
    cell[at + 1] = round(reach * h.rotation(k, 0));
    cell[at + 2] = round(reach * h.rotation(k, 1));
  }
  return cell;
}

std::vector<Rigid3> reorder(const std::vector<Rigid3>& poses, const std::vector<std::size_t>& order) {
  std::vector<Rigid3> result;
  result.reserve(order.size());
  for (const std::size_t i : order) result.push_back(poses[i]);
  return result;
}

/// Very many guesses: from the borders of the fractures, then from pairs of points on them.
std::vector<PoseHypothesis> first_guesses(const OrientedCloud& a, const OrientedCloud& b,
                                          const PoseSearchOptions& options, Threads& threads) {
  std::vector<PoseHypothesis> guesses;
  std::vector<PoseHypothesis> pairs;
  threads.parallel_for(2, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      if (k == 0) pairs = point_pair_hypotheses(a, b, options.point_pairs, Random(options.seed, 3));
      if (k == 1)
        guesses = border_hypotheses(a, b, static_cast<std::size_t>(options.border_hypotheses),
                                    Random(options.seed, 2));
    }
  });
  guesses.insert(guesses.end(), pairs.begin(), pairs.end());
  return guesses;
}

/// The stages of one search: each takes poses and leaves fewer or better ones.
class PoseSearch {
 public:
  PoseSearch(const OrientedCloud& a, const OrientedCloud& b, const PoseSearchOptions& options,
             Threads& threads)
      : a_(a),
        b_(b),
        options_(options),
        threads_(threads),
        spacing_(std::max(a.spacing, b.spacing)),
        surfaces_(a, b, options.blind(), Random(options.seed, 1)) {}

  /// The best guesses on few points; of nearly equal ones the best.
  std::vector<PoseHypothesis> rate_quickly(const std::vector<PoseHypothesis>& guesses) const {
    const ScoreTolerance wide = tolerance(spacing_, 1.0F, 1.5F);
    const auto quick = [&](const PoseHypothesis& guess, int points) {
      return surfaces_.quick(guess, points, wide);
    };
    // On a third of the points first: nine of ten that touch where they were made touch nowhere else.
    const auto first = rate_all(guesses.size(), 512, threads_,
                                [&](std::size_t i) { return quick(guesses[i], options_.quick_points / 3); });
    const std::vector<std::size_t> better =
        best_of(first, 6 * static_cast<std::size_t>(options_.rated), 0.0F);
    const auto scores = rate_all(better.size(), 128, threads_, [&](std::size_t k) {
      return quick(guesses[better[k]], options_.quick_points);
    });
    std::vector<PoseHypothesis> rated;
    std::set<std::array<std::int16_t, 9>> taken;
    for (const std::size_t k : best_of(scores, scores.size(), 0.0F)) {
      if (rated.size() == static_cast<std::size_t>(options_.rated)) break;
      const PoseHypothesis& guess = guesses[better[k]];
      if (taken.insert(cell_of(guess, b_, spacing_)).second) rated.push_back(guess);
    }
    return rated;
  }

  /// The best distinct ones on both surfaces, with penetration.
  std::vector<Rigid3> rate_guesses(std::vector<PoseHypothesis> guesses) const {
    const ScoreTolerance wide = tolerance(spacing_, 1.0F, 1.5F);
    // Of many, on a quarter of the points first.
    if (const std::size_t some = 3 * static_cast<std::size_t>(options_.refined); guesses.size() > 2 * some) {
      std::vector<PoseHypothesis> better;
      for (const std::size_t i : best_of(rate(guesses, 32, 64, wide), some, -1e9F))
        better.push_back(guesses[i]);
      guesses = std::move(better);
    }
    std::vector<Rigid3> poses;
    for (const PoseHypothesis& guess : guesses) poses.push_back(guess.pose());
    return thin(poses, rate(guesses, 32, 250, wide), options_.refined);
  }

  /// The same for poses that were refined, and may be judged more sharply.
  std::vector<Rigid3> rate_poses(const std::vector<Rigid3>& poses, std::size_t points,
                                 const ScoreTolerance& sharp, int limit) const {
    std::vector<PoseHypothesis> guesses;
    for (const Rigid3& pose : poses) guesses.push_back(PoseHypothesis::of(pose));
    std::vector<float> scores = rate(guesses, 8, points, sharp);
    // What has far less than the best is not worth more work.
    const float best = scores.empty() ? 0.0F : *std::max_element(scores.begin(), scores.end());
    std::vector<Rigid3> worth;
    std::vector<float> kept;
    for (std::size_t i = 0; i < poses.size(); ++i) {
      if (best > 0.0F && scores[i] < least_share * best) continue;
      worth.push_back(poses[i]);
      kept.push_back(scores[i]);
    }
    return thin(worth, kept, limit);
  }

  void refine(std::vector<Rigid3>& poses, const IcpRound& round) const {
    threads_.parallel_for(
        static_cast<std::int64_t>(poses.size()), 4, [&](std::int64_t begin, std::int64_t end) {
          for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
            poses[i] = refine_mating(a_, b_, poses[i], round).a_from_b;
        });
  }

 private:
  std::vector<float> rate(const std::vector<PoseHypothesis>& guesses, std::int64_t grain, std::size_t points,
                          const ScoreTolerance& sharp) const {
    const auto weight = static_cast<float>(options_.penetration_weight);
    return rate_all(guesses.size(), grain, threads_,
                    [&](std::size_t i) { return surfaces_.full(guesses[i], points, sharp, weight); });
  }

  std::vector<Rigid3> thin(const std::vector<Rigid3>& poses, const std::vector<float>& scores,
                           int limit) const {
    const std::vector<Rigid3> ordered = reorder(poses, best_of(scores, poses.size(), -1e9F));
    return reorder(ordered, distinct_poses(b_, ordered, 2.0 * static_cast<double>(spacing_),
                                           static_cast<std::size_t>(limit)));
  }

  const OrientedCloud& a_;
  const OrientedCloud& b_;
  const PoseSearchOptions& options_;
  Threads& threads_;
  float spacing_;
  SurfaceScore surfaces_;
};

}  // namespace

Status PoseSearchOptions::validate() const {
  const auto bad = [](const char* message) { return Error{Cause::invalid_option, message, {}}; };
  if (border_hypotheses < 0 || point_pairs.draws < 0)
    return bad("numbers of hypotheses must not be negative");
  if (point_pairs.seeds < 2 || point_pairs.seeds > 4000) return bad("the number of seeds must be 2 to 4000");
  if (point_pairs.hits_per_draw < 1) return bad("a draw must be allowed at least one hit");
  if (!(point_pairs.min_distance > 0.0)) return bad("the two points of a pair must be apart");
  if (!(point_pairs.distance_step > 0.0) || !(point_pairs.angle_step > 0.01))
    return bad("steps of the point-pair features must be positive");
  if (quick_points < 16) return bad("a first rating needs at least 16 points");
  if (rated < 1 || refined < 1 || verified < 1 || kept < 1)
    return bad("every stage must keep at least one pose");
  if (!(penetration_weight >= 0.0)) return bad("the weight of penetration must not be negative");
  return {};
}

PoseSearchOptions PoseSearchOptions::brief() {
  PoseSearchOptions options;
  options.border_hypotheses = 20000;
  options.point_pairs.seeds = 160;
  options.point_pairs.draws = 3000;
  options.point_pairs.hits_per_draw = 4;
  options.rated = 250;
  options.refined = 24;
  options.verified = 3;
  options.kept = 1;
  return options;
}

PoseSearchOptions PoseSearchOptions::only_hints() const {
  PoseSearchOptions options = *this;
  options.border_hypotheses = 0;
  options.point_pairs.draws = 0;
  return options;
}

PoseSearchOptions PoseSearchOptions::scaled_to(const OrientedCloud& a, const OrientedCloud& b) const {
  // From about this many fracture points on both sides all of the effort pays.
  constexpr double whole_effort = 1000.0;
  const double points =
      std::sqrt(static_cast<double>(a.fracture.size()) * static_cast<double>(b.fracture.size()));
  const double share = std::clamp(points / whole_effort, 0.05, 1.0);
  const auto part = [&](int count, int least) {
    return std::min(count, std::max(least, static_cast<int>(std::lround(share * count))));
  };
  PoseSearchOptions scaled = *this;
  scaled.border_hypotheses = part(border_hypotheses, 4000);
  scaled.point_pairs.draws = part(point_pairs.draws, 1000);
  scaled.rated = part(rated, 100);
  scaled.refined = part(refined, 12);
  scaled.verified = part(verified, 8);
  return scaled;
}

Rigid3 refine_pose(const OrientedCloud& a, const OrientedCloud& b, const Rigid3& a_from_b) {
  Rigid3 pose = a_from_b;
  for (const IcpRound& round : {coarse_round, middle_round, fine_round})
    pose = refine_mating(a, b, pose, round).a_from_b;
  return pose;
}

PoseCandidate verify_pose(const OrientedCloud& a, const OrientedCloud& b, const Rigid3& a_from_b) {
  PoseCandidate candidate{a_from_b, measure_joint(a, b, a_from_b, EvidenceOptions{}), 0.0};
  candidate.confidence = ConfidenceModel::fitted().confidence(joint_features(a, b, candidate.evidence));
  return candidate;
}

namespace {

/// The poses that are worth a verification; b is not the larger one.
std::vector<Rigid3> likely_poses(const OrientedCloud& a, const OrientedCloud& b,
                                 std::span<const Rigid3> hints, const PoseSearchOptions& options,
                                 Threads& threads) {
  const float spacing = std::max(a.spacing, b.spacing);
  const PoseSearch search(a, b, options, threads);
  std::vector<PoseHypothesis> guesses;
  if (options.blind()) guesses = search.rate_quickly(first_guesses(a, b, options, threads));
  for (const Rigid3& pose : hints) guesses.push_back(PoseHypothesis::of(pose));
  std::vector<Rigid3> poses = search.rate_guesses(std::move(guesses));
  search.refine(poses, search_round);
  poses = search.rate_poses(poses, 500, tolerance(spacing, 1.0F, 1.5F), 3 * options.verified);
  search.refine(poses, middle_round);
  poses = search.rate_poses(poses, 2000, tolerance(spacing, 0.7F, 1.2F), options.verified);
  search.refine(poses, fine_round);
  return poses;
}

std::vector<Rigid3> inverses(std::span<const Rigid3> poses) {
  std::vector<Rigid3> result;
  for (const Rigid3& pose : poses) result.push_back(pose.inverse());
  return result;
}

}  // namespace

std::vector<PoseCandidate> search_poses(const OrientedCloud& a, const OrientedCloud& b,
                                        std::span<const Rigid3> hints, const PoseSearchOptions& most,
                                        Threads& threads) {
  if (a.fracture.size() < 6 || b.fracture.size() < 6) return {};
  if (!most.blind() && hints.empty()) return {};
  const PoseSearchOptions options = most.scaled_to(a, b);
  // Points are drawn from b and looked at on a: most of those of the smaller break lie in the contact.
  const auto area = [](const OrientedCloud& cloud) {
    return static_cast<double>(cloud.fracture.size()) * cloud.point_area();
  };
  const std::vector<Rigid3> poses = area(b) > 1.5 * area(a)
                                        ? inverses(likely_poses(b, a, inverses(hints), options, threads))
                                        : likely_poses(a, b, hints, options, threads);
  std::vector<PoseCandidate> candidates(poses.size());
  threads.parallel_for(static_cast<std::int64_t>(poses.size()), 1, [&](std::int64_t begin, std::int64_t end) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
      candidates[i] = verify_pose(a, b, poses[i]);
  });
  // The surest first, and only distinct ones.
  std::stable_sort(candidates.begin(), candidates.end(), [](const PoseCandidate& x, const PoseCandidate& y) {
    return x.confidence > y.confidence;
  });
  std::vector<Rigid3> ordered;
  for (const PoseCandidate& c : candidates) ordered.push_back(c.a_from_b);
  const double apart = 3.0 * static_cast<double>(std::max(a.spacing, b.spacing));
  std::vector<PoseCandidate> result;
  for (const std::size_t i : distinct_poses(b, ordered, apart, static_cast<std::size_t>(options.kept)))
    result.push_back(candidates[i]);
  return result;
}

}  // namespace pmtr
