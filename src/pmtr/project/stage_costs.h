// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <map>
#include <string>

#include "pmtr/core/result.h"
#include "pmtr/project/blocks.h"
#include "pmtr/project/project.h"
#include "pmtr/project/slurm_scripts.h"

namespace pmtr {

/// What a stage took so far, here or on a machine that shares the folder.
struct StageCost {
  double items = 0.0;    ///< fragments, or pairs of them, that it did
  double seconds = 0.0;  ///< of processor time
  double mb = 0.0;       ///< the most memory that a process of it held
};

/// Keeps what one run of a stage took in the folder cost/, in a file of its shard: the last one that made
/// something counts.
Status keep_cost(const ProjectFolder& folder, const std::string& stage, const Shard& shard,
                 const StageCost& cost);

/// What is kept, by stage: items and seconds of all shards together. Files that cannot be read are passed
/// over: nothing but an estimate depends on them.
std::map<std::string, StageCost> read_costs(const ProjectFolder& folder);

/// Fragments or pairs of the whole project that a stage has to do, at most.
double items_of(const Project& project, const std::string& stage);

/// Asks for the time and memory that the stages will take, by what they took: three times that where this
/// project has been measured (`costs`), ten times what a machine of 2026 took for others where it has not.
/// Only what is empty in `options` is filled in.
SlurmOptions with_measured_needs(SlurmOptions options, const Project& project,
                                 const std::map<std::string, StageCost>& costs);

}  // namespace pmtr
