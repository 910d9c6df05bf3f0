// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <string>

#include "pmtr/dataset/statistics.h"

namespace pmtr {

/// A table for people.
std::string statistics_table(const DatasetStatistics& statistics);

/// The same numbers for programs (JSON), with a record per fracture.
std::string statistics_json(const DatasetStatistics& statistics, std::span<const FractureMeasure> measures);

}  // namespace pmtr
