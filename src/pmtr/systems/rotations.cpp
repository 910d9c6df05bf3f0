// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/rotations.h"

#include <torch/types.h>

#include "pmtr/core/check.h"

namespace pmtr {

torch::Tensor unit_rows(const torch::Tensor& rows) {
  return rows / rows.square().sum(-1, true).sqrt().clamp_min(1e-12);
}

torch::Tensor matrices_of_quaternions(const torch::Tensor& quaternions) {
  PMTR_CHECK(quaternions.dim() == 2 && quaternions.size(1) == 4, "quaternions are [n, 4]");
  const std::vector<torch::Tensor> q = quaternions.unbind(1);
  const auto &w = q[0], &x = q[1], &y = q[2], &z = q[3];
  return torch::stack({1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z),
                       1 - 2 * (x * x + z * z), 2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x),
                       1 - 2 * (x * x + y * y)},
                      1)
      .view({-1, 3, 3});
}

torch::Tensor matrices_of_axes(const torch::Tensor& axes) {
  PMTR_CHECK(axes.dim() == 2 && axes.size(1) == 6, "two axes are [n, 6]");
  const torch::Tensor x = unit_rows(axes.narrow(1, 0, 3));
  const torch::Tensor second = axes.narrow(1, 3, 3);
  const torch::Tensor y = unit_rows(second - (x * second).sum(1, true) * x);
  return torch::stack({x, y, torch::cross(x, y, 1)}, 2);
}

PartPoses poses_of(std::span<const Rigid3> object_from_part) {
  const auto count = static_cast<std::int64_t>(object_from_part.size());
  PartPoses poses{torch::empty({count, 3, 3}), torch::empty({count, 3}), torch::empty({count, 4})};
  auto* matrix = poses.rotation.data_ptr<float>();
  auto* shift = poses.translation.data_ptr<float>();
  auto* numbers = poses.quaternion.data_ptr<float>();
  for (const Rigid3& motion : object_from_part) {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) *matrix++ = static_cast<float>(motion.rotation(r, c));
      *shift++ = static_cast<float>(motion.translation[r]);
    }
    const Eigen::Quaterniond q(motion.rotation);
    const double sign = q.w() < 0.0 ? -1.0 : 1.0;
    for (const double value : {q.w(), q.x(), q.y(), q.z()}) *numbers++ = static_cast<float>(sign * value);
  }
  return poses;
}

std::vector<Rigid3> motions_of(const PartPoses& poses) {
  const torch::Tensor matrices = poses.rotation.detach().to(torch::kDouble).contiguous();
  const torch::Tensor shifts = poses.translation.detach().to(torch::kDouble).contiguous();
  std::vector<Rigid3> motions(static_cast<std::size_t>(matrices.size(0)));
  const double* matrix = matrices.data_ptr<double>();
  const double* shift = shifts.data_ptr<double>();
  for (Rigid3& motion : motions) {
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) motion.rotation(r, c) = *matrix++;
      motion.translation[r] = *shift++;
    }
    // Single precision leaves a matrix a little off a rotation.
    motion.rotation = Eigen::Quaterniond(motion.rotation).normalized().toRotationMatrix();
  }
  return motions;
}

torch::Tensor rotated(const torch::Tensor& points, const torch::Tensor& rotation) {
  return torch::bmm(points, rotation.transpose(1, 2));
}

}  // namespace pmtr
