// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "train_arguments.h"

namespace pmtr::command {

/// Runs or goes on with a training; returns the exit code. In pmtr-network only.
int run_train(const TrainArguments& arguments);

}  // namespace pmtr::command
