// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include "pmtr/core/threads.h"
#include "pmtr/pose/frame_poses.h"
#include "pmtr/pose/oriented_cloud.h"
#include "pmtr/pose/surface_score.h"

namespace pmtr {

/// How much two fragments look like neighbours, from the poses that their matches agree on. Among very many
/// strangers the best ones agree on a pose as well as neighbours do; but there their surfaces do not fit. So
/// a few points of both are looked at in every pose: contact less penetration. A quarter of a millisecond for
/// a pair, so that half a million can be asked.
class NeighbourScore {
 public:
  /// The clouds must outlive it.
  NeighbourScore(std::vector<const OrientedCloud*> clouds, Threads& threads);
  NeighbourScore(std::span<const OrientedCloud> clouds, Threads& threads);

  /// Of the best of the poses, in points of contact; 0: there is none. Fragments are numbered as the clouds.
  double operator()(int a, int b, std::span<const FramePose> poses) const;

 private:
  std::vector<const OrientedCloud*> clouds_;
  std::vector<DrawnSurface> drawn_;
};

}  // namespace pmtr
