// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"
#include "pmtr/dataset/object_cache.h"
#include "pmtr/evaluate/evaluate_options.h"

namespace pmtr {

/// What is to be put together: a fracture, or some of its pieces. Points into the index it was listed from.
struct Sample {
  const ObjectFiles* object = nullptr;
  const FractureFiles* fracture = nullptr;
  std::vector<int> pieces;  ///< empty: all
};

struct SampleList {
  std::vector<Sample> samples;                  ///< those of the shard
  std::map<std::string, std::string> failures;  ///< fractures that could not be read, with the reason
};

/// The samples that the options ask for, in the order of the index. Fractures are only read where that is
/// needed: to find pairs, or to measure volumes.
Result<SampleList> list_samples(const DatasetIndex& index, const ObjectCache& cache,
                                const EvaluateOptions& options, const Listener& listener);

}  // namespace pmtr
