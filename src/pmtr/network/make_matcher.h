// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/network/matcher.h"
#include "pmtr/network/network_options.h"
#include "pmtr/network/parameters.h"

namespace pmtr {

/// The matcher of superpoints, of 512 channels (NetworkOptions::coarse_matcher).
Matcher make_coarse_matcher(const ParameterScope& scope, const NetworkOptions& options);

/// That of the points of `level`, 1 or 0, which have 256 and 128 channels (NetworkOptions::fine_matcher).
Matcher make_fine_matcher(const ParameterScope& scope, std::size_t level, const NetworkOptions& options);

}  // namespace pmtr
