// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/fragment_input.h"

#include <algorithm>

#include "pmtr/pyramid/neighbours.h"

namespace pmtr {

Result<FragmentInput> prepare_input(const PointCloud& cloud, const PointCloud& dense, double area,
                                    double object_size, const NetworkOptions& network, std::size_t looked_at,
                                    Threads& threads) {
  FragmentInput input;
  if (network.break_cloud) {
    input.surface = dense.points.empty() ? cloud : dense;
    if (input.surface.normals.size() != input.surface.points.size())
      return Error{Cause::unsupported, "this network needs normals, and the fragment has none", {}};
    input.breaks = find_break_input(input.surface, area, object_size, threads);
    return input;
  }
  PMTR_TRY(input.pyramid, build_pyramid(cloud.points, network.pyramid, threads));
  if (!network.surface_input && !network.sees_breaks()) return input;
  const PointCloud& surface = dense.points.empty() ? cloud : dense;
  if (surface.normals.size() != surface.points.size() || cloud.normals.size() != cloud.points.size())
    return Error{Cause::unsupported, "this network needs normals, and the fragment has none", {}};
  if (network.break_network) input.breaks = find_break_input(surface, area, object_size, threads);
  if (!network.surface_input && !network.fracture_head) return input;
  PointCloud seen = surface;
  seen.points.resize(std::min(seen.points.size(), std::max(looked_at, cloud.points.size())));
  seen.normals.resize(seen.points.size());
  input.dense.features = find_surface_features(surface, seen, threads);
  if (network.surface_input) {
    // A dense cloud begins with the network's own (dataset/training_pair.h).
    const bool begins = surface.points.size() >= cloud.points.size() &&
                        std::equal(cloud.points.begin(), cloud.points.end(), surface.points.begin());
    const SurfaceFeatures own = begins ? SurfaceFeatures{} : find_surface_features(surface, cloud, threads);
    const std::vector<float>& values = begins ? input.dense.features.values : own.values;
    input.pyramid.input_channels = SurfaceFeatures::width;
    input.pyramid.inputs.assign(
        values.begin(),
        values.begin() + static_cast<std::ptrdiff_t>(cloud.points.size() * SurfaceFeatures::width));
  }
  if (network.fracture_context)
    input.dense.context = find_dense_context(seen, std::min(cloud.points.size(), seen.points.size()),
                                             input.dense.features, threads);
  const NeighbourTable nearest =
      find_neighbours(seen.points, cloud.points, /*radius=*/1e6F, /*limit=*/1, TieOrder::index, threads);
  input.dense.nearest.assign(nearest.index.begin(), nearest.index.end());
  return input;
}

}  // namespace pmtr
