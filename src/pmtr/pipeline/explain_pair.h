// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "pmtr/pipeline/assemble_fragments.h"

namespace pmtr {

/// One fragment of a pair as the network sees it. In object units.
struct ExplainedFragment {
  std::vector<Eigen::Vector3f> surface;  ///< dense points
  std::vector<Eigen::Vector3f> points;   ///< that are matched
  std::vector<Eigen::Vector3f> superpoints;
  std::vector<Eigen::Vector2d> places;     ///< [superpoint], in the plane (t-SNE)
  std::vector<float> proxy_cosines;        ///< [superpoint], with the proxy nearest to it; or none
  std::vector<double> attention_evenness;  ///< ProxySpace's
  std::vector<bool> near_partner;          ///< [superpoint]: the pose brings it to the partner's breaks
};

/// The paper's Figure 3 as numbers.
struct PairExplanation {
  std::array<ExplainedFragment, 2> fragments;
  std::vector<Eigen::Vector2d> proxies;       ///< in the same plane
  std::vector<std::pair<int, int>> agreeing;  ///< points of both, of matches that agree with the pose
  std::vector<std::pair<int, int>> others;    ///< and of those that do not
  std::optional<Rigid3> first_from_second;    ///< that most matches agree with
};

/// Cause::empty where the network reads breaks and sees none, or where nothing else is there to match.
Result<PairExplanation> explain_pair(const std::array<const TriangleMesh*, 2>& meshes,
                                     const FragmentEncoder& encoder, const AssembleOptions& options,
                                     Threads& threads, const Listener& listener);

}  // namespace pmtr
