// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <functional>
#include <string_view>

#include "pmtr/core/threads.h"
#include "pmtr/dataset/layout.h"

namespace pmtr {

/// Calls body(i, object, fracture) for every fracture of the dataset, side by side, and reports how many are
/// done. Nothing new begins after the first failure. The error is that of the lowest number; Cause::cancelled
/// with the message `stopped` if the listener stopped it. Private to this stage.
Status for_each_fracture(
    const DatasetIndex& index, std::string_view stage, const char* stopped, Threads& threads,
    const Listener& listener,
    const std::function<Status(std::int64_t, const ObjectFiles&, const FractureFiles&)>& body);

}  // namespace pmtr
