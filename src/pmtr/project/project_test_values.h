// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include "pmtr/core/random.h"
#include "pmtr/project/kept_fragment.h"
#include "pmtr/project/kept_pairs.h"
#include "pmtr/project/project.h"

namespace pmtr::test {

inline Eigen::Vector3f some_vector(Random& random) {
  return {static_cast<float>(random.normal()), static_cast<float>(random.normal()),
          static_cast<float>(random.normal())};
}

inline PointCloud some_cloud(std::size_t count, Random& random) {
  PointCloud cloud;
  for (std::size_t i = 0; i < count; ++i) {
    cloud.points.push_back(some_vector(random));
    cloud.normals.push_back(some_vector(random).normalized());
  }
  return cloud;
}

inline FeatureMatrix some_matrix(std::int64_t rows, std::int64_t columns, Random& random) {
  FeatureMatrix matrix{rows, columns, {}};
  for (std::int64_t i = 0; i < rows * columns; ++i)
    matrix.values.push_back(static_cast<float>(random.normal()));
  return matrix;
}

/// With something in every field; 3 superpoints and `points` break points.
inline EncodedFragment some_fragment(std::size_t points = 6, std::uint64_t seed = 1) {
  Random random(seed);
  EncodedFragment fragment;
  fragment.clouds.dense = some_cloud(12, random);
  fragment.clouds.cloud = fragment.clouds.dense;
  fragment.clouds.cloud.points.resize(5);
  fragment.clouds.cloud.normals.resize(5);
  fragment.clouds.faces.assign(12, 7);
  fragment.clouds.area = 0.125 + random.uniform();
  fragment.clouds.centre = {1e6 + random.uniform(), -3.0, 1.0 / 3.0};
  fragment.clouds.unit = 120.5;
  FragmentFeatures& features = fragment.features;
  for (int i = 0; i < 12; ++i) features.fracture.push_back(static_cast<float>(random.uniform()));
  features.breaks.support = some_cloud(4, random);
  features.breaks.support_index = {3, 4, 5, 11};
  features.breaks.support_rim = {0.1F, 0.2F, 0.3F, 0.25F};
  features.breaks.spacing = 0.01F;
  features.breaks.diameter = 0.5F;
  for (std::size_t i = 0; i < points; ++i) {
    features.points.push_back(some_vector(random));
    BreakPoint point;
    point.index = static_cast<std::uint32_t>(i);
    point.position = features.points.back();
    point.normal = point.z = some_vector(random).normalized();
    point.x = some_vector(random);
    point.rim_distance = 0.25F;
    point.has_x = i % 2 == 0;
    features.breaks.points.push_back(point);
    features.patches.superpoint_of_point.push_back(static_cast<std::int32_t>(i % 3));
    features.patches.points.push_back(static_cast<std::int32_t>(i));
  }
  for (int i = 0; i < 3; ++i) features.superpoints.push_back(some_vector(random));
  features.patches.offsets = {0, 1, 1, static_cast<std::int64_t>(points)};
  const auto rows = static_cast<std::int64_t>(points);
  features.as_source = {some_matrix(3, 5, random), some_matrix(rows, 4, random)};
  features.as_target = {some_matrix(3, 5, random), some_matrix(rows, 4, random)};
  return fragment;
}

inline std::vector<KeptMatches> some_matches() {
  Random random(2);
  FramePose pose;
  pose.a_from_b = {random.rotation(), Eigen::Vector3d(0.1, 0.2, 1.0 / 7.0)};
  pose.score = 3.25;
  pose.agreeing = {0, 2};
  return {{0, 1, {{5, 6, 0.5F}, {7, 1, 0.25F}, {8, 0, 0.75F}}, {pose, pose}}, {0, 2, {}, {}}};
}

inline std::vector<PairCandidates> some_candidates() {
  Random random(3);
  PoseCandidate candidate;
  candidate.a_from_b = {random.rotation(), Eigen::Vector3d(0.3, 0.2, 0.1)};
  candidate.confidence = 0.9;
  double value = 0.5;
  JointEvidence& e = candidate.evidence;
  for (double* field : {&e.contact_area, &e.close_area, &e.gap_mean, &e.gap_p95, &e.normal_deviation,
                        &e.coverage_a, &e.coverage_b, &e.penetration_area, &e.penetration_depth,
                        &e.same_side_area, &e.blocked_area, &e.border_agreement, &e.border_step})
    *field = value += 1.0 / 3.0;
  e.contact_points = 17;
  e.border_points = 19;
  return {{0, 3, {candidate}}, {2, 3, {}}};
}

/// Of five fragments in two blocks.
inline Project some_project() {
  Project project;
  project.program = "1.2.3";
  project.seed = 7;
  project.points = 4000;
  project.object_size = 100.0 / 3.0;
  project.area = 12.5;
  project.first_fragments = 5;
  project.units = "mm";
  project.weights = "some.safetensors";
  project.weights_digest = "0123456789abcdef";
  project.block = 3;
  project.blocks = add_blocks({}, 5, 3);
  for (int i = 0; i < 5; ++i)
    project.fragments.push_back({"/scans/" + std::to_string(i) + ".ply",
                                 "00000000000000a" + std::to_string(i), 1000U + static_cast<unsigned>(i), 2.5,
                                 1.0 / (3.0 + i)});
  return project;
}

}  // namespace pmtr::test
