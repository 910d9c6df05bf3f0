// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/prepare_sample.h"

#include <algorithm>

#include "pmtr/pyramid/neighbours.h"

namespace pmtr {

Result<FragmentSample> prepare_fragment(const PointCloud& cloud, const PointCloud& dense,
                                        const NetworkOptions& network, std::size_t looked_at,
                                        Threads& threads) {
  FragmentSample sample;
  PMTR_TRY(sample.pyramid, build_pyramid(cloud.points, network.pyramid, threads));
  if (!network.surface_input && !network.fracture_head) return sample;
  const PointCloud& surface = dense.points.empty() ? cloud : dense;
  if (surface.normals.size() != surface.points.size() || cloud.normals.size() != cloud.points.size())
    return Error{Cause::unsupported, "this network needs normals, and the fragment has none", {}};
  PointCloud seen = surface;
  seen.points.resize(std::min(seen.points.size(), std::max(looked_at, cloud.points.size())));
  seen.normals.resize(seen.points.size());
  sample.dense.features = find_surface_features(surface, seen, threads);
  if (network.surface_input) {
    // A dense cloud begins with the network's own (dataset/training_pair.h).
    const bool begins = surface.points.size() >= cloud.points.size() &&
                        std::equal(cloud.points.begin(), cloud.points.end(), surface.points.begin());
    const SurfaceFeatures own = begins ? SurfaceFeatures{} : find_surface_features(surface, cloud, threads);
    const std::vector<float>& values = begins ? sample.dense.features.values : own.values;
    sample.pyramid.input_channels = SurfaceFeatures::width;
    sample.pyramid.inputs.assign(
        values.begin(),
        values.begin() + static_cast<std::ptrdiff_t>(cloud.points.size() * SurfaceFeatures::width));
  }
  const NeighbourTable nearest =
      find_neighbours(seen.points, cloud.points, /*radius=*/1e6F, /*limit=*/1, TieOrder::index, threads);
  sample.dense.nearest.assign(nearest.index.begin(), nearest.index.end());
  return sample;
}

Result<PairSample> prepare_sample(const TrainingPair& pair, const NetworkOptions& network,
                                  const PairTruthOptions& truth, bool all_dense_points) {
  PairSample sample;
  const auto prepare = [&](const TrainingFragment& fragment) -> Result<FragmentSample> {
    const std::size_t looked_at = all_dense_points ? SIZE_MAX : 2 * fragment.cloud.points.size();
    PMTR_TRY(FragmentSample prepared,
             prepare_fragment(fragment.cloud, fragment.dense, network, looked_at, Threads::none()));
    const auto& labels = fragment.dense.points.empty() ? fragment.fracture : fragment.dense_fracture;
    if (network.fracture_head)
      prepared.fracture.assign(labels.begin(),
                               labels.begin() + static_cast<std::ptrdiff_t>(prepared.dense.nearest.size()));
    return prepared;
  };
  PMTR_TRY(sample.source, prepare(pair.source));
  PMTR_TRY(sample.target, prepare(pair.target));
  Random random(pair.seed, pair.index);
  sample.truth = find_pair_truth(sample.source.pyramid, sample.target.pyramid, assembled_points(pair.source),
                                 assembled_points(pair.target), truth, random, Threads::none());
  return sample;
}

}  // namespace pmtr
