// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <algorithm>
#include <cmath>

#include "pmtr/core/random.h"

namespace pmtr {

/// From low to high, both possible; the logarithm is evenly spread. Private to this stage.
inline int draw_piece_count(int low, int high, Random& random) {
  const double drawn = std::exp(random.uniform(std::log(low), std::log(high + 1)));
  return std::clamp(static_cast<int>(drawn), low, high);
}

}  // namespace pmtr
