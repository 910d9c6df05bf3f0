// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/mesh/triangle_mesh.h"

namespace pmtr {

struct NormalOptions {
  /// Points around each one that its plane is fitted to, itself among them; more where the cloud is noisy, up
  /// to eight times as many; never more than 64.
  int neighbours = 8;
  /// Lines are laid through the cloud in this many directions to see where inside and outside are,
  int directions = 24;
  /// through so many of its points, at most; the others follow these.
  int looked_at = 12000;
  std::uint64_t seed = 0;

  Status validate() const;
};

/// What a cloud without normals tells of them.
struct EstimatedNormals {
  std::vector<Eigen::Vector3f> normals;  ///< one per point, unit, outward as far as that is known
  /// Share of the points at which the lines say clearly where outside is, and the normal points there. Near 1
  /// for a closed surface; low where much of it was not scanned.
  double sure = 0.0;
};

/// Below this share of sure points a result should not be trusted without a look at it.
inline constexpr double doubtful_normals = 0.8;

/// Points without faces, and without normals that all have a length.
bool lacks_normals(const TriangleMesh& mesh);

/// Normals of a cloud that samples the surface of a solid: planes through neighbours at the cloud's own
/// spacing, turned outwards. A line through a solid goes in as often as it comes out, so every point on it is
/// told on which side of it outside is; neighbours then vote among themselves. Nothing is carried from point
/// to point across sharp edges. Points that coincide get one normal. Fewer than three different points are
/// Cause::degenerate.
Result<EstimatedNormals> estimate_normals(std::span<const Eigen::Vector3d> points,
                                          const NormalOptions& options, Threads& threads);

}  // namespace pmtr
