// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/match_input.h"

namespace pmtr {
namespace {

BreakCloudOptions cloud_options() {
  BreakCloudOptions options;
  options.most_points = 1600;
  return options;
}

}  // namespace

Result<MatchInput> find_match_input(const PointCloud& dense, std::span<const float> fracture,
                                    const NetworkOptions& network, Threads& threads) {
  MatchInput input;
  input.cloud = find_break_cloud(dense, fracture, cloud_options(), threads);
  if (input.cloud.points.size() < MatchInput::least_points) return input;
  std::vector<Eigen::Vector3f> points;
  for (const BreakPoint& point : input.cloud.points) points.push_back(point.position);
  PMTR_TRY(input.pyramid, build_pyramid(points, network.pyramid, threads));
  input.as_source = describe_breaks(input.cloud, threads);
  input.as_target = as_target(input.as_source);
  return input;
}

}  // namespace pmtr
