// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>

#include "pmtr/core/progress.h"
#include "pmtr/core/threads.h"
#include "pmtr/dataset/object_cache.h"
#include "pmtr/evaluate/evaluation_file.h"

namespace pmtr::command {

/// A picture of the best, middle and worst samples: as found, beside the truth.
Status write_eval_sheet(const Evaluation& evaluation, const DatasetIndex& index, const ObjectCache& cache,
                        const std::filesystem::path& file, Threads& threads, const Listener& listener);

}  // namespace pmtr::command
