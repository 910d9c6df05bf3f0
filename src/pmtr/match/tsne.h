// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <vector>

#include <Eigen/Core>

#include "pmtr/core/random.h"
#include "pmtr/match/fragment_features.h"

namespace pmtr {

struct TsneOptions {
  /// About how many neighbours of a row stay beside it; at most a third of the rows.
  double perplexity = 20.0;
  int iterations = 800;
};

/// Rows laid out in the plane so that those near each other stay so: exact t-distributed stochastic neighbour
/// embedding (van der Maaten and Hinton 2008). For some thousand rows at most: it looks at all pairs in every
/// iteration.
std::vector<Eigen::Vector2d> tsne(const FeatureMatrix& rows, const TsneOptions& options, Random random);

}  // namespace pmtr
