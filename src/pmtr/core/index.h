// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <cstdint>

namespace pmtr {

/// The number of a part, a joint or a cell, which is signed so that -1 can mean none, as the index of a
/// vector.
constexpr std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace pmtr
