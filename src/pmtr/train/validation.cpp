// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/validation.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/core/threads.h"
#include "pmtr/evaluate/label_scores.h"
#include "pmtr/match/coarse_match.h"
#include "pmtr/network/feature_tensor.h"
#include "pmtr/train/prepare_sample.h"

namespace pmtr {
namespace {

struct Outcome {
  std::vector<float> scores;
  std::vector<std::uint8_t> labels;
  double coarse_inliers = 0.0;
  double degrees = 180.0;
  double distance = 1e3;
  bool usable = false;
};

double share_that_overlaps(const std::vector<SuperpointMatch>& matches,
                           const std::vector<PatchOverlap>& overlaps) {
  if (matches.empty()) return 0.0;
  std::vector<std::pair<std::int32_t, std::int32_t>> true_pairs;
  for (const PatchOverlap& pair : overlaps) true_pairs.emplace_back(pair.source, pair.target);
  std::sort(true_pairs.begin(), true_pairs.end());
  int hits = 0;
  for (const SuperpointMatch& match : matches)
    hits += std::binary_search(true_pairs.begin(), true_pairs.end(), std::pair(match.source, match.target));
  return static_cast<double>(hits) / static_cast<double>(matches.size());
}

Outcome try_pair(const PmtrNetwork& network, const TrainingPair& pair, const ValidationOptions& options,
                 Threads& threads) {
  Outcome outcome;
  const auto prepared = prepare_sample(pair, network.options(), options.truth, /*all_dense_points=*/true);
  if (!prepared.ok()) return outcome;
  outcome.usable = true;
  const torch::NoGradGuard no_grad;
  const Execution execution{&threads};
  std::array<std::vector<float>, 2> fracture;
  std::array<Unmatched, 2> sides;
  for (std::size_t i = 0; i < 2; ++i) {
    const FragmentSample& sample = i == 0 ? prepared->source : prepared->target;
    const TrainingFragment& fragment = i == 0 ? pair.source : pair.target;
    sides[i] = network.begin(sample.input.pyramid, execution);
    const PyramidBatch& batch = sides[i].batch;
    const SharedFeatures& shared = sides[i].shared;
    const auto& labels = fragment.dense.points.empty() ? fragment.fracture : fragment.dense_fracture;
    if (const FractureHead* head = network.fracture_head(); head != nullptr) {
      const torch::Tensor logits =
          (*head)(batch, shared.encoded, shared.level1, sample.input.dense, execution).last;
      const torch::Tensor probability = torch::sigmoid(logits).contiguous();
      fracture[i].assign(probability.data_ptr<float>(), probability.data_ptr<float>() + probability.numel());
      outcome.scores.insert(outcome.scores.end(), fracture[i].begin(), fracture[i].end());
      outcome.labels.insert(outcome.labels.end(), labels.begin(), labels.end());
    } else {
      fracture[i].assign(labels.size(), 1.0F);
    }
  }
  const auto outputs = network.finish_pair(sides[0], sides[1], execution);
  const auto matches = match_superpoints(
      to_matrix(outputs[0].coarse_normalised), prepared->truth.source_patches,
      to_matrix(outputs[1].coarse_normalised), prepared->truth.target_patches, CoarseMatchOptions{}, threads);
  outcome.coarse_inliers = share_that_overlaps(matches, prepared->truth.overlaps);

  const auto oriented = [&](const TrainingFragment& fragment, const std::vector<float>& scores) {
    const PointCloud& cloud = fragment.dense.points.empty() ? fragment.cloud : fragment.dense;
    return orient_cloud(cloud, scores, fragment.area, OrientedCloudOptions{}, threads);
  };
  const auto found = search_poses(oriented(pair.source, fracture[0]), oriented(pair.target, fracture[1]), {},
                                  options.search, threads);
  if (!found.empty()) {
    const Rigid3& pose = found.front().a_from_b;
    outcome.degrees = rotation_degrees(pose.rotation, pair.source_from_target.rotation);
    outcome.distance = (pose.translation - pair.source_from_target.translation).norm();
  }
  return outcome;
}

}  // namespace

double rotation_degrees(const Eigen::Matrix3d& a, const Eigen::Matrix3d& b) {
  return rotation_angle_deg(a, b);
}

ValidationScores validate_network(const PmtrNetwork& network, std::span<const TrainingPair> pairs,
                                  const ValidationOptions& options, Threads& threads,
                                  const Listener& listener) {
  std::vector<Outcome> outcomes(pairs.size());
  std::mutex mutex;
  std::int64_t done = 0;
  run_tasks(threads, static_cast<std::int64_t>(pairs.size()), [&](std::int64_t i) {
    if (listener.stop()) return;
    const auto at = static_cast<std::size_t>(i);
    outcomes[at] = try_pair(network, pairs[at], options, threads);
    const std::lock_guard lock(mutex);
    listener.advance("validate", ++done, static_cast<std::int64_t>(pairs.size()));
  });
  ValidationScores result;
  std::vector<float> scores;
  std::vector<std::uint8_t> labels;
  std::vector<double> degrees;
  double inliers = 0.0, loose = 0.0, strict = 0.0, count = 0.0;
  for (const Outcome& outcome : outcomes) {
    if (!outcome.usable) continue;
    scores.insert(scores.end(), outcome.scores.begin(), outcome.scores.end());
    labels.insert(labels.end(), outcome.labels.begin(), outcome.labels.end());
    degrees.push_back(outcome.degrees);
    inliers += outcome.coarse_inliers;
    loose += outcome.degrees < 10.0 && outcome.distance < 0.05 ? 1.0 : 0.0;
    strict += outcome.degrees < 5.0 && outcome.distance < 0.02 ? 1.0 : 0.0;
    count += 1.0;
  }
  if (count == 0.0) return result;
  std::sort(degrees.begin(), degrees.end());
  result.values = {{"coarse_inliers", inliers / count},
                   {"recall_10_005", loose / count},
                   {"recall_5_002", strict / count},
                   {"median_deg", degrees[degrees.size() / 2]}};
  double tie_break = inliers / count;
  if (!scores.empty()) {
    tie_break = area_under_curve(scores, labels);
    result.values["fracture_auc"] = tie_break;
  }
  result.score = loose / count + 1e-3 * tie_break;
  return result;
}

}  // namespace pmtr
