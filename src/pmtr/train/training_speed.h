// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/train/trainer.h"

namespace pmtr {

/// Seconds per update of the same updates twice.
struct TrainingSpeed {
  double prepared = 0.0;  ///< with pairs that are ready: the update alone
  double made = 0.0;      ///< with pairs that have to be made on the way
  bool stopped = false;   ///< the listener asked to stop before both were known
};

/// The network's weights are changed; files of the run go into a folder beside it and are removed.
Result<TrainingSpeed> measure_training(PmtrNetwork& network, TrainingRun run, int steps, WorkerGroup& group,
                                       Threads& threads, const Listener& listener);

}  // namespace pmtr
