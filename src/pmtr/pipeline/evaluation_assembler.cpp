// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/evaluation_assembler.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "pmtr/pipeline/stages_seen.h"

namespace pmtr {
namespace {

Result<PoseMethod> parse_pose(const std::string& text) {
  if (text == "lgr") return PoseMethod::lgr;
  if (text == "matches") return PoseMethod::matches;
  if (text == "surfaces") return PoseMethod::surfaces;
  if (text == "both") return PoseMethod::both;
  return invalid_option(fmt::format("--pose {}: must be lgr, matches, surfaces or both", text));
}

/// Of the points of two breaks that are each other's nearest, how many are at one place.
MatchInliers count_mutual(const AssembleResult& result, const MatchedPair& pair, const Rigid3& a_from_b) {
  constexpr double near = 0.03;
  const auto& from = result.features[static_cast<std::size_t>(pair.a)].points;
  const auto& to = result.features[static_cast<std::size_t>(pair.b)].points;
  MatchInliers inliers;
  for (const RowMatch& match : pair.mutual) {
    const Eigen::Vector3d moved = a_from_b * to[static_cast<std::size_t>(match.b)].cast<double>();
    ++inliers.points;
    if ((moved - from[static_cast<std::size_t>(match.a)].cast<double>()).norm() < near)
      ++inliers.right_points;
  }
  return inliers;
}

/// Of the matches between pieces that touch in truth, how many are right.
MatchInliers count_matches(const ScatteredObject& object, const AssembleResult& result) {
  constexpr double touching = 0.02;
  MatchInliers inliers;
  for (const MatchedPair& pair : result.matched) {
    if (std::find(object.adjacent.begin(), object.adjacent.end(), std::pair(pair.a, pair.b)) ==
        object.adjacent.end())
      continue;
    const auto a = static_cast<std::size_t>(pair.a);
    const auto b = static_cast<std::size_t>(pair.b);
    const Rigid3 a_from_b = object.world_from_piece[a].inverse() * object.world_from_piece[b];
    const Rigid3 truth = in_object_frame(a_from_b, result.fragments[a], result.fragments[b]);
    inliers += count_inliers(result.features[a], result.features[b], pair.matches, truth, touching);
    if (pair.matches.correspondences.empty()) inliers += count_mutual(result, pair, truth);
  }
  return inliers;
}

/// How well the breaks of each piece were seen. Nothing where the truth is not known by face.
std::vector<LabelledCloud> labelled_clouds(const ScatteredObject& object, const AssembleResult& result) {
  std::vector<LabelledCloud> clouds;
  if (object.broken_faces.empty()) return clouds;
  for (std::size_t i = 0; i < result.fragments.size(); ++i) {
    const FragmentClouds& fragment = result.fragments[i];
    if (result.features[i].fracture.size() != fragment.faces.size()) return {};
    LabelledCloud& cloud = clouds.emplace_back();
    for (const std::uint32_t face : fragment.faces) cloud.broken.push_back(object.broken_faces[i][face]);
    cloud.said = result.features[i].fracture;
    cloud.points = fragment.dense;
    cloud.score = score_labels(cloud.said, cloud.broken);
    cloud.score.share =
        object.areas[i] / std::accumulate(object.areas.begin(), object.areas.end(), 0.0) * object.area_share;
    cloud.score.object = object.path;
    cloud.score.fragment = fmt::format("{}", i);
  }
  return clouds;
}

}  // namespace

Result<AssembleOptions> evaluated_options(const std::string& pose, bool place_all, std::uint64_t seed,
                                          const FragmentEncoder& encoder) {
  AssembleOptions options;
  PMTR_TRY(options.method, parse_pose(pose));
  options.seed = seed;
  options.rematch.place_all = place_all;
  if (encoder.options().norm_scope == NormScope::pair)
    options.match.registration = RegistrationOptions::reference();
  return options;
}

Assembler make_assembler(const FragmentEncoder& encoder, const AssembleOptions& options, Telling telling,
                         WorstLabels* worst) {
  return [&encoder, options, telling, worst](const AssemblyTask& task, Threads& threads,
                                             const Listener& listener) -> Result<AssembledSample> {
    AssembleOptions own = options;
    if (telling.true_neighbours) own.known_neighbours = task.object.adjacent;
    if (telling.true_labels) {
      own.known_breaks = task.object.broken_faces;
      if (own.known_breaks.empty())
        return Error{Cause::unsupported, "the true breaks of these pieces are not known", {}};
    }
    own.sample.points = task.points;
    own.sample.dense_points = task.dense_points;
    if (task.object_size) own.object_size = *task.object_size;
    PMTR_TRY(AssembleResult result,
             assemble_fragments(pointers_to(task.object.pieces), encoder, own, threads, listener));
    const MatchInliers inliers = count_matches(task.object, result);
    AssembledSample sample;
    sample.inliers = inliers;
    if (telling.explain) sample.stages = stages_seen(task.object, result, threads);
    sample.assembly = std::move(result.assembly);
    for (LabelledCloud& cloud : labelled_clouds(task.object, result)) {
      sample.labels.push_back(cloud.score);
      if (worst != nullptr) worst->add(std::move(cloud));
    }
    return sample;
  };
}

}  // namespace pmtr
