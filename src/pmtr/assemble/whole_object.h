// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/assemble/assembly.h"
#include "pmtr/assemble/rematch_groups.h"
#include "pmtr/core/threads.h"

namespace pmtr {

/// What speaks for two parts standing as they do, in areas of their surfaces: breaks that lie against each
/// other and rims that run on, less what cannot be.
struct WholeWeights {
  double border = 1.0;       ///< a place where the rim runs on, in points
  double penetration = 1.0;  ///< surface inside the other part
  double same_side = 1.0;    ///< two walls in one place
  double blocked = 0.5;      ///< break that lies on outer surface
};

struct WholeOptions {
  WholeWeights weights;
  int sweeps = 3;         ///< over all that may move, at most; 0 leaves everything where it stands
  int alternatives = 40;  ///< other places that are looked at for each, the likeliest first
  int refined = 3;        ///< of these are fitted to all neighbours there
  /// What has this much of all that could speak for it stays without a look at other places.
  double settled = 0.6;
  double margin = 0.1;  ///< another place must be better by this share of what speaks for the present one

  Status validate() const;
};

/// Judged by the whole object: no joint alone. Every part, and every group of parts that one joint holds, is
/// tried at the other places that joints propose for it, against all neighbours there at once, and moved
/// where more breaks are covered. Poses, clouds and joints are in object units. Says anew which joints are
/// used.
Assembly improve_whole(Assembly assembly, const PartsAtHand& parts, const ChooseOptions& choose,
                       const WholeOptions& options, Threads& threads, const Listener& listener);

}  // namespace pmtr
