// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/prepare_sample.h"

#include <torch/types.h>

#include "pmtr/core/check.h"

namespace pmtr {
namespace {

/// Training pairs are in the unit of their object.
constexpr double object_size = 1.0;

}  // namespace

Result<PairSample> prepare_sample(const TrainingPair& pair, const NetworkOptions& network,
                                  const PairTruthOptions& truth, bool all_dense_points, bool matching) {
  PairSample sample;
  const auto prepare = [&](const TrainingFragment& fragment) -> Result<FragmentSample> {
    // A second look wants the neighbours as dense as they will be.
    const bool all = all_dense_points || network.fracture_context;
    const std::size_t looked_at = all ? SIZE_MAX : 2 * fragment.cloud.points.size();
    FragmentSample prepared;
    const bool sparse = fragment.dense.points.empty();
    const auto& labels = sparse ? fragment.fracture : fragment.dense_fracture;
    if (network.break_network) prepared.fracture.assign(labels.begin(), labels.end());
    if (!matching && network.break_network) {
      const PointCloud& seen = sparse ? fragment.cloud : fragment.dense;
      prepared.input.breaks = find_break_input(seen, fragment.area, object_size, Threads::none());
      return prepared;
    }
    PMTR_TRY(prepared.input, prepare_input(fragment.cloud, fragment.dense, fragment.area, object_size,
                                           network, looked_at, Threads::none()));
    if (network.fracture_head)
      prepared.fracture.assign(
          labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(prepared.input.dense.nearest.size()));
    return prepared;
  };
  PMTR_TRY(sample.source, prepare(pair.source));
  PMTR_TRY(sample.target, prepare(pair.target));
  if (!matching) return sample;
  Random random(pair.seed, pair.index);
  sample.truth =
      find_pair_truth(sample.source.input.pyramid, sample.target.input.pyramid, assembled_points(pair.source),
                      assembled_points(pair.target), truth, random, Threads::none());
  return sample;
}

Result<PairSample> prepare_match_sample(const TrainingPair& pair, const PmtrNetwork& network,
                                        const PairTruthOptions& truth, BreakLabels labels) {
  PMTR_CHECK(network.options().break_cloud && network.break_network() != nullptr, "a network on breaks");
  const torch::NoGradGuard no_grad;
  Random random(pair.seed, pair.index);
  const bool known = random.below(4) == 0 && labels == BreakLabels::mixed;
  PairSample sample;
  const auto prepare = [&](const TrainingFragment& fragment) -> Result<FragmentSample> {
    std::vector<float> fracture(fragment.dense_fracture.begin(), fragment.dense_fracture.end());
    if (!known) {
      const BreakInput input = find_break_input(fragment.dense, fragment.area, object_size, Threads::none());
      const torch::Tensor said =
          torch::sigmoid((*network.break_network())(input, Execution{&Threads::none()})).contiguous();
      fracture.assign(said.data_ptr<float>(), said.data_ptr<float>() + said.numel());
    }
    FragmentSample prepared;
    PMTR_TRY(prepared.match, find_match_input(fragment.dense, fracture, network.options(), Threads::none()));
    return prepared;
  };
  PMTR_TRY(sample.source, prepare(pair.source));
  PMTR_TRY(sample.target, prepare(pair.target));
  if (sample.source.match.empty() || sample.target.match.empty()) return sample;
  const auto assembled = [](const TrainingFragment& fragment, const MatchInput& input) {
    std::vector<Eigen::Vector3f> points;
    for (const BreakPoint& point : input.cloud.points)
      points.emplace_back((fragment.object_from_fragment * point.position.cast<double>()).cast<float>());
    return points;
  };
  sample.truth = find_pair_truth(sample.source.match.pyramid, sample.target.match.pyramid,
                                 assembled(pair.source, sample.source.match),
                                 assembled(pair.target, sample.target.match), truth, random, Threads::none());
  return sample;
}

}  // namespace pmtr
