// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/frame_poses.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "pmtr/core/check.h"
#include "pmtr/pose/procrustes.h"

namespace pmtr {
namespace {

struct FrameGuess {
  Eigen::Matrix3f rotation;
  Eigen::Vector3f shift;
  float score = 0.0F;
};

/// The matches, coordinate by coordinate.
class FrameJudge {
 public:
  FrameJudge(const BreakCloud& a, const BreakCloud& b, std::span<const RowMatch> matches,
             const FramePoseOptions& options)
      : squared_(static_cast<float>(options.agreement * options.agreement)),
        facing_(static_cast<float>(options.least_facing)) {
    for (const RowMatch& m : matches) {
      const BreakPoint& p = a.points[static_cast<std::size_t>(m.a)];
      const BreakPoint& q = b.points[static_cast<std::size_t>(m.b)];
      a_.push_back(p.position);
      b_.push_back(q.position);
      a_normal_.push_back(p.z);
      b_normal_.push_back(q.z);
    }
  }

  std::size_t size() const { return a_.size(); }
  const Eigen::Vector3f& a(std::size_t i) const { return a_[i]; }
  const Eigen::Vector3f& b(std::size_t i) const { return b_[i]; }
  const Eigen::Vector3f& a_normal(std::size_t i) const { return a_normal_[i]; }
  const Eigen::Vector3f& b_normal(std::size_t i) const { return b_normal_[i]; }

  /// 1 for a match whose points meet, less the farther they are apart, 0 for one that does not agree.
  float rate(std::size_t i, const FrameGuess& guess) const {
    const float squared = (guess.rotation * b_[i] + guess.shift - a_[i]).squaredNorm();
    if (squared >= squared_) return 0.0F;
    if (-a_normal_[i].dot(guess.rotation * b_normal_[i]) < facing_) return 0.0F;
    return 1.0F - squared / squared_;
  }
  float rate(const FrameGuess& guess) const {
    float sum = 0.0F;
    for (std::size_t i = 0; i < a_.size(); ++i) sum += rate(i, guess);
    return sum;
  }

 private:
  float squared_, facing_;
  std::vector<Eigen::Vector3f> a_, b_, a_normal_, b_normal_;
};

FrameGuess guess_from_frames(const BreakPoint& a, const BreakPoint& b) {
  FrameGuess guess;
  guess.rotation = a.source_axes() * b.target_axes().transpose();
  guess.shift = a.position - guess.rotation * b.position;
  return guess;
}

/// One axis along the line between two points, one along the mean of their normals across it.
std::optional<Eigen::Matrix3f> axes_of_pair(const Eigen::Vector3f& p, const Eigen::Vector3f& n,
                                            const Eigen::Vector3f& q, const Eigen::Vector3f& m) {
  Eigen::Matrix3f axes;
  axes.col(0) = (q - p).normalized();
  Eigen::Vector3f across = n + m;
  across -= across.dot(axes.col(0)) * axes.col(0);
  const float length = across.norm();
  if (length < 0.3F) return std::nullopt;
  axes.col(1) = across / length;
  axes.col(2) = axes.col(0).cross(axes.col(1));
  return axes;
}

/// Poses of a match without frames and others that could stand beside it.
void guess_from_pairs(const BreakPoint& a, const BreakPoint& b, const FrameJudge& judge,
                      const FramePoseOptions& options, std::vector<FrameGuess>& guesses) {
  constexpr int enough = 4;
  int found = 0;
  for (std::size_t i = 0; i < judge.size() && found < enough; ++i) {
    const float length = (judge.a(i) - a.position).norm();
    if (length < static_cast<float>(options.nearest_pair) ||
        length > static_cast<float>(options.farthest_pair))
      continue;
    if (std::abs((judge.b(i) - b.position).norm() - length) > static_cast<float>(options.agreement)) continue;
    if (std::abs(judge.a_normal(i).dot(a.z) - judge.b_normal(i).dot(b.z)) > 0.3F) continue;
    const auto axes_a = axes_of_pair(a.position, a.z, judge.a(i), judge.a_normal(i));
    const auto axes_b = axes_of_pair(b.position, -b.z, judge.b(i), -judge.b_normal(i));
    if (!axes_a || !axes_b) continue;
    FrameGuess guess;
    guess.rotation = *axes_a * axes_b->transpose();
    guess.shift = 0.5F * (a.position + judge.a(i) - guess.rotation * (b.position + judge.b(i)));
    guesses.push_back(guess);
    ++found;
  }
}

/// Poses that nobody before is near to, at the middle of b's matched points.
class DistinctGuesses {
 public:
  DistinctGuesses(const Eigen::Vector3f& centre, float distance) : centre_(centre), distance_(distance) {}

  bool add(const FrameGuess& guess) {
    for (const FrameGuess& other : kept_) {
      // The trace of the turn between the two: 2.97 is about ten degrees.
      if ((guess.rotation.transpose() * other.rotation).trace() < 2.97F) continue;
      const Eigen::Vector3f apart =
          guess.rotation * centre_ + guess.shift - other.rotation * centre_ - other.shift;
      if (apart.norm() < distance_) return false;
    }
    kept_.push_back(guess);
    return true;
  }

 private:
  Eigen::Vector3f centre_;
  float distance_;
  std::vector<FrameGuess> kept_;
};

/// Fits the matches that agree, a few times. Points before and behind both surfaces hold the turn about a
/// break that is nearly a line, as that of a thin wall.
FrameGuess refit(FrameGuess guess, const FrameJudge& judge, double side) {
  std::vector<Eigen::Vector3d> a, b;
  std::vector<double> weights;
  for (int step = 0; step < 4; ++step) {
    a.clear(), b.clear(), weights.clear();
    for (std::size_t i = 0; i < judge.size(); ++i) {
      const float rating = judge.rate(i, guess);
      if (rating <= 0.0F) continue;
      for (const double s : {-side, side}) {
        a.push_back(judge.a(i).cast<double>() + s * judge.a_normal(i).cast<double>());
        b.push_back(judge.b(i).cast<double>() - s * judge.b_normal(i).cast<double>());
        // Large, so that the guard of the fit against a sum of zero has no say.
        weights.push_back(1e6 * static_cast<double>(rating));
      }
    }
    if (a.size() < 6) break;
    const ProcrustesFit fit = fit_procrustes(a, b, weights);
    if (fit.rank_ratio() < 1e-4) break;
    guess.rotation = fit.a_from_b.rotation.cast<float>();
    guess.shift = fit.a_from_b.translation.cast<float>();
  }
  guess.score = judge.rate(guess);
  return guess;
}

FramePose settled(const FrameGuess& guess, const FrameJudge& judge) {
  FramePose pose;
  // Rotations are products of rounded axes.
  pose.a_from_b.rotation = Eigen::Quaterniond(guess.rotation.cast<double>()).normalized().toRotationMatrix();
  pose.a_from_b.translation = guess.shift.cast<double>();
  pose.score = static_cast<double>(guess.score);
  for (std::size_t i = 0; i < judge.size(); ++i) {
    if (judge.rate(i, guess) > 0.0F) pose.agreeing.push_back(static_cast<std::int32_t>(i));
  }
  return pose;
}

void sort_by_score(std::vector<FrameGuess>& guesses) {
  std::stable_sort(guesses.begin(), guesses.end(),
                   [](const FrameGuess& x, const FrameGuess& y) { return x.score > y.score; });
}

}  // namespace

Status FramePoseOptions::validate() const {
  const auto bad = [](const char* message) { return Error{Cause::invalid_option, message, {}}; };
  if (!(agreement > 0.0)) return bad("the agreement of a match must be a positive length");
  if (!(least_facing >= -1.0 && least_facing < 1.0)) return bad("the facing of a match must be in [-1, 1)");
  if (refitted < 1 || kept < 1) return bad("at least one pose must be fitted and kept");
  if (!(nearest_pair > 0.0 && farthest_pair > nearest_pair))
    return bad("the reach of two matches must be more than their distance");
  return {};
}

std::vector<FramePose> poses_from_frames(const BreakCloud& a, const BreakCloud& b,
                                         std::span<const RowMatch> guesses, std::span<const RowMatch> matches,
                                         const FramePoseOptions& options) {
  std::vector<FramePose> result;
  if (matches.empty()) return result;
  const FrameJudge judge(a, b, matches, options);
  std::vector<FrameGuess> poses;
  for (const RowMatch& match : guesses) {
    const BreakPoint& p = a.points[static_cast<std::size_t>(match.a)];
    const BreakPoint& q = b.points[static_cast<std::size_t>(match.b)];
    if (p.has_x && q.has_x) {
      poses.push_back(guess_from_frames(p, q));
    } else {
      guess_from_pairs(p, q, judge, options, poses);
    }
  }
  for (FrameGuess& pose : poses) pose.score = judge.rate(pose);
  sort_by_score(poses);
  Eigen::Vector3f centre = Eigen::Vector3f::Zero();
  for (std::size_t i = 0; i < judge.size(); ++i) centre += judge.b(i) / static_cast<float>(judge.size());
  const auto apart = static_cast<float>(options.agreement);
  DistinctGuesses first(centre, apart);
  std::vector<FrameGuess> fitted;
  for (const FrameGuess& pose : poses) {
    if (fitted.size() >= static_cast<std::size_t>(options.refitted)) break;
    if (first.add(pose)) fitted.push_back(refit(pose, judge, options.agreement));
  }
  sort_by_score(fitted);
  DistinctGuesses last(centre, apart);
  for (const FrameGuess& pose : fitted) {
    if (result.size() >= static_cast<std::size_t>(options.kept)) break;
    if (last.add(pose)) result.push_back(settled(pose, judge));
  }
  return result;
}

std::vector<FramePose> poses_from_nearest(const BreakCloud& a, const BreakCloud& b,
                                          const NearestRows& nearest, const FramePoseOptions& options) {
  const std::vector<RowMatch> mutual = nearest.mutual();
  std::vector<RowMatch> guesses = nearest.of_a;
  for (const RowMatch& match : nearest.of_b) {
    if (nearest.of_a[static_cast<std::size_t>(match.a)].b != match.b) guesses.push_back(match);
  }
  return poses_from_frames(a, b, guesses, mutual, options);
}

}  // namespace pmtr
