// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/sample_meshes.h"

#include <fmt/format.h>

#include "pmtr/sample/object_scale.h"

namespace pmtr {

Result<SampledMeshes> sample_meshes(std::span<const TriangleMesh* const> meshes,
                                    const AssembleOptions& options, Threads& threads,
                                    const Listener& listener) {
  if (meshes.empty()) return Error{Cause::empty, "nothing to assemble: no fragments", {}};
  SampledMeshes result;
  std::vector<double> diameters;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    PMTR_TRY(const double ends, fragment_diameter(*meshes[i], i));
    diameters.push_back(ends);
  }
  result.object_size = options.object_size;
  if (result.object_size == 0.0) {
    PMTR_TRY(result.object_size, object_size_of(diameters, options.objects));
    if (meshes.size() > 1)
      listener.say(fmt::format("estimated longest side of {}: {:.4g}",
                               options.objects == 1 ? "the whole object" : "an object", result.object_size));
  }
  const double unit = unit_for_fragments(result.object_size, diameters, options.unit_fragments);
  PMTR_TRY(result.fragments, sample_object(meshes, unit, options.sample_of_all(), options.seed, threads));
  for (FragmentClouds& fragment : result.fragments) fragment.object_size = result.object_size / unit;
  for (std::size_t i = 0; i < result.fragments.size() && options.point_noise > 0.0; ++i)
    add_noise(result.fragments[i], options.point_noise * result.object_size / unit, Random(options.seed, i));
  if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
  return result;
}

}  // namespace pmtr
