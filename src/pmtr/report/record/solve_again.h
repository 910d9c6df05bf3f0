// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <span>

#include "pmtr/report/record/result_files.h"

namespace pmtr {

/// A record under other decisions than those it was made with: `pmtr assemble --constraints` and *Solve
/// again* both come here. What is given replaces the decisions that were there; none at all gives back the
/// assembly as it was without any, bit for bit (assemble/apply_decisions.h). Where the record knows what was
/// seen of the breaks, parts that run through each other are not joined, and what was joined anew is refined
/// on its surfaces, as the pipeline does both; what a person locked or put somewhere stays. `clouds` are
/// those of orient_seen, for who has them.
Result<AssemblyRecord> decide_again(AssemblyRecord record, const Constraints& constraints,
                                    const Listener& listener, std::span<const OrientedCloud> clouds = {});

/// The same for the folder of a result, all of which is written anew.
Result<AssemblyRecord> solve_again(const std::filesystem::path& folder, std::span<const MeshFile> files,
                                   const Constraints& constraints, const ResultOptions& options,
                                   Threads& threads, const Listener& listener);

}  // namespace pmtr
