// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/scan/surface_noise.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <Eigen/Eigenvalues>

#include "pmtr/core/statistics.h"
#include "pmtr/core/threads.h"
#include "pmtr/scan/plane_normals.h"

namespace pmtr {
namespace {

constexpr int near = 12;
constexpr int wide = 48;

/// Points that come one by one, and how far they lie off their best plane: mean square, less the three
/// freedoms that the plane takes.
class PlaneFit {
 public:
  void add(const Eigen::Vector3d& p) {
    sum_ += p;
    squares_ += p * p.transpose();
    ++count_;
  }
  int count() const { return count_; }
  double mean_square() const {
    const Eigen::Vector3d mean = sum_ / count_;
    const Eigen::Matrix3d covariance = squares_ / count_ - mean * mean.transpose();
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(covariance, Eigen::EigenvaluesOnly);
    return std::max(0.0, solver.eigenvalues()[0]) * count_ / (count_ - 3);
  }

 private:
  Eigen::Vector3d sum_ = Eigen::Vector3d::Zero();
  Eigen::Matrix3d squares_ = Eigen::Matrix3d::Zero();
  int count_ = 0;
};

}  // namespace

double surface_noise(const PointCloud& cloud) {
  constexpr std::size_t asked = 400;  // points: the median of so many is good to a few percent
  const std::size_t step = std::max<std::size_t>(1, cloud.points.size() / asked);
  std::vector<std::size_t> chosen;
  std::vector<Eigen::Vector3f> queries;
  for (std::size_t i = 0; i < cloud.points.size(); i += step) {
    chosen.push_back(i);
    queries.push_back(cloud.points[i]);
  }
  const NeighbourTable table = nearest_points(queries, cloud.points, 2 * wide, Threads::none());
  std::vector<double> noise;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    PlaneFit fit;
    double small = 0.0;
    for (const std::int32_t j : table.row(static_cast<std::int64_t>(k))) {
      const auto other = static_cast<std::size_t>(j);
      if (other >= cloud.points.size() || fit.count() == wide) break;
      // The other side of a thin wall, or of an edge.
      if (cloud.normals[chosen[k]].dot(cloud.normals[other]) < 0.5F) continue;
      fit.add((cloud.points[other] - queries[k]).cast<double>());
      if (fit.count() == near) small = fit.mean_square();
    }
    if (fit.count() < wide) continue;
    // Noise is the same in both; what a curved surface adds grows with the area that is looked at.
    constexpr double grown = (static_cast<double>(wide) / near) * (static_cast<double>(wide) / near);
    noise.push_back(std::sqrt(std::max(0.0, (grown * small - fit.mean_square()) / (grown - 1.0))));
  }
  return median(std::move(noise));
}

}  // namespace pmtr
