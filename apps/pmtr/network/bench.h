// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "bench_arguments.h"

namespace pmtr::command {

/// Measures, prints a table and writes the JSON; returns the exit code. In pmtr-network only.
int run_bench(const BenchArguments& arguments);

}  // namespace pmtr::command
