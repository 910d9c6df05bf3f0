// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/match/match_pair.h"

namespace pmtr {

Status MatchOptions::validate() const {
  if (coarse.count < 1) return invalid_option("at least one pair of superpoints must be matched");
  if (transport.iterations < 1) return invalid_option("optimal transport needs at least one iteration");
  if (correspondences.mutual < 1 || correspondences.mutual > 16) {
    return invalid_option("the number of mutual partners must be from 1 to 16");
  }
  if (!(correspondences.min_score >= 0.0F && correspondences.min_score < 1.0F)) {
    return invalid_option("the least score of a correspondence must be in [0, 1)");
  }
  return {};
}

PairMatches match_pair(const FragmentFeatures& source, const FragmentFeatures& target, float dustbin_score,
                       const MatchOptions& options, Threads& threads) {
  PairMatches matches;
  matches.superpoints = match_superpoints(source.as_source.coarse, source.patches, target.as_target.coarse,
                                          target.patches, options.coarse, threads);
  matches.transport =
      transport_patches(matches.superpoints, source.as_source.fine, source.patches, target.as_target.fine,
                        target.patches, dustbin_score, options.transport, threads);
  matches.correspondences = mutual_correspondences(matches.superpoints, source.patches, target.patches,
                                                   matches.transport, options.correspondences);
  return matches;
}

}  // namespace pmtr
