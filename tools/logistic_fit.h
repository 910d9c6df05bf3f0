// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

#include <Eigen/Cholesky>

namespace pmtr {

template <std::size_t count>
struct LogisticExample {
  std::array<double, count> value{};
  bool right = false;
  double weight = 1.0;
};

template <std::size_t count>
struct LogisticModel {
  double bias = 0.0;
  std::array<double, count> weight{};

  double probability(const std::array<double, count>& value) const {
    double sum = bias;
    for (std::size_t i = 0; i < count; ++i) sum += weight[i] * value[i];
    return 1.0 / (1.0 + std::exp(-sum));
  }
};

/// Newton's method on the weighted log-likelihood, with a small ridge on standardised figures. `given`
/// weights that are not 0 are set and not fitted. A figure whose weight comes out against its expected sign
/// only stands in for others: it is left out, so that nothing ever speaks the wrong way.
template <std::size_t count>
LogisticModel<count> fit_logistic(const std::vector<LogisticExample<count>>& examples,
                                  const std::array<double, count>& expected_sign,
                                  const std::array<double, count>& given) {
  constexpr auto n = static_cast<Eigen::Index>(count + 1);
  using Vector = Eigen::Matrix<double, n, 1>;
  using Matrix = Eigen::Matrix<double, n, n>;
  Vector mean = Vector::Zero();
  Vector spread = Vector::Ones();
  const auto raw = [](const LogisticExample<count>& e) {
    Vector x;
    x[0] = 1.0;
    for (std::size_t i = 0; i < count; ++i) x[static_cast<Eigen::Index>(i + 1)] = e.value[i];
    return x;
  };
  for (Eigen::Index i = 1; i < n; ++i) {
    double sum = 0.0;
    double squares = 0.0;
    for (const auto& e : examples) sum += raw(e)[i];
    mean[i] = sum / static_cast<double>(examples.size());
    for (const auto& e : examples) squares += std::pow(raw(e)[i] - mean[i], 2.0);
    spread[i] = std::sqrt(squares / static_cast<double>(examples.size())) + 1e-9;
  }
  Vector w = Vector::Zero();
  std::array<bool, count + 1> left_out{};
  const auto offset = [&](const LogisticExample<count>& e) {
    double sum = 0.0;
    for (std::size_t i = 0; i < count; ++i) sum += given[i] * e.value[i];
    return sum;
  };
  for (std::size_t i = 0; i < count; ++i) left_out[i + 1] = given[i] != 0.0;
  for (bool again = true; again;) {
    w.setZero();
    for (int step = 0; step < 50; ++step) {
      Vector gradient = Vector::Zero();
      Matrix curvature = Matrix::Zero();
      for (const auto& e : examples) {
        Vector x = (raw(e) - mean).cwiseQuotient(spread);
        for (Eigen::Index i = 0; i < n; ++i) x[i] = left_out[static_cast<std::size_t>(i)] ? 0.0 : x[i];
        const double p = 1.0 / (1.0 + std::exp(-w.dot(x) - offset(e)));
        gradient += e.weight * ((e.right ? 1.0 : 0.0) - p) * x;
        curvature += e.weight * p * (1.0 - p) * x * x.transpose();
      }
      Vector ridge = Vector::Constant(1.0);
      ridge[0] = 0.0;
      gradient -= ridge.cwiseProduct(w);
      curvature.diagonal() += ridge + Vector::Constant(1e-9);
      w += curvature.ldlt().solve(gradient);
    }
    again = false;
    for (Eigen::Index i = 1; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (left_out[at] || w[i] * expected_sign[at - 1] >= 0.0) continue;
      left_out[at] = again = true;
    }
  }
  LogisticModel<count> model;
  model.bias = w[0];
  for (Eigen::Index i = 1; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i - 1);
    model.weight[at] = w[i] / spread[i] + given[at];
    model.bias -= w[i] * mean[i] / spread[i];
  }
  return model;
}

}  // namespace pmtr
