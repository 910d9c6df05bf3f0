// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string>

#include "pmtr/core/result.h"

namespace pmtr {

struct AssembleOptions;

/// Leaves out one step of the way from breaks to an assembly, to see what it is worth: an ablation.
Status leave_out(const std::string& step, AssembleOptions& options);

/// In the order in which they are taken; here and not behind a function, since the program that prints the
/// help has no network.
inline constexpr const char* steps_to_leave_out =
    "density, scars, smoothing, tries, agreement, penetration, rematch, reread, whole or refinement";

}  // namespace pmtr
