// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/match_validation.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include <torch/types.h>

#include "pmtr/evaluate/metrics.h"
#include "pmtr/match/match_pair.h"
#include "pmtr/network/feature_tensor.h"
#include "pmtr/pose/frame_poses.h"
#include "pmtr/pose/local_to_global.h"
#include "pmtr/train/prepare_sample.h"

namespace pmtr {
namespace {

struct MatchOutcome {
  bool usable = false;
  double hits = 0.0, touching = 0.0;
  double mutual = 0.0, right_mutual = 0.0;
  double coarse = 0.0, right_coarse = 0.0;
  double by_frames = 0.0, by_registration = 0.0;
  double frames_rmse = 0.0, registration_rmse = 0.0;
  double self_cosine = 0.0;
};

FragmentFeatures features_of(const NetworkOutput& output, const MatchInput& input, Role role,
                             Threads& threads) {
  FragmentFeatures features;
  features.points = input.pyramid.levels[0].points;
  features.superpoints = input.pyramid.levels[2].points;
  features.patches = partition_points(features.points, features.superpoints, threads);
  RoleFeatures& own = role == Role::source ? features.as_source : features.as_target;
  own = {to_matrix(output.coarse_normalised), to_matrix(output.decoded.fine)};
  return features;
}

bool is_right(const Rigid3& pose, const Rigid3& truth) {
  return rotation_degrees(pose.rotation, truth.rotation) < 10.0 &&
         (pose.translation - truth.translation).norm() < 0.05;
}

MatchOutcome try_matches(const PmtrNetwork& network, const TrainingPair& pair, const PairTruthOptions& truth,
                         Threads& threads) {
  constexpr float near = 0.03F;
  MatchOutcome outcome;
  const auto sample = prepare_match_sample(pair, network, truth, BreakLabels::seen);
  if (!sample.ok()) return outcome;
  outcome.usable = true;
  // Where no pose is found, the fragments stay as they are.
  outcome.frames_rmse = outcome.registration_rmse =
      euler_rmse_degrees(Eigen::Matrix3d::Identity(), pair.source_from_target.rotation);
  const MatchInput& a = sample->source.match;
  const MatchInput& b = sample->target.match;
  if (a.empty() || b.empty()) return outcome;
  const torch::NoGradGuard no_grad;
  const Execution execution{&threads};
  const auto outputs = network.finish_pair(network.begin(a, Role::source, execution),
                                           network.begin(b, Role::target, execution), execution);
  const FragmentFeatures source = features_of(outputs[0], a, Role::source, threads);
  const FragmentFeatures target = features_of(outputs[1], b, Role::target, threads);
  const auto& pa = sample->truth.source_assembled;
  const auto& pb = sample->truth.target_assembled;
  const NearestRows nearest = find_nearest_rows(source.as_source.fine.values, target.as_target.fine.values,
                                                source.as_source.fine.columns, threads);
  const auto distance = [&](const RowMatch& match) {
    return (pa[static_cast<std::size_t>(match.a)] - pb[static_cast<std::size_t>(match.b)]).norm();
  };
  for (const RowMatch& match : nearest.of_a) {
    const Eigen::Vector3f& p = pa[static_cast<std::size_t>(match.a)];
    const bool touches =
        std::any_of(pb.begin(), pb.end(), [&](const Eigen::Vector3f& q) { return (p - q).norm() < 0.018F; });
    if (!touches) continue;
    outcome.touching += 1.0;
    outcome.hits += distance(match) < near ? 1.0 : 0.0;
  }
  const std::vector<RowMatch> mutual = nearest.mutual();
  outcome.mutual = static_cast<double>(mutual.size());
  for (const RowMatch& match : mutual) outcome.right_mutual += distance(match) < near ? 1.0 : 0.0;

  const PairMatches matches =
      match_pair(source, target, network.dustbin_score().item<float>(), MatchOptions{}, threads);
  outcome.coarse = static_cast<double>(matches.superpoints.size());
  for (const SuperpointMatch& match : matches.superpoints) {
    outcome.right_coarse += std::any_of(
        sample->truth.overlaps.begin(), sample->truth.overlaps.end(),
        [&](const PatchOverlap& o) { return o.source == match.source && o.target == match.target; });
  }
  const auto registered = register_local_to_global(source.points, target.points, matches.correspondences, {});
  outcome.by_registration = registered && is_right(registered->a_from_b, pair.source_from_target) ? 1.0 : 0.0;
  if (registered)
    outcome.registration_rmse =
        euler_rmse_degrees(registered->a_from_b.rotation, pair.source_from_target.rotation);
  const auto poses = poses_from_nearest(a.cloud, b.cloud, nearest, {});
  outcome.by_frames = !poses.empty() && is_right(poses.front().a_from_b, pair.source_from_target) ? 1.0 : 0.0;
  if (!poses.empty())
    outcome.frames_rmse =
        euler_rmse_degrees(poses.front().a_from_b.rotation, pair.source_from_target.rotation);

  const FeatureMatrix& coarse = source.as_source.coarse;
  double sum = 0.0;
  for (std::int64_t c = 0; c < coarse.columns; ++c) {
    double mean = 0.0;
    for (std::int64_t i = 0; i < coarse.rows; ++i) mean += coarse.row(i)[static_cast<std::size_t>(c)];
    mean /= static_cast<double>(coarse.rows);
    sum += mean * mean;
  }
  outcome.self_cosine = sum;
  return outcome;
}

}  // namespace

ValidationScores validate_matches(const PmtrNetwork& network, std::span<const TrainingPair> pairs,
                                  const PairTruthOptions& truth, Threads& threads, const Listener& listener) {
  std::vector<MatchOutcome> outcomes(pairs.size());
  std::mutex mutex;
  std::int64_t done = 0;
  run_tasks(threads, static_cast<std::int64_t>(pairs.size()), [&](std::int64_t task) {
    if (listener.stop()) return;
    const auto i = static_cast<std::size_t>(task);
    outcomes[i] = try_matches(network, pairs[i], truth, threads);
    const std::lock_guard lock(mutex);
    listener.advance("validate", ++done, static_cast<std::int64_t>(pairs.size()));
  });
  ValidationScores result;
  MatchOutcome sum;
  double count = 0.0, hit = 0.0, mutual = 0.0, coarse = 0.0;
  const auto share = [](double part, double whole) { return whole > 0.0 ? part / whole : 0.0; };
  for (const MatchOutcome& o : outcomes) {
    if (!o.usable) continue;
    count += 1.0;
    hit += share(o.hits, o.touching);
    mutual += share(o.right_mutual, o.mutual);
    coarse += share(o.right_coarse, o.coarse);
    sum.by_frames += o.by_frames;
    sum.by_registration += o.by_registration;
    sum.frames_rmse += o.frames_rmse;
    sum.registration_rmse += o.registration_rmse;
    sum.self_cosine += o.self_cosine;
  }
  if (count == 0.0) return result;
  result.values = {{"hit", hit / count},
                   {"mutual_inliers", mutual / count},
                   {"coarse_inliers", coarse / count},
                   {"recall_matches", sum.by_frames / count},
                   {"recall_lgr", sum.by_registration / count},
                   {"rmse_matches", sum.frames_rmse / count},
                   {"rmse_lgr", sum.registration_rmse / count},
                   {"self_cosine", sum.self_cosine / count}};
  result.score = sum.by_frames / count + 0.1 * mutual / count;
  return result;
}

}  // namespace pmtr
