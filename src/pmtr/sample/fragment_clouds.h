// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/core/random.h"
#include "pmtr/core/result.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/core/threads.h"
#include "pmtr/mesh/triangle_mesh.h"
#include "pmtr/sample/point_cloud.h"

namespace pmtr {

/// How densely an object is sampled. Points are shared among its fragments by their surface area.
struct SampleOptions {
  int points = 5000;         ///< per object, about: what the network sees
  int dense_points = 20000;  ///< per object: where breaks and contact are looked for; 0: no denser cloud
  int least_points = 256;    ///< per fragment: small ones get more than their share
  int least_dense_points = 1000;

  Status validate() const;
};

/// A fragment as every later stage sees it, in training, evaluation, assembly and report alike: centred, in
/// object units (the longest side of the whole object is 1), or in a smaller one where there are very many
/// fragments.
struct FragmentClouds {
  PointCloud dense;
  PointCloud cloud;                  ///< the beginning of `dense`, as even as a sample of its own
  std::vector<std::uint32_t> faces;  ///< [dense point]: the face it lies on; without faces, the vertex it is
  double area = 0.0;                 ///< of the surface
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< of the dense points, in the input's coordinates
  double unit = 1.0;         ///< what lengths of the clouds are shares of, in the input's units
  double object_size = 1.0;  ///< longest side of the whole object, in that unit
};

/// Points of a fragment that has this share of the object's surface.
struct PointCounts {
  int cloud = 0;
  int dense = 0;
};
PointCounts point_counts(double share, const SampleOptions& options);

/// One fragment. `share` is its part of the object's surface.
Result<FragmentClouds> sample_fragment(const TriangleMesh& fragment, double share, double unit,
                                       const SampleOptions& options, Random random);

/// All fragments of an object; fragment i draws from stream i of the seed.
Result<std::vector<FragmentClouds>> sample_object(std::span<const TriangleMesh* const> fragments, double unit,
                                                  const SampleOptions& options, std::uint64_t seed,
                                                  Threads& threads);

/// To study robustness: moves every point at random, by `sigma` object units in each direction. Normals stay.
void add_noise(FragmentClouds& fragment, double sigma, Random random);

/// A pose between two centred fragments as one between their files, and back. The only way from object units
/// to the input's coordinates.
Rigid3 in_input_frame(const Rigid3& a_from_b, const FragmentClouds& a, const FragmentClouds& b);
Rigid3 in_object_frame(const Rigid3& a_from_b, const FragmentClouds& a, const FragmentClouds& b);

}  // namespace pmtr
