// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/dataset/object_cache.h"
#include "pmtr/render/image.h"

namespace pmtr {

struct DatasetSheetOptions {
  int cells = 24;  ///< objects on the sheet, at most; at least 1

  Status validate() const;
};

/// A picture of a dataset: one fracture of each of some objects, spread evenly over the index, with the
/// pieces coloured and slightly pulled apart.
Result<Image> draw_dataset_sheet(const DatasetIndex& index, const ObjectCache& cache,
                                 const DatasetSheetOptions& options, Threads& threads,
                                 const Listener& listener);

}  // namespace pmtr
