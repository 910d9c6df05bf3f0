// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/core/random.h"
#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/mesh/triangle_mesh.h"
#include "pmtr/sample/point_cloud.h"

namespace pmtr {

struct SampleOptions {
  int points_per_object = 5000;       ///< about; shared among the fragments by their surface area
  int min_points_per_fragment = 256;  ///< small fragments get more than their share
  std::uint64_t seed = 0;             ///< fragment i draws from stream i of this seed

  Status validate() const;
};

/// Even (Poisson-disk-like) samples of a set of fragments of one object, with normals. Points on the two
/// sides of a thin wall do not push each other away. A mesh without faces is thinned instead of sampled; its
/// normals are kept if it has any.
Result<std::vector<PointCloud>> sample_fragments(std::span<const TriangleMesh> fragments,
                                                 const SampleOptions& options, Threads& threads);

/// A cloud that knows where on the mesh its points lie.
struct SampledSurface {
  PointCloud cloud;
  std::vector<std::uint32_t> faces;  ///< [point]: the face it lies on; empty for a mesh without faces
};

/// One fragment, `count` points, by the same way: sample_fragments gives fragment i what this gives with
/// Random(seed, i). For those who know more about the surface than its shape, such as where it broke.
Result<SampledSurface> sample_surface(const TriangleMesh& fragment, int count, Random random);

}  // namespace pmtr
