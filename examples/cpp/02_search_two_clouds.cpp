// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
//
// Two clouds with normals and a label per point (broken here or not) in, the pose between them out. No
// network: labels may come from anywhere. Here a ball is broken in two along a bumpy wall.
#include <cmath>
#include <cstdio>
#include <vector>

#include "pmtr/pose/pose_search.h"

namespace {

struct Fragment {
  pmtr::PointCloud cloud;
  std::vector<float> broken;  // per point: how surely it lies on the break, 0 to 1
};

double height(double x, double y) {
  return 0.04 * std::sin(11 * x + 2 * y) + 0.05 * std::sin(7 * y - 5 * x * x);
}

/// The half of a ball above (side 1) or below (side -1) the wall z = height(x, y), moved by
/// `moved_from_ball`.
Fragment half_ball(double side, const pmtr::Rigid3& moved_from_ball) {
  constexpr int count = 4000;
  constexpr double radius = 0.5, golden_angle = 2.399963229728653;
  Fragment half;
  const auto add = [&](const Eigen::Vector3d& point, const Eigen::Vector3d& normal, float broken) {
    half.cloud.points.push_back((moved_from_ball * point).cast<float>());
    half.cloud.normals.push_back((moved_from_ball.rotation * normal.normalized()).cast<float>());
    half.broken.push_back(broken);
  };
  for (int i = 0; i < count; ++i) {  // even points on the sphere
    const double z = 1 - (2 * i + 1.0) / count, r = std::sqrt(1 - z * z);
    const Eigen::Vector3d p(r * std::cos(golden_angle * i), r * std::sin(golden_angle * i), z);
    if (side * (radius * z - height(radius * p.x(), radius * p.y())) > 0) add(radius * p, p, 0.0F);
  }
  for (int i = 0; i < count / 4; ++i) {  // and on the wall, whose disc has a quarter of the sphere's area
    const double r = radius * std::sqrt((i + 0.5) * 4 / count), angle = golden_angle * i + side;
    const double x = r * std::cos(angle), y = r * std::sin(angle), h = height(x, y), step = 1e-5;
    if (x * x + y * y + h * h > radius * radius) continue;
    const Eigen::Vector3d up((h - height(x + step, y)) / step, (h - height(x, y + step)) / step, 1);
    add({x, y, h}, -side * up, 1.0F);
  }
  return half;
}

}  // namespace

int main() {
  const Eigen::Vector3d axis = Eigen::Vector3d(1, 2, -1).normalized();
  const pmtr::Rigid3 moved{Eigen::AngleAxisd(2.0, axis).toRotationMatrix(), {0.3, -0.2, 0.7}};
  const Fragment top = half_ball(1, {}), bottom = half_ball(-1, moved);

  // The object's longest side is about 1, which is what the defaults are meant for. Each half has 3/4 of the
  // sphere's area: half of the sphere and the wall.
  const double area = 0.75 * 3.14159265;
  pmtr::Threads threads(2);
  const pmtr::OrientedCloud a = pmtr::orient_cloud(top.cloud, top.broken, area, {}, threads);
  const pmtr::OrientedCloud b = pmtr::orient_cloud(bottom.cloud, bottom.broken, area, {}, threads);
  const std::vector<pmtr::PoseCandidate> found = pmtr::search_poses(a, b, {}, {}, threads);
  if (found.empty()) {
    std::printf("no pose found\n");
    return 1;
  }
  const pmtr::PoseCandidate& best = found.front();
  const pmtr::Rigid3 truth = moved.inverse();
  std::printf("%zu poses, the best with confidence %.2f: off by %.2f degrees and %.4f\n", found.size(),
              best.confidence, pmtr::rotation_angle(best.a_from_b.rotation, truth.rotation) * 57.29578,
              (best.a_from_b.translation - truth.translation).norm());
}
