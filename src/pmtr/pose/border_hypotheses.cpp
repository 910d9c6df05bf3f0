// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cmath>
#include <numeric>

#include <algorithm>

#include "pmtr/pose/pose_hypotheses.h"

namespace pmtr {
namespace {

// Cosines of the angle between the outer surface and the fracture may differ by so much: about 25 degrees.
constexpr float angle_tolerance = 0.42F;

struct Frame {
  Eigen::Matrix3f axes;
  Eigen::Vector3f position;
  float cosine;
  std::int32_t fracture_point;
  std::int32_t border_point;
};

/// Halfway between the two normals, so that an error in either turns the frame only half as far.
Frame frame_of(const BorderPoint& place, float side) {
  const Eigen::Vector3f fracture = side * place.fracture_normal;
  Frame frame;
  frame.position = place.position;
  frame.cosine = place.outer_normal.dot(fracture);
  frame.fracture_point = place.fracture_point;
  const Eigen::Vector3f along = place.outer_normal.cross(fracture).normalized();
  const Eigen::Vector3f between = (place.outer_normal + fracture).normalized();
  frame.axes.col(0) = along;
  frame.axes.col(1) = between;
  frame.axes.col(2) = along.cross(between);
  return frame;
}

/// The border points whose turn it is: all, or `limit` of them by the score of their fracture point.
std::vector<Frame> chosen_frames(const OrientedCloud& cloud, std::size_t limit, float side, Random& random) {
  std::vector<std::size_t> order(cloud.border.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() > limit) {
    // Weighted order without replacement: the smallest of exponential waiting times.
    std::vector<double> wait(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto& p = cloud.fracture[static_cast<std::size_t>(cloud.border[i].fracture_point)];
      wait[i] = -std::log(1.0 - random.uniform()) / std::max(1e-9, static_cast<double>(p.score));
    }
    std::sort(order.begin(), order.end(),
              [&](std::size_t x, std::size_t y) { return wait[x] != wait[y] ? wait[x] < wait[y] : x < y; });
    order.resize(limit);
  }
  std::vector<Frame> frames;
  frames.reserve(order.size());
  for (const std::size_t i : order) {
    frames.push_back(frame_of(cloud.border[i], side));
    frames.back().border_point = static_cast<std::int32_t>(i);
  }
  return frames;
}

}  // namespace

Rigid3 PoseHypothesis::pose() const {
  Rigid3 result{rotation.cast<double>(), translation.cast<double>()};
  result.rotation = Eigen::Quaterniond(result.rotation).normalized().toRotationMatrix();
  return result;
}

PoseHypothesis PoseHypothesis::of(const Rigid3& a_from_b) {
  PoseHypothesis result;
  result.rotation = a_from_b.rotation.cast<float>();
  result.translation = a_from_b.translation.cast<float>();
  return result;
}

std::vector<PoseHypothesis> border_hypotheses(const OrientedCloud& a, const OrientedCloud& b,
                                              std::size_t limit, Random random) {
  // The smaller border is kept whole as long as possible.
  const std::size_t smaller = std::min(a.border.size(), b.border.size());
  std::vector<PoseHypothesis> result;
  if (smaller == 0 || limit == 0) return result;
  const auto root = static_cast<std::size_t>(std::sqrt(static_cast<double>(limit)));
  const std::size_t few = std::max<std::size_t>(1, std::min(smaller, root));
  const std::size_t many = std::max<std::size_t>(1, limit / few);
  const bool a_is_smaller = a.border.size() <= b.border.size();
  const auto frames_a = chosen_frames(a, a_is_smaller ? few : many, 1.0F, random);
  const auto frames_b = chosen_frames(b, a_is_smaller ? many : few, -1.0F, random);
  for (const Frame& fa : frames_a) {
    for (const Frame& fb : frames_b) {
      if (std::abs(fa.cosine - fb.cosine) > angle_tolerance) continue;
      PoseHypothesis h;
      h.rotation = fa.axes * fb.axes.transpose();
      h.translation = fa.position - h.rotation * fb.position;
      h.b_first = h.b_second = fb.fracture_point;
      h.b_border = fb.border_point;
      result.push_back(h);
    }
  }
  return result;
}

}  // namespace pmtr
