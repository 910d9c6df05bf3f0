// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/assembly_scores.h"

#include <algorithm>

#include "pmtr/core/check.h"
#include "pmtr/evaluate/metrics.h"

namespace pmtr {
namespace {

using Cloud = std::vector<Eigen::Vector3f>;

constexpr double part_cd = 0.01;
constexpr double part_crd = 0.1;

Eigen::Vector3d middle(const Cloud& points) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  for (const auto& p : points) sum += p.cast<double>();
  return sum / static_cast<double>(points.size());
}

Cloud moved(const Rigid3& pose, const Cloud& points) {
  Cloud out;
  out.reserve(points.size());
  for (const auto& p : points) out.push_back((pose * p.cast<double>()).cast<float>());
  return out;
}

std::size_t anchor_of(std::span<const EvaluatedPart> parts) {
  std::size_t anchor = 0;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].area > parts[anchor].area) anchor = i;
  }
  return anchor;
}

Cloud all_true_points(std::span<const EvaluatedPart> parts) {
  Cloud all;
  for (const EvaluatedPart& part : parts) {
    const Cloud own = moved(part.true_world_from_part, part.points);
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

/// One part where it was put and where it belongs.
struct JudgedPart {
  PartScores scores;
  Cloud here;            ///< its points where it was put
  double euler_deg = 0;  ///< root of the mean squared difference of the angles
  double shift = 0;      ///< the same of the coordinates of its middle
};

JudgedPart judge_part(const EvaluatedPart& part, const Rigid3& pose, Threads& threads) {
  JudgedPart judged;
  judged.here = moved(pose, part.points);
  const Cloud there = moved(part.true_world_from_part, part.points);
  const Eigen::Vector3d own_middle = middle(part.points);
  const Eigen::Matrix3d& turned = part.true_world_from_part.rotation;
  const Eigen::Vector3d put = pose * own_middle;
  const Eigen::Vector3d belongs = part.true_world_from_part * own_middle;
  judged.scores.rot_deg = geodesic_degrees(pose.rotation, turned);
  judged.scores.trans = (put - belongs).norm();
  judged.scores.cd = chamfer_distance(judged.here, there, threads);
  judged.scores.crd = correspondence_distance(judged.here, there);
  judged.euler_deg = euler_rmse_degrees(pose.rotation, turned);
  judged.shift = translation_rmse(put, belongs);
  return judged;
}

/// Adds a part to the means over those that count.
void add_part(const JudgedPart& part, bool count_anchor, double count, AssemblyScores& scores) {
  const PartScores& own = part.scores;
  const double others = count - 1.0;
  const double counted = count_anchor ? count : others;
  scores.placed += own.placed / count;
  if (!own.anchor || count_anchor) {
    scores.rmse_r_deg += part.euler_deg / counted;
    scores.rmse_t += part.shift / counted;
    scores.pa_cd += (own.cd < part_cd) / counted;
    scores.pa_crd += (own.crd < part_crd) / counted;
  }
  if (own.anchor) return;
  scores.rot_deg += own.rot_deg / others;
  scores.trans += own.trans / others;
  scores.recall_5_001 += (own.rot_deg < 5.0 && own.trans < 0.01) / others;
  scores.recall_10_005 += own.right() / others;
  scores.pa_cd_free += (own.cd < part_cd) / others;
  scores.complete = scores.complete && own.right();
}

}  // namespace

AssemblyScores score_assembly(std::span<const EvaluatedPart> parts, const ScoreOptions& options,
                              Threads& threads) {
  PMTR_CHECK(parts.size() >= 2, "an assembly has at least two parts");
  const std::size_t anchor = anchor_of(parts);
  const Cloud true_points = all_true_points(parts);
  const Eigen::Vector3d centre = middle(true_points);
  const EvaluatedPart& fixed = parts[anchor];
  // What turns the found assembly into the frame of the truth. An anchor that was not placed stands alone.
  const Rigid3 true_from_found = fixed.true_world_from_part * fixed.found_world_from_part.inverse();

  AssemblyScores scores;
  scores.complete = true;
  Cloud found_points;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const EvaluatedPart& part = parts[i];
    PMTR_CHECK(!part.points.empty(), "a part without points");
    Rigid3 pose = true_from_found * part.found_world_from_part;
    if (i == anchor) {
      pose = part.true_world_from_part;
    } else if (!part.placed || !fixed.placed) {
      pose = {Eigen::Matrix3d::Identity(), centre - middle(part.points)};
    }
    JudgedPart judged = judge_part(part, pose, threads);
    judged.scores.anchor = i == anchor;
    judged.scores.placed = part.placed || i == anchor;
    add_part(judged, options.count_anchor, static_cast<double>(parts.size()), scores);
    scores.parts.push_back(judged.scores);
    found_points.insert(found_points.end(), judged.here.begin(), judged.here.end());
  }
  scores.crd = correspondence_distance(found_points, true_points);
  scores.cd = chamfer_distance(found_points, true_points, threads);
  return scores;
}

}  // namespace pmtr
