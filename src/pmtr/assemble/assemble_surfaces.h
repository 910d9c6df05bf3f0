// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "pmtr/assemble/assemble_many.h"
#include "pmtr/assemble/contact_refinement.h"
#include "pmtr/assemble/penetration.h"
#include "pmtr/pose/search_pairs.h"

namespace pmtr {

struct SurfaceAssemblyOptions {
  PairSearchOptions pairs;
  AssembleManyOptions assembly;
  PenetrationOptions penetration;
  bool check_penetration = true;  ///< parts that run through each other are not joined
  /// Rounds in which what is surely joined is matched again as one fragment; 0: none.
  int merge_rounds = 4;
  /// Joints at least this sure make one fragment of two.
  double sure = 0.9;
  /// In the end, parts that nothing likely ties to the rest are put where most speaks for it all the same.
  /// Compared systems place every part; a person would rather see what is not known left out.
  bool place_doubtful = false;
  ContactRefinementOptions refinement;
  OrientedCloudOptions oriented;  ///< of the fragments that are made by joining

  Status validate() const;
};

/// What makes an assembly of joints: assemble_many, or a function that knows more and calls it. Joints only
/// ever grow in number from call to call; those of one pair keep their order.
using JointSolver = std::function<Result<Assembly>(
    std::span<const PartShape> parts, std::span<const Joint> joints, double object_size,
    const AssembleManyOptions& options, const Listener& listener, const PairCheck& check)>;

/// Clouds to an assembly: poses of promising pairs, a consistent choice of them without penetration, sure
/// groups matched again as one, and all contacts refined. Everything in the clouds' units; `object_size` is
/// the longest side of the whole object in them. One cloud alone is placed where it is.
Result<Assembly> assemble_surfaces(std::span<const OrientedCloud> clouds, double object_size,
                                   const HintSource& hints, const SurfaceAssemblyOptions& options,
                                   Threads& threads, const Listener& listener,
                                   const JointSolver& solve = assemble_many);

}  // namespace pmtr
