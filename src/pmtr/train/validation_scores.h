// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <map>
#include <string>

namespace pmtr {

/// How something that learns does on what it has not learnt from: numbers by name, for the log.
struct ValidationScores {
  std::map<std::string, double> values;
  double score = 0.0;  ///< the weights with the largest are kept as the best; never below 0
};

}  // namespace pmtr
