// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>

namespace pmtr {

/// Parts and joints are numbered with int, as files and people do; containers want another type.
constexpr std::size_t at(int i) { return static_cast<std::size_t>(i); }

}  // namespace pmtr
