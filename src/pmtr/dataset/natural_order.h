// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string_view>

namespace pmtr {

/// Names as people order them: runs of digits by their value, so that piece_2 comes before piece_10. A strict
/// total order: names that differ only in leading zeros are ordered by their bytes.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace pmtr
