// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/match/fragment_features.h"
#include "pmtr/network/fragment_encoder.h"
#include "pmtr/pipeline/match_pairs.h"
#include "pmtr/pose/oriented_cloud.h"
#include "pmtr/sample/fragment_clouds.h"

namespace pmtr {

/// What the network says of each fragment: features in both roles and, with a fracture head, where it is
/// broken. With NormScope::pair features depend on both of two fragments, the first in the role of the
/// source; more than two are then Cause::unsupported. What is known of the breaks, [fragment][face], takes
/// the place of what the network would say; empty where nothing is. Where matchers look at all pairs of
/// points and that would need more memory than there is, Cause::too_large.
Result<std::vector<FragmentFeatures>> encode_fragments(
    std::span<const FragmentClouds> fragments, std::span<const std::vector<std::uint8_t>> known_breaks,
    const FragmentEncoder& encoder, Threads& threads, const Listener& listener);

/// For match_pairs, where features depend on both fragments of a pair; empty where they do not. Holds
/// references to its arguments.
FeaturesOfPair features_of_pair(const FragmentEncoder& encoder, std::span<const FragmentFeatures> features,
                                Threads& threads);

/// The fragments made ready for the search of poses. Where the network has no fracture head, every point may
/// lie on a break.
std::vector<OrientedCloud> orient_fragments(std::span<const FragmentClouds> fragments,
                                            std::span<const FragmentFeatures> features,
                                            const OrientedCloudOptions& options, Threads& threads);

}  // namespace pmtr
