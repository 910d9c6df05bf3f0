// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/oriented_cloud.h"

#include <algorithm>
#include <cmath>

#include "pmtr/core/check.h"
#include "pmtr/pose/fracture_border.h"
#include "pmtr/pyramid/neighbours.h"

namespace pmtr {
namespace {

template <class Points>
std::vector<Eigen::Vector3f> positions(const Points& points) {
  std::vector<Eigen::Vector3f> result;
  result.reserve(points.size());
  for (const auto& p : points) result.push_back(p.position);
  return result;
}

std::vector<float> smooth_scores(const std::vector<OrientedPoint>& points,
                                 std::span<const Eigen::Vector3f> places, std::span<const float> scores,
                                 float radius, Threads& threads) {
  std::vector<float> result(scores.begin(), scores.end());
  if (!(radius > 0.0F)) return result;
  const NeighbourTable table = find_neighbours(places, places, radius, 24, TieOrder::index, threads);
  const auto width = static_cast<std::size_t>(table.width);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    double sum = 0.0;
    double total = 0.0;
    for (std::size_t k = 0; k < width; ++k) {
      const auto j = static_cast<std::size_t>(table.index[i * width + k]);
      if (j >= scores.size()) break;
      const float c = points[i].normal.dot(points[j].normal);
      if (c <= 0.5F) continue;  // another face, or the other side of a wall
      const double weight = static_cast<double>(c) * static_cast<double>(c);
      sum += weight * static_cast<double>(scores[j]);
      total += weight;
    }
    if (total > 0.0) result[i] = static_cast<float>(sum / total);
  }
  return result;
}

void link_fracture_neighbours(OrientedCloud& result, const std::vector<Eigen::Vector3f>& fracture,
                              Threads& threads) {
  constexpr int count = OrientedCloud::neighbour_count;
  const NeighbourTable table =
      find_neighbours(fracture, fracture, 3.0F * result.spacing, count + 1, TieOrder::index, threads);
  const auto width = static_cast<std::size_t>(table.width);
  result.fracture_neighbours.resize(fracture.size());
  for (std::size_t i = 0; i < fracture.size(); ++i) {
    auto& list = result.fracture_neighbours[i];
    list.fill(static_cast<std::int32_t>(i));
    std::size_t filled = 0;
    for (std::size_t k = 0; k < width && filled < list.size(); ++k) {
      const auto j = static_cast<std::size_t>(table.index[i * width + k]);
      if (j >= fracture.size()) break;
      if (j != i) list[filled++] = static_cast<std::int32_t>(j);
    }
  }
}

/// The line between surfaces that are rather broken and rather not, although the fracture set itself also
/// holds points that are doubtful: one doubtful patch must not move the line.
std::vector<BorderPoint> border_of(const OrientedCloud& cloud, double border_score, Threads& threads) {
  std::vector<OrientedPoint> broken;
  std::vector<OrientedPoint> whole = cloud.outer;
  std::vector<std::int32_t> place;
  for (std::size_t i = 0; i < cloud.fracture.size(); ++i) {
    const bool likely = static_cast<double>(cloud.fracture[i].score) >= border_score;
    (likely ? broken : whole).push_back(cloud.fracture[i]);
    if (likely) place.push_back(static_cast<std::int32_t>(i));
  }
  std::vector<BorderPoint> border = find_border(broken, whole, cloud.fracture_field, cloud.spacing, threads);
  for (BorderPoint& p : border) p.fracture_point = place[static_cast<std::size_t>(p.fracture_point)];
  return border;
}

/// All that depends on the scores, and the field of the surface where it is not there yet.
void label_points(OrientedCloud& cloud, std::span<const float> scores, const OrientedCloudOptions& options,
                  Threads& threads) {
  PMTR_CHECK(scores.size() == cloud.points.size(), "one fracture score per point");
  const std::vector<Eigen::Vector3f> places = positions(cloud.points);
  const std::vector<float> smooth = smooth_scores(
      cloud.points, places, scores, static_cast<float>(options.smoothing_radius) * cloud.spacing, threads);
  for (std::size_t i = 0; i < places.size(); ++i) {
    OrientedPoint& point = cloud.points[i];
    point.score = smooth[i];
    (static_cast<double>(smooth[i]) >= options.min_fracture_score ? cloud.fracture : cloud.outer)
        .push_back(point);
  }
  const std::vector<Eigen::Vector3f> fracture = positions(cloud.fracture);
  threads.parallel_for(2, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t k = begin; k < end; ++k) {
      if (k == 0 && cloud.surface_field.empty())
        cloud.surface_field = NearestField(places, cloud.spacing, 2, true);
      if (k == 1) cloud.fracture_field = NearestField(fracture, cloud.spacing, 3, false);
    }
  });
  link_fracture_neighbours(cloud, fracture, threads);
  cloud.border = border_of(cloud, options.border_score, threads);
  const std::vector<Eigen::Vector3f> border = positions(cloud.border);
  cloud.border_field = NearestField(border, cloud.spacing, 3, false);
  cloud.near_border.resize(places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const std::int32_t at = cloud.border_field.lookup(places[i]);
    cloud.near_border[i] =
        at >= 0 && (border[static_cast<std::size_t>(at)] - places[i]).norm() < 2.0F * cloud.spacing ? 1 : 0;
  }
}

}  // namespace

Status OrientedCloudOptions::validate() const {
  const auto bad = [](const char* message) { return Error{Cause::invalid_option, message, {}}; };
  if (!(min_fracture_score >= 0.0 && min_fracture_score <= 1.0))
    return bad("the least fracture score must be in [0, 1]");
  if (!(border_score >= min_fracture_score && border_score <= 1.0))
    return bad("the score at the border must be from the least fracture score to 1");
  if (!(smoothing_radius >= 0.0 && smoothing_radius <= 10.0))
    return bad("the smoothing radius must be 0 to 10 point spacings");
  return {};
}

double OrientedCloud::reach() const {
  double farthest = 0.0;
  for (const OrientedPoint& p : points)
    farthest = std::max(farthest, (p.position.cast<double>() - centre).norm());
  return farthest;
}

OrientedCloud orient_cloud(const PointCloud& cloud, std::span<const float> scores, double area,
                           const OrientedCloudOptions& options, Threads& threads) {
  PMTR_CHECK(cloud.normals.size() == cloud.points.size(), "the pose search needs normals");
  PMTR_CHECK(area > 0.0 && !cloud.points.empty(), "a surface has points and an area");
  OrientedCloud result;
  const auto count = static_cast<double>(cloud.points.size());
  result.spacing = static_cast<float>(std::sqrt(area / count));
  for (std::size_t i = 0; i < cloud.points.size(); ++i) {
    result.points.push_back({cloud.points[i], 0.0F, cloud.normals[i], static_cast<std::int32_t>(i)});
    result.centre += cloud.points[i].cast<double>() / count;
  }
  for (const auto& p : cloud.points) {
    const Eigen::Vector3d d = p.cast<double>() - result.centre;
    result.covariance += d * d.transpose() / count;
  }
  label_points(result, scores, options, threads);
  return result;
}

OrientedCloud with_scores(const OrientedCloud& cloud, std::span<const float> scores,
                          const OrientedCloudOptions& options, Threads& threads) {
  OrientedCloud result;
  result.points = cloud.points;
  result.surface_field = cloud.surface_field;
  result.spacing = cloud.spacing;
  result.centre = cloud.centre;
  result.covariance = cloud.covariance;
  label_points(result, scores, options, threads);
  return result;
}

}  // namespace pmtr
