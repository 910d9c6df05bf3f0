// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <string>

#include "pmtr/train/training_log.h"

namespace pmtr {

/// A page with the curves of a run, in one file that needs nothing else: one picture per quantity, the
/// training losses smoothed, the validations as points.
std::string curves_page(std::span<const LogRecord> records, const std::string& title);

}  // namespace pmtr
