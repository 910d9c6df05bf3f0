// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/scan/surface_noise.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <Eigen/Eigenvalues>

#include "pmtr/core/threads.h"
#include "pmtr/scan/plane_normals.h"

namespace pmtr {

double surface_noise(const PointCloud& cloud) {
  constexpr std::size_t asked = 400;  // points: the median of so many is good to a few percent
  constexpr int near = 12;
  constexpr int least = 6;
  const std::size_t step = std::max<std::size_t>(1, cloud.points.size() / asked);
  std::vector<std::size_t> chosen;
  std::vector<Eigen::Vector3f> queries;
  for (std::size_t i = 0; i < cloud.points.size(); i += step) {
    chosen.push_back(i);
    queries.push_back(cloud.points[i]);
  }
  const NeighbourTable table = nearest_points(queries, cloud.points, near, Threads::none());
  std::vector<double> off;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();
    int count = 0;
    for (const std::int32_t j : table.row(static_cast<std::int64_t>(k))) {
      const auto other = static_cast<std::size_t>(j);
      if (other >= cloud.points.size()) break;
      // The other side of a thin wall, or of an edge.
      if (cloud.normals[chosen[k]].dot(cloud.normals[other]) < 0.5F) continue;
      const Eigen::Vector3d p = (cloud.points[other] - queries[k]).cast<double>();
      sum += p;
      squares += p * p.transpose();
      ++count;
    }
    if (count < least) continue;
    const Eigen::Vector3d mean = sum / count;
    const Eigen::Matrix3d covariance = squares / count - mean * mean.transpose();
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(covariance, Eigen::EigenvaluesOnly);
    off.push_back(std::sqrt(std::max(0.0, solver.eigenvalues()[0])));
  }
  if (off.empty()) return 0.0;
  const auto middle = off.begin() + static_cast<std::ptrdiff_t>(off.size() / 2);
  std::nth_element(off.begin(), middle, off.end());
  return *middle;
}

}  // namespace pmtr
