// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/screen_pair.h"

#include <cmath>

namespace pmtr {

double screen_pair(const FragmentFeatures& a, const FragmentFeatures& b, const FramePoseOptions& options,
                   Threads& threads) {
  if (a.breaks.points.empty() || b.breaks.points.empty()) return 0.0;
  const NearestRows nearest =
      find_nearest_rows(a.as_source.fine.values, b.as_target.fine.values, a.as_source.fine.columns, threads);
  const std::vector<RowMatch> mutual = nearest.mutual();
  FramePoseOptions best = options;
  best.refitted = best.kept = 1;
  // Those that are not mutual would make ten times as many guesses, for hardly any better ones.
  const std::vector<FramePose> poses = poses_from_frames(a.breaks, b.breaks, mutual, mutual, best);
  if (poses.empty()) return 0.0;
  // The more matches there are, the more agree by chance.
  constexpr double few = 5.0;
  return poses[0].score / std::sqrt(static_cast<double>(mutual.size()) + few);
}

}  // namespace pmtr
