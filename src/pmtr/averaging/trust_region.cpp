// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/averaging/trust_region.h"

#include <algorithm>
#include <cmath>

namespace pmtr {
namespace {

double inner(const Lifted& a, const Lifted& b) { return a.cwiseProduct(b).sum(); }

struct Step {
  Lifted direction;
  double predicted = 0.0;  ///< decrease of the quadratic model
  bool at_border = false;
};

/// The quadratic model at a point.
class Model {
 public:
  Model(const ConnectionLaplacian& laplacian, const Lifted& y) : laplacian_(laplacian), y_(y) {
    const Lifted slope = laplacian.times(y);
    across_ = across_blocks(y, slope);
    gradient_ = tangent_part(y, slope);
  }
  const Lifted& gradient() const { return gradient_; }
  Lifted hessian_times(const Lifted& v) const {
    Lifted out = laplacian_.times(v);
    for (Eigen::Index i = 0; i < out.rows(); i += 3) {
      out.middleRows<3>(i).noalias() -= across_.middleRows<3>(i) * v.middleRows<3>(i);
    }
    return tangent_part(y_, out);
  }

  /// Steihaug and Toint: conjugate gradients that end at the border of the region or where the curvature is
  /// negative. Lengths are in the norm of the preconditioner.
  Step truncated_newton(double radius, int max_steps) const {
    Step step{Lifted::Zero(y_.rows(), y_.cols()), 0.0, false};
    Lifted residual = gradient_;
    Lifted scaled = laplacian_.preconditioned(y_, residual);
    Lifted direction = -scaled;
    const double start = residual.norm();
    const double goal = start * std::min(0.1, start);
    double rz = inner(residual, scaled);
    double length2 = 0;      // of the step
    double along = 0;        // step times direction
    double direction2 = rz;  // of the direction
    for (int k = 0; k < max_steps; ++k) {
      const Lifted curved = hessian_times(direction);
      const double curvature = inner(direction, curved);
      const double size = rz / curvature;
      const double next2 = length2 + 2 * size * along + size * size * direction2;
      if (!(curvature > 0) || next2 >= radius * radius) {
        const double to_border =
            (-along + std::sqrt(along * along + direction2 * (radius * radius - length2))) / direction2;
        step.direction += to_border * direction;
        step.predicted -= to_border * inner(residual, direction) + to_border * to_border * curvature / 2;
        step.at_border = true;
        return step;
      }
      step.direction += size * direction;
      step.predicted += size * rz / 2;
      residual += size * curved;
      length2 = next2;
      if (residual.norm() <= goal) break;
      scaled = laplacian_.preconditioned(y_, residual);
      const double next_rz = inner(residual, scaled);
      const double beta = next_rz / rz;
      rz = next_rz;
      along = beta * (along + size * direction2);
      direction2 = rz + beta * beta * direction2;
      direction = -scaled + beta * direction;
    }
    return step;
  }

 private:
  const ConnectionLaplacian& laplacian_;
  const Lifted& y_;
  Eigen::Matrix<double, Eigen::Dynamic, 3> across_;
  Lifted gradient_;
};

}  // namespace

TrustRegionResult minimise_on_manifold(const ConnectionLaplacian& laplacian, const Lifted& start,
                                       const TrustRegionOptions& options) {
  TrustRegionResult result;
  result.y = on_manifold(start);
  result.cost = laplacian.cost(result.y);
  const double unit = laplacian.mean_degree() * std::sqrt(laplacian.count());
  const double largest_radius = unit * 2.0;
  double radius = largest_radius / 8;
  double best_gradient = INFINITY;
  int stalled = 0;
  for (; result.steps < options.max_steps; ++result.steps) {
    const Model model(laplacian, result.y);
    result.gradient = model.gradient().norm() / unit;
    if (result.gradient <= options.gradient_tolerance) break;
    // At the limit of the arithmetic neither cost nor gradient go down any more.
    stalled = result.gradient < 0.5 * best_gradient ? 0 : stalled + 1;
    best_gradient = std::min(best_gradient, result.gradient);
    if (stalled > 30 && result.gradient < 1e-7) break;
    const Step step = model.truncated_newton(radius, options.max_inner_steps);
    const Lifted next = on_manifold(result.y + step.direction);
    const double next_cost = laplacian.cost(next);
    // Differences below the rounding of the cost say nothing: such a step is taken on trust.
    const double rounding = 1e-14 * (1.0 + result.cost) * laplacian.count();
    const double ratio = (result.cost - next_cost + rounding) / (step.predicted + rounding);
    if (ratio < 0.25) {
      radius /= 4;
    } else if (ratio > 0.75 && step.at_border) {
      radius = std::min(2 * radius, largest_radius);
    }
    if (ratio > 0.1) {
      result.y = next;
      result.cost = next_cost;
    }
  }
  return result;
}

}  // namespace pmtr
