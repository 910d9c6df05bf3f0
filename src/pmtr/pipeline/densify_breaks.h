// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/match/fragment_features.h"
#include "pmtr/mesh/triangle_mesh.h"
#include "pmtr/sample/fragment_clouds.h"

namespace pmtr {

/// Whether two breaks fit is seen on their points, and a thin wall has few: such fragments are sampled again,
/// more densely.
struct DensifyOptions {
  int break_points = 1000;  ///< what the breaks of a fragment should hold
  double most = 3.0;        ///< times as many points as before, at most; 1: never
  /// The scar of a splinter on a large fragment is no larger than the splinter, and the large one has points
  /// of its own spacing there. Where fragments are few, all are sampled so densely that the surface of the
  /// smallest would hold this many points; 0: it may hold what it does.
  int scar_points = 300;
  double most_for_scars = 16.0;  ///< times as many points as before, at most
  /// More of a surface than is known of it cannot be seen: points lie this many times as far apart as they
  /// lie off their surface, at least,
  double spacing_of_noise = 5.0;
  double points_of_face = 20.0;  ///< and a triangle has this many, at most
  int scars_among = 12;          ///< fragments: of more, points would be too many

  Status validate() const;
};

/// A fragment's points, and how likely it is broken at each.
struct SeenFragment {
  FragmentClouds clouds;
  std::vector<float> fracture;  ///< [dense point]
};

/// The surface that scars are looked for at: that of the smallest fragment, or 0 where they are not looked
/// for. `areas` are those of all fragments.
double scar_area(std::span<const double> areas, const DensifyOptions& options);

/// How many times as densely a fragment may be sampled for scars, before that shows nothing but its noise or
/// its triangles. Of a cloud only the noise counts (`faces` 0).
double known_density(const FragmentClouds& fragment, std::size_t faces, const DensifyOptions& options);

/// How many times as many points a fragment with this surface should have. `scar` is scar_area of all, and
/// `known` its known_density.
double wanted_density(std::span<const float> fracture, double area, double scar, double known,
                      const DensifyOptions& options);

/// The fragment sampled `factor` times as densely. What was said of its points goes to the new ones nearby
/// that face the same way. `noise` is that of sample_meshes.
Result<SeenFragment> sample_denser(const TriangleMesh& mesh, const SeenFragment& seen, double factor,
                                   const SampleOptions& options, double noise, std::uint64_t seed,
                                   std::uint64_t stream);

/// One fragment, in place, if it needs it. It draws from the stream of its number.
Status densify_break(const TriangleMesh& mesh, FragmentClouds& fragment, FragmentFeatures& features,
                     double scar, const SampleOptions& sampling, double noise, std::uint64_t seed,
                     std::uint64_t number, const DensifyOptions& options);

/// Every fragment in need of it, in place. Break clouds and features stay what they were.
Status densify_breaks(std::span<const TriangleMesh* const> meshes, std::span<FragmentClouds> fragments,
                      std::span<FragmentFeatures> features, const SampleOptions& sampling, double noise,
                      std::uint64_t seed, const DensifyOptions& options, Threads& threads);

}  // namespace pmtr
