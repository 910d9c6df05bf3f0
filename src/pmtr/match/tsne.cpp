// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/match/tsne.h"

#include <algorithm>
#include <cmath>

namespace pmtr {
namespace {

using Square = Eigen::MatrixXd;

Square squared_row_distances(const FeatureMatrix& rows) {
  Square points(rows.rows, rows.columns);
  for (std::int64_t i = 0; i < rows.rows; ++i)
    for (std::int64_t c = 0; c < rows.columns; ++c) points(i, c) = rows.row(i)[static_cast<std::size_t>(c)];
  const Eigen::VectorXd norms = points.rowwise().squaredNorm();
  Square distances = -2.0 * points * points.transpose();
  distances.colwise() += norms;
  distances.rowwise() += norms.transpose();
  return distances.cwiseMax(0.0);
}

/// How likely each row would choose each other as its neighbour, with a width by which it considers about
/// `perplexity` of them; then made symmetric, with sum 1.
Square neighbour_shares(const Square& distances, double perplexity) {
  const Eigen::Index n = distances.rows();
  Square shares = Square::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    double low = 0.0, high = 0.0, precision = 1.0;
    for (int step = 0; step < 60; ++step) {
      double sum = 0.0, weighted = 0.0;
      // Relative to the nearest, so that not all weights vanish.
      double nearest = 1e300;
      for (Eigen::Index j = 0; j < n; ++j)
        if (j != i) nearest = std::min(nearest, distances(i, j));
      for (Eigen::Index j = 0; j < n; ++j) {
        shares(i, j) = j == i ? 0.0 : std::exp(-precision * (distances(i, j) - nearest));
        sum += shares(i, j);
        weighted += shares(i, j) * (distances(i, j) - nearest);
      }
      shares.row(i) /= sum;
      const double entropy = std::log(sum) + precision * weighted / sum;
      if (std::abs(entropy - std::log(perplexity)) < 1e-6) break;
      if (entropy > std::log(perplexity)) {
        low = precision;
        precision = high > 0.0 ? 0.5 * (low + high) : 2.0 * precision;
      } else {
        high = precision;
        precision = 0.5 * (low + high);
      }
    }
  }
  return (shares + shares.transpose()) / (2.0 * static_cast<double>(n));
}

}  // namespace

std::vector<Eigen::Vector2d> tsne(const FeatureMatrix& rows, const TsneOptions& options, Random random) {
  const Eigen::Index n = rows.rows;
  std::vector<Eigen::Vector2d> out(static_cast<std::size_t>(n), Eigen::Vector2d::Zero());
  if (n < 4) {  // nothing to choose: side by side
    for (std::size_t i = 0; i < out.size(); ++i) out[i].x() = static_cast<double>(i);
    return out;
  }
  const double perplexity = std::min(options.perplexity, static_cast<double>(n - 1) / 3.0);
  const Square shares = neighbour_shares(squared_row_distances(rows), perplexity);
  using Plane = Eigen::Matrix<double, Eigen::Dynamic, 2>;
  Plane places(n, 2), speed = Plane::Zero(n, 2), gains = Plane::Ones(n, 2);
  for (Eigen::Index i = 0; i < n; ++i) places.row(i) << 1e-4 * random.normal(), 1e-4 * random.normal();
  const int gathering = std::min(200, options.iterations / 4);
  const double rate = std::max(50.0, static_cast<double>(n) / 12.0);
  Square kernel(n, n);
  for (int step = 0; step < options.iterations; ++step) {
    // Neighbours attract each other more at first, so that groups form before they settle.
    const double attraction = step < gathering ? 12.0 : 1.0;
    const double momentum = step < gathering ? 0.5 : 0.8;
    double sum = 0.0;
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < n; ++j) {
        kernel(i, j) = i == j ? 0.0 : 1.0 / (1.0 + (places.row(i) - places.row(j)).squaredNorm());
        sum += kernel(i, j);
      }
    }
    for (Eigen::Index i = 0; i < n; ++i) {
      Eigen::RowVector2d gradient = Eigen::RowVector2d::Zero();
      for (Eigen::Index j = 0; j < n; ++j) {
        const double pull = attraction * shares(i, j) - kernel(i, j) / sum;
        gradient += 4.0 * pull * kernel(i, j) * (places.row(i) - places.row(j));
      }
      for (int c = 0; c < 2; ++c) {
        const bool same = (gradient[c] > 0.0) == (speed(i, c) > 0.0);
        gains(i, c) = std::max(0.01, same ? 0.8 * gains(i, c) : gains(i, c) + 0.2);
        speed(i, c) = momentum * speed(i, c) - rate * gains(i, c) * gradient[c];
      }
    }
    places += speed;
    places.rowwise() -= places.colwise().mean().eval();
  }
  for (Eigen::Index i = 0; i < n; ++i) out[static_cast<std::size_t>(i)] = places.row(i).transpose();
  return out;
}

}  // namespace pmtr
