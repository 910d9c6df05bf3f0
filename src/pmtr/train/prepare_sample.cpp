// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/prepare_sample.h"

namespace pmtr {

Result<PairSample> prepare_sample(const TrainingPair& pair, const NetworkOptions& network,
                                  const PairTruthOptions& truth, bool all_dense_points) {
  PairSample sample;
  const auto prepare = [&](const TrainingFragment& fragment) -> Result<FragmentSample> {
    // A second look wants the neighbours as dense as they will be.
    const bool all = all_dense_points || network.fracture_context;
    const std::size_t looked_at = all ? SIZE_MAX : 2 * fragment.cloud.points.size();
    FragmentSample prepared;
    PMTR_TRY(prepared.input,
             prepare_input(fragment.cloud, fragment.dense, network, looked_at, Threads::none()));
    const auto& labels = fragment.dense.points.empty() ? fragment.fracture : fragment.dense_fracture;
    if (network.fracture_head)
      prepared.fracture.assign(
          labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(prepared.input.dense.nearest.size()));
    return prepared;
  };
  PMTR_TRY(sample.source, prepare(pair.source));
  PMTR_TRY(sample.target, prepare(pair.target));
  Random random(pair.seed, pair.index);
  sample.truth =
      find_pair_truth(sample.source.input.pyramid, sample.target.input.pyramid, assembled_points(pair.source),
                      assembled_points(pair.target), truth, random, Threads::none());
  return sample;
}

}  // namespace pmtr
