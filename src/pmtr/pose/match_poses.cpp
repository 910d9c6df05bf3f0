// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/match_poses.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "pmtr/core/random.h"
#include "pmtr/pose/procrustes.h"

namespace pmtr {
namespace {

/// One axis along the line between two points, one along the mean of their normals across it; nothing where
/// the normals say nothing about the turn around that line.
std::optional<Eigen::Matrix3f> frame_of(const Eigen::Vector3f& p, const Eigen::Vector3f& n,
                                        const Eigen::Vector3f& q, const Eigen::Vector3f& m) {
  const Eigen::Vector3f u = (q - p).normalized();
  Eigen::Vector3f across = n + m;
  across -= across.dot(u) * u;
  const float length = across.norm();
  if (length < 0.3F) return std::nullopt;
  Eigen::Matrix3f axes;
  axes.col(0) = u;
  axes.col(1) = across / length;
  axes.col(2) = u.cross(axes.col(1));
  return axes;
}

struct Judge {
  std::span<const OrientedMatch> matches;
  float squared_distance;
  float least_facing;

  bool agrees(const OrientedMatch& m, const Eigen::Matrix3f& rotation, const Eigen::Vector3f& shift) const {
    return (rotation * m.b + shift - m.a).squaredNorm() < squared_distance &&
           -m.normal_a.dot(rotation * m.normal_b) > least_facing;
  }
  float score(const Eigen::Matrix3f& rotation, const Eigen::Vector3f& shift) const {
    float sum = 0.0F;
    for (const OrientedMatch& m : matches) sum += agrees(m, rotation, shift) ? m.score : 0.0F;
    return sum;
  }
};

struct Guess {
  Eigen::Matrix3f rotation;
  Eigen::Vector3f shift;
  float score = 0.0F;
};

/// Fits all matches that agree, a few times; nothing if they do not determine a pose.
std::optional<MatchPose> settled(const Guess& guess, const Judge& judge, const MatchPoseOptions& options) {
  Rigid3 pose{guess.rotation.cast<double>(), guess.shift.cast<double>()};
  MatchPose result;
  double total = 0.0;
  for (const OrientedMatch& m : judge.matches) total += static_cast<double>(m.score);
  for (int step = 0; step < 4; ++step) {
    std::vector<Eigen::Vector3d> a, b;
    std::vector<double> weights;
    double sum = 0.0;
    int count = 0;
    const Eigen::Matrix3f rotation = pose.rotation.cast<float>();
    const Eigen::Vector3f shift = pose.translation.cast<float>();
    for (const OrientedMatch& m : judge.matches) {
      if (!judge.agrees(m, rotation, shift)) continue;
      // The crack of a thin wall is nearly a line: points before and behind both surfaces hold the turn
      // about it.
      for (const double side : {-options.agreement, options.agreement}) {
        a.push_back(m.a.cast<double>() + side * m.normal_a.cast<double>());
        b.push_back(m.b.cast<double>() - side * m.normal_b.cast<double>());
        weights.push_back(static_cast<double>(m.score));
      }
      sum += static_cast<double>(m.score);
      ++count;
    }
    if (count < 4) return std::nullopt;
    // Weights that sum to one leave the fit's guard against zero no say.
    for (double& w : weights) w *= 1e6 / sum;
    const ProcrustesFit fit = fit_procrustes(a, b, weights);
    if (fit.rank_ratio() < options.min_rank_ratio) return std::nullopt;
    pose = fit.a_from_b;
    result = {pose, count, sum / total};
  }
  return result;
}

}  // namespace

Status MatchPoseOptions::validate() const {
  const auto bad = [](const char* message) { return Error{Cause::invalid_option, message, {}}; };
  if (draws < 1 || kept < 1) return bad("at least one pose must be drawn and kept");
  if (!(apart > 0.0 && reach > apart))
    return bad("the reach of two matches must be more than their distance");
  if (!(agreement > 0.0)) return bad("the agreement of a match must be a positive length");
  if (!(least_facing >= -1.0 && least_facing < 1.0)) return bad("the facing of a match must be in [-1, 1)");
  if (!(min_rank_ratio >= 0.0 && min_rank_ratio <= 1.0)) return bad("the least rank ratio must be in [0, 1]");
  return {};
}

std::vector<MatchPose> poses_from_matches(std::span<const OrientedMatch> matches,
                                          const MatchPoseOptions& options) {
  std::vector<MatchPose> result;
  if (matches.size() < 4) return result;
  const Judge judge{matches, static_cast<float>(options.agreement * options.agreement),
                    static_cast<float>(options.least_facing)};
  // Guesses are rated on a part of the matches: enough to find the few that are worth a whole look.
  std::vector<OrientedMatch> some;
  const std::size_t step = std::max<std::size_t>(1, matches.size() / 400);
  for (std::size_t i = 0; i < matches.size(); i += step) some.push_back(matches[i]);
  const Judge quick{some, judge.squared_distance, judge.least_facing};

  Random random(options.seed, 17);
  const auto near = static_cast<float>(options.apart);
  const auto far = static_cast<float>(options.reach);
  const auto tolerance = static_cast<float>(2.0 * options.agreement);
  std::vector<Guess> guesses;
  for (int draw = 0; draw < 40 * options.draws && static_cast<int>(guesses.size()) < options.draws; ++draw) {
    const OrientedMatch& x = matches[random.below(matches.size())];
    const OrientedMatch& y = matches[random.below(matches.size())];
    const float length_a = (x.a - y.a).norm();
    const float length_b = (x.b - y.b).norm();
    if (length_a < near || length_a > far || std::abs(length_a - length_b) > tolerance) continue;
    // Two surfaces that touch are one seen from its two sides: the angle between normals is the same.
    if (std::abs(x.normal_a.dot(y.normal_a) - x.normal_b.dot(y.normal_b)) > 0.3F) continue;
    const auto axes_a = frame_of(x.a, x.normal_a, y.a, y.normal_a);
    const auto axes_b = frame_of(x.b, -x.normal_b, y.b, -y.normal_b);
    if (!axes_a || !axes_b) continue;
    Guess guess;
    guess.rotation = *axes_a * axes_b->transpose();
    guess.shift = 0.5F * (x.a + y.a) - guess.rotation * (0.5F * (x.b + y.b));
    guess.score = quick.score(guess.rotation, guess.shift);
    guesses.push_back(guess);
  }
  std::stable_sort(guesses.begin(), guesses.end(),
                   [](const Guess& x, const Guess& y) { return x.score > y.score; });
  const std::size_t looked_at = std::min(guesses.size(), 12 * static_cast<std::size_t>(options.kept));
  for (std::size_t i = 0; i < looked_at; ++i) {
    const auto pose = settled(guesses[i], judge, options);
    if (!pose) continue;
    const bool known = std::any_of(result.begin(), result.end(), [&](const MatchPose& other) {
      return rotation_angle(other.a_from_b.rotation, pose->a_from_b.rotation) < 0.1 &&
             (other.a_from_b.translation - pose->a_from_b.translation).norm() < 3.0 * options.agreement;
    });
    if (!known) result.push_back(*pose);
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const MatchPose& x, const MatchPose& y) { return x.share > y.share; });
  if (result.size() > static_cast<std::size_t>(options.kept))
    result.resize(static_cast<std::size_t>(options.kept));
  return result;
}

}  // namespace pmtr
