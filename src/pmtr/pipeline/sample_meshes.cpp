// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/sample_meshes.h"

#include <fmt/format.h>

#include "pmtr/sample/object_scale.h"

namespace pmtr {

Result<std::vector<FragmentClouds>> sample_meshes(std::span<const TriangleMesh* const> meshes,
                                                  const AssembleOptions& options, Threads& threads,
                                                  const Listener& listener) {
  if (meshes.empty()) return Error{Cause::empty, "nothing to assemble: no fragments", {}};
  double unit = options.object_size;
  if (unit == 0.0) {
    PMTR_TRY(unit, estimate_object_size(meshes, options.objects));
    if (meshes.size() > 1)
      listener.say(fmt::format("estimated longest side of {}: {:.4g}",
                               options.objects == 1 ? "the whole object" : "an object", unit));
  }
  PMTR_TRY(std::vector<FragmentClouds> fragments,
           sample_object(meshes, unit, options.sample_of_all(), options.seed, threads));
  for (std::size_t i = 0; i < fragments.size() && options.point_noise > 0.0; ++i)
    add_noise(fragments[i], options.point_noise, Random(options.seed, i));
  if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
  return fragments;
}

}  // namespace pmtr
