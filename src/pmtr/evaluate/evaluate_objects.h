// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <functional>
#include <optional>

#include "pmtr/assemble/assembly.h"
#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/dataset/object_cache.h"
#include "pmtr/evaluate/evaluate_options.h"
#include "pmtr/evaluate/evaluation_file.h"
#include "pmtr/evaluate/match_inliers.h"
#include "pmtr/evaluate/scattered_object.h"

namespace pmtr {

/// What an assembler gets.
struct AssemblyTask {
  /// What it puts together is `object.pieces`. The truth is there as well, to judge matches with.
  const ScatteredObject& object;
  std::optional<double> object_size;  ///< longest side of the whole object; nothing: to be estimated
  int points = 0;                     ///< for all pieces here: their share of EvaluateOptions::points
  int dense_points = 0;
};

struct AssembledSample {
  Assembly assembly;                    ///< one part per piece, poses in the pieces' units
  std::optional<MatchInliers> inliers;  ///< of the matches between pieces that touch, if it makes any
  std::vector<LabelScore> labels;       ///< how well it saw the breaks of each piece; may be empty
  std::optional<StagesSeen> stages;     ///< what it knew on the way, to explain what is wrong
};

/// A system that puts pieces together. May be called for several samples at once, each time from another
/// thread. The listener only asks whether to stop.
using Assembler = std::function<Result<AssembledSample>(const AssemblyTask& task, Threads& threads,
                                                        const Listener& listener)>;

/// One object: assembled, timed and compared with the truth.
Result<SampleRecord> evaluate_sample(const ScatteredObject& object, const Assembler& assembler,
                                     const EvaluateOptions& options, Threads& threads,
                                     const Listener& listener);

/// Scatters the pieces of every sample and has them put together again. `index` is what list_dataset finds
/// with `options.layout`. A sample that cannot be read or assembled is listed under `failures`, the others go
/// on; stopped by the listener, what is finished comes back. The same assembler and options give the same
/// records, whatever the shard and the number of threads.
Result<Evaluation> evaluate_objects(const DatasetIndex& index, const ObjectCache& cache,
                                    const Assembler& assembler, const EvaluateOptions& options,
                                    Threads& threads, const Listener& listener);

}  // namespace pmtr
