// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "pmtr/core/progress.h"
#include "pmtr/match/match_pair.h"
#include "pmtr/network/fragment_features.h"
#include "pmtr/pipeline/network_frame.h"
#include "pmtr/pose/joint.h"
#include "pmtr/pose/local_to_global.h"
#include "pmtr/pose/pose_search.h"

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
  PoseSearchOptions search;
  OrientedCloudOptions oriented;
  int kept = 3;  ///< joints per pair, at most
  MatchListener matched;

  Status validate() const;
};

/// Joints of all pairs, in input units: the network's matches give a first guess, the surfaces where the
/// network sees fractures give the others, and every guess is refined and judged on the surfaces. Needs
/// FragmentFeatures::fracture. Ordered by pair, best first.
std::vector<Joint> find_joints(std::span<const KnownFragment> fragments, float dustbin_score,
                               const JointOptions& options, Threads& threads, const Listener& listener);

}  // namespace pmtr
