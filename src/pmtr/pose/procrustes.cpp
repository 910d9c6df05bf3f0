// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/procrustes.h"

#include <Eigen/SVD>

#include "pmtr/core/check.h"

namespace pmtr {

ProcrustesFit fit_procrustes(std::span<const Eigen::Vector3d> a, std::span<const Eigen::Vector3d> b,
                             std::span<const double> weights) {
  PMTR_CHECK(a.size() == b.size() && a.size() == weights.size(), "procrustes: one weight per pair of points");
  double total = 0.0;
  for (const double weight : weights) total += weight;
  // The reference's guard against a zero sum; it shrinks the translation of the centroids a little.
  total += 1e-5;
  Eigen::Vector3d a_mean = Eigen::Vector3d::Zero();
  Eigen::Vector3d b_mean = Eigen::Vector3d::Zero();
  for (std::size_t i = 0; i < a.size(); ++i) {
    a_mean += weights[i] / total * a[i];
    b_mean += weights[i] / total * b[i];
  }
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  for (std::size_t i = 0; i < a.size(); ++i) {
    covariance += weights[i] / total * (b[i] - b_mean) * (a[i] - a_mean).transpose();
  }
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(covariance, Eigen::ComputeFullU | Eigen::ComputeFullV);
  Eigen::Vector3d signs(1.0, 1.0, 1.0);
  if ((svd.matrixV() * svd.matrixU().transpose()).determinant() < 0.0) signs[2] = -1.0;
  ProcrustesFit fit;
  fit.a_from_b.rotation = svd.matrixV() * signs.asDiagonal() * svd.matrixU().transpose();
  fit.a_from_b.translation = a_mean - fit.a_from_b.rotation * b_mean;
  fit.spread = svd.singularValues();
  return fit;
}

}  // namespace pmtr
