// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>

#include "pmtr/assemble/assembly.h"
#include "pmtr/core/threads.h"
#include "pmtr/pose/oriented_cloud.h"

namespace pmtr {

struct ContactRefinementOptions {
  int sweeps = 3;  ///< over all parts, at most; 0 leaves the poses as they are

  Status validate() const;
};

struct ContactRefinement {
  Assembly assembly;
  int moved = 0;         ///< steps that were accepted
  double contact = 0.0;  ///< close contact area over all neighbours after it, in the clouds' units squared
  double before = 0.0;   ///< and before
};

/// Averaged poses are a compromise between joints; surfaces know better. Each placed part but the anchors is
/// pulled onto all its placed neighbours at once, parts that do not touch each other side by side. A step is
/// taken only if contact grows and penetration does not. Poses, clouds and joints are in one unit.
ContactRefinement refine_contacts(Assembly assembly, std::span<const OrientedCloud> clouds,
                                  const ContactRefinementOptions& options, Threads& threads);

}  // namespace pmtr
