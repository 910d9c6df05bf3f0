// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/explain_pair.h"

#include <algorithm>
#include <cmath>

#include "pmtr/core/index.h"
#include "pmtr/match/tsne.h"
#include "pmtr/pipeline/sample_meshes.h"
#include "pmtr/pipeline/usable_scans.h"

namespace pmtr {
namespace {

void make_unit(FeatureMatrix& rows) {
  for (std::int64_t i = 0; i < rows.rows; ++i) {
    const auto row =
        std::span(rows.values)
            .subspan(static_cast<std::size_t>(i * rows.columns), static_cast<std::size_t>(rows.columns));
    double squares = 0.0;
    for (const float value : row) squares += static_cast<double>(value) * value;
    const auto scale = static_cast<float>(1.0 / std::max(1e-12, std::sqrt(squares)));
    for (float& value : row) value *= scale;
  }
}

/// The largest product of each row with one of `proxies`.
std::vector<float> nearest_proxies(const FeatureMatrix& rows, const FeatureMatrix& proxies) {
  std::vector<float> nearest;
  for (std::int64_t i = 0; i < rows.rows && proxies.rows > 0; ++i) {
    float best = -1.0F;
    for (std::int64_t p = 0; p < proxies.rows; ++p) {
      float product = 0.0F;
      for (std::size_t c = 0; c < static_cast<std::size_t>(rows.columns); ++c)
        product += rows.row(i)[c] * proxies.row(p)[c];
      best = std::max(best, product);
    }
    nearest.push_back(best);
  }
  return nearest;
}

std::vector<bool> near_to(const std::vector<Eigen::Vector3f>& points, const Rigid3& moved,
                          const std::vector<Eigen::Vector3f>& partner) {
  constexpr double radius = 0.04;
  std::vector<bool> near;
  for (const Eigen::Vector3f& point : points) {
    const Eigen::Vector3f there = (moved * point.cast<double>()).cast<float>();
    near.push_back(std::any_of(partner.begin(), partner.end(), [&](const Eigen::Vector3f& other) {
      return (there - other).norm() < radius;
    }));
  }
  return near;
}

/// Where superpoints and proxies lie in the plane.
void lay_out(PairExplanation& explanation, std::array<ProxySpace, 2>& spaces, std::uint64_t seed) {
  FeatureMatrix all{0, spaces[0].superpoints.columns, {}};
  const auto append = [&](const FeatureMatrix& rows) {
    all.rows += rows.rows;
    all.values.insert(all.values.end(), rows.values.begin(), rows.values.end());
  };
  for (std::size_t i = 0; i < 2; ++i) {
    make_unit(spaces[i].superpoints);
    make_unit(spaces[i].proxies);
    explanation.fragments[i].proxy_cosines = nearest_proxies(spaces[i].superpoints, spaces[i].proxies);
    append(spaces[i].superpoints);
  }
  append(spaces[0].proxies);
  // Where each role has proxies of its own, both sets are shown.
  if (spaces[1].proxies.values != spaces[0].proxies.values) append(spaces[1].proxies);
  const std::vector<Eigen::Vector2d> places = tsne(all, {}, Random(seed));
  auto next = places.begin();
  for (std::size_t i = 0; i < 2; ++i) {
    const auto end = next + spaces[i].superpoints.rows;
    explanation.fragments[i].places.assign(next, end);
    next = end;
  }
  explanation.proxies.assign(next, places.end());
}

}  // namespace

Result<PairExplanation> explain_pair(const std::array<const TriangleMesh*, 2>& meshes,
                                     const FragmentEncoder& encoder, const AssembleOptions& options,
                                     Threads& threads, const Listener& listener) {
  if (encoder.options().norm_scope == NormScope::pair)
    return Error{Cause::unsupported, "these weights normalise over both fragments of a pair", {}};
  PMTR_TRY(const UsableScans scans, make_usable(meshes, options, threads, listener));
  PMTR_TRY(const SampledMeshes sampled, sample_meshes(scans.surfaces(), options, threads, listener));
  const std::vector<FragmentClouds>& clouds = sampled.fragments;
  PMTR_TRY(const std::vector<FragmentFeatures> features,
           encode_fragments(clouds, options.known_breaks, encoder, threads, listener));
  PairExplanation explanation;
  std::array<ProxySpace, 2> spaces;
  for (std::size_t i = 0; i < 2; ++i) {
    if (features[i].points.empty())
      return Error{Cause::empty, "no break is seen on one of the fragments: nothing to match", {}};
    PMTR_TRY(FragmentInput input, prepare_input(clouds[i].cloud, clouds[i].dense, clouds[i].area,
                                                clouds[i].object_size, encoder.options(), SIZE_MAX, threads));
    input.known_fracture = features[i].fracture;
    spaces[i] = encoder.proxy_space(input, i == 0 ? Role::source : Role::target, threads);
    explanation.fragments[i].attention_evenness = spaces[i].attention_evenness;
    explanation.fragments[i].surface = clouds[i].dense.points;
    explanation.fragments[i].points = features[i].points;
    explanation.fragments[i].superpoints = features[i].superpoints;
  }
  lay_out(explanation, spaces, options.seed);

  const std::vector<std::pair<int, int>> pair{{0, 1}};
  std::vector<OrientedCloud> surfaces;
  if (!encoder.options().break_cloud)
    surfaces = orient_fragments(clouds, features, options.oriented, threads);
  const MatchedPair matched = match_pairs(features, surfaces, pair, encoder.dustbin_score(), options.match,
                                          threads, listener, features_of_pair(encoder, features, threads))[0];
  std::vector<std::pair<int, int>> matches;
  for (const RowMatch& match : matched.mutual) matches.emplace_back(match.a, match.b);
  if (matched.mutual.empty())
    for (const Correspondence& match : matched.matches.correspondences)
      matches.emplace_back(match.source, match.target);
  if (!matched.frame_poses.empty()) {
    explanation.first_from_second = matched.frame_poses.front().a_from_b;
  } else if (!matched.poses.empty()) {
    explanation.first_from_second = matched.poses.front();
  }
  for (std::size_t i = 0; i < 2; ++i)
    explanation.fragments[i].near_partner.assign(explanation.fragments[i].superpoints.size(), false);
  if (explanation.first_from_second) {
    const Rigid3& pose = *explanation.first_from_second;
    explanation.fragments[0].near_partner =
        near_to(explanation.fragments[0].superpoints, pose.inverse(), explanation.fragments[1].points);
    explanation.fragments[1].near_partner =
        near_to(explanation.fragments[1].superpoints, pose, explanation.fragments[0].points);
  }
  for (const auto& [a, b] : matches) {
    const Eigen::Vector3d p = explanation.fragments[0].points[at(a)].cast<double>();
    const Eigen::Vector3d q = explanation.fragments[1].points[at(b)].cast<double>();
    const bool agrees = explanation.first_from_second &&
                        (*explanation.first_from_second * q - p).norm() < options.match.frames.agreement;
    (agrees ? explanation.agreeing : explanation.others).emplace_back(a, b);
  }
  return explanation;
}

}  // namespace pmtr
