// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/breaks/break_cloud.h"
#include "pmtr/core/result.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/match/nearest_rows.h"

namespace pmtr {

/// Lengths in object units.
struct FramePoseOptions {
  double agreement = 0.03;      ///< a match agrees with a pose that brings its points nearer than this
  double least_facing = 0.848;  ///< and its normals to face each other with at least this cosine: 32 degrees
  int refitted = 10;            ///< distinct poses that are fitted to the matches that agree with them
  int kept = 10;                ///< poses in the answer, at most
  /// Two matches that make a pose together, where one has no frame, are this far apart.
  double nearest_pair = 0.03;
  double farthest_pair = 0.25;

  Status validate() const;
};

struct FramePose {
  Rigid3 a_from_b;
  double score = 0.0;                  ///< matches that agree; those that agree just so count little
  std::vector<std::int32_t> agreeing;  ///< their places in the list of matches, ascending
};

/// Poses that matches between the points of two break clouds agree on, best first and distinct. One match
/// with its two frames is a pose; where a frame has no x, two matches are. `guesses` make poses (each point's
/// nearest, both ways), `matches` judge them (those that are mutual).
std::vector<FramePose> poses_from_frames(const BreakCloud& a, const BreakCloud& b,
                                         std::span<const RowMatch> guesses, std::span<const RowMatch> matches,
                                         const FramePoseOptions& options);

/// The same with the guesses that `nearest` has, each once.
std::vector<FramePose> poses_from_nearest(const BreakCloud& a, const BreakCloud& b,
                                          const NearestRows& nearest, const FramePoseOptions& options);

}  // namespace pmtr
