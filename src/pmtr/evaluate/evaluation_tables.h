// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string>

#include "pmtr/evaluate/evaluation_file.h"

namespace pmtr {

/// Tables for people: the paper's measures in the paper's scales, then those that allow no excuse, by number
/// of parts; failures by the size of the piece and by category, how well breaks were seen. Means with 95 %
/// intervals.
std::string markdown_tables(const Evaluation& evaluation);

/// The first two tables for a paper (needs the package booktabs).
std::string latex_tables(const Evaluation& evaluation);

}  // namespace pmtr
