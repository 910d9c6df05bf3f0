// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/systems/system.h"

namespace pmtr {

/// The `count` nearest points of each point within its part, itself among them, as rows of all points of the
/// batch: [parts * points * count]. `features` are [parts, points, width].
torch::Tensor nearest_in_part(const torch::Tensor& features, std::int64_t count, Threads& threads);

}  // namespace pmtr
