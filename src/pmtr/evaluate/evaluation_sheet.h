// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/dataset/object_cache.h"
#include "pmtr/evaluate/evaluation_file.h"
#include "pmtr/render/image.h"

namespace pmtr {

/// A picture of the best, median and worst samples: as found, beside the truth. The meshes are read again
/// from the index that was evaluated.
Result<Image> draw_evaluation_sheet(const Evaluation& evaluation, const DatasetIndex& index,
                                    const ObjectCache& cache, Threads& threads, const Listener& listener);

}  // namespace pmtr
