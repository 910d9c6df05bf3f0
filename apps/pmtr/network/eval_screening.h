// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "eval_arguments.h"
#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"

namespace pmtr::command {

/// `pmtr eval --screening`: the pieces of all samples in one heap, and how well those that touch are found in
/// it by what assembly chooses partners by. A table and, where asked for, a file of JSON.
Result<std::string> evaluate_screening(const EvalArguments& arguments, const Listener& listener);

}  // namespace pmtr::command
