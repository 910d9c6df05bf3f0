// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string>

#include "pmtr/pipeline/explain_pair.h"

namespace pmtr::command {

// Pictures (SVG) of what explain_pair found, coloured as the paper's Figure 3: source blue, target red,
// proxies green.

/// Superpoints of both fragments and the proxies in the plane; those near the partner are ringed.
std::string draw_features(const PairExplanation& explanation);

/// Both fragments seen onto their breaks: superpoints nearest to a proxy, and those near the partner.
std::string draw_fragments(const PairExplanation& explanation);

/// Both beside each other, with lines between matches: those that agree on the pose strong, others faint.
std::string draw_matches(const PairExplanation& explanation);

}  // namespace pmtr::command
