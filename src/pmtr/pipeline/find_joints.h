// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pmtr/assemble/assembly.h"
#include "pmtr/core/listener.h"
#include "pmtr/match/fragment_features.h"
#include "pmtr/match/match_pair.h"
#include "pmtr/pipeline/network_frame.h"
#include "pmtr/pose/joint.h"
#include "pmtr/pose/local_to_global.h"
#include "pmtr/pose/match_poses.h"
#include "pmtr/pose/oriented_cloud.h"

namespace pmtr {

/// Where poses come from.
enum class PoseSource {
  matches,   ///< the network's point matches alone, as in the paper; surfaces only tell how well it fits
  surfaces,  ///< the geometry of the fracture surfaces alone; the network only says where they are
  both,
};

/// One fragment, known from all sides.
struct KnownFragment {
  const NetworkFrame* frame = nullptr;
  const FragmentFeatures* features = nullptr;
};

/// Hears what the network matched between fragments a and b. May be called from several threads at once.
using MatchListener = std::function<void(int a, int b, const KnownFragment& source,
                                         const KnownFragment& target, const PairMatches& matches)>;

struct JointOptions {
  PoseSource source = PoseSource::both;
  MatchOptions match;
  RegistrationOptions registration;
  MatchPoseOptions match_poses;
  OrientedCloudOptions oriented;
  MatchListener matched;

  Status validate() const;
};

/// The fragments as the pose search wants them. Needs FragmentFeatures::fracture.
std::vector<OrientedCloud> orient_fragments(std::span<const KnownFragment> fragments,
                                            const OrientedCloudOptions& options, Threads& threads);

/// What the network's matches say about a pair.
struct MatchedPair {
  std::vector<Rigid3> poses;  ///< in network units: local-to-global registration, then groups of matches
  std::optional<Registration> registration;
};
MatchedPair match_fragments(int a, int b, std::span<const KnownFragment> fragments,
                            std::span<const OrientedCloud> clouds, float dustbin_score,
                            const JointOptions& options, Threads& threads);

/// Joints of all pairs by the network's matches alone, in network units: the way of the paper.
std::vector<Joint> joints_by_matches(std::span<const KnownFragment> fragments, float dustbin_score,
                                     const JointOptions& options, Threads& threads, const Listener& listener);

/// An assembly in network units in those of the input.
void to_input_units(std::span<const KnownFragment> fragments, Assembly& assembly);

}  // namespace pmtr
