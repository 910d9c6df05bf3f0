// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/evaluate/sample_record.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "pmtr/assemble/witnesses.h"
#include "pmtr/core/check.h"
#include "pmtr/core/index.h"
#include "pmtr/sample/sample_surface.h"

namespace pmtr {
namespace {

/// Those that hold and were judged by witnesses.
std::vector<JointRecord> record_joints(const ScatteredObject& object, const Assembly& assembly,
                                       std::span<const Eigen::Vector3d> centres) {
  std::vector<JointRecord> records;
  for (const Joint& joint : assembly.joints) {
    if (!joint.used || !joint.witnesses) continue;
    const Rigid3 truth =
        object.world_from_piece[at(joint.a)].inverse() * object.world_from_piece[at(joint.b)];
    const Eigen::Vector3d& centre = centres[at(joint.b)];
    const double apart = (joint.a_from_b * centre - truth * centre).norm() / object.object_size;
    const bool right = is_right(rotation_angle_deg(joint.a_from_b.rotation, truth.rotation), apart);
    records.push_back({joint.a, joint.b, joint.confidence, band_of(joint), right});
  }
  return records;
}

}  // namespace

Result<SampleRecord> record_sample(const ScatteredObject& object, const Assembly& assembly, int points,
                                   const ScoreOptions& options, Threads& threads) {
  PMTR_CHECK(assembly.parts.size() == object.pieces.size(), "one pose per piece");
  const auto largest = std::max_element(object.areas.begin(), object.areas.end()) - object.areas.begin();
  const PlacedPart& anchor = assembly.parts[static_cast<std::size_t>(largest)];
  double area = 0.0;
  for (const double own : object.areas) area += own;
  const double to_unit = 1.0 / object.object_size;
  const auto in_units = [&](Rigid3 pose) {
    pose.translation *= to_unit;
    return pose;
  };

  std::vector<EvaluatedPart> parts;
  std::vector<Eigen::Vector3d> centres;
  for (std::size_t i = 0; i < object.pieces.size(); ++i) {
    const double share = object.areas[i] / area * object.area_share;
    const int count = std::max(20, static_cast<int>(std::lround(share * points)));
    PMTR_TRY(const SampledSurface sampled,
             sample_surface(object.pieces[i], count, object.object_size, Random(0, i)));
    centres.push_back(sampled.centre);
    EvaluatedPart part;
    for (const Eigen::Vector3f& p : sampled.cloud.points)
      part.points.emplace_back((p.cast<double>() + to_unit * sampled.centre).cast<float>());
    part.area = object.areas[i];
    part.true_world_from_part = in_units(object.world_from_piece[i]);
    part.found_world_from_part = in_units(assembly.parts[i].world_from_part);
    part.placed =
        anchor.placed && assembly.parts[i].placed && assembly.parts[i].component == anchor.component;
    parts.push_back(std::move(part));
  }

  SampleRecord record;
  record.path = object.path;
  record.object = object.object;
  record.category = object.category;
  record.scores = score_assembly(parts, options, threads);
  const EvaluatedPart& fixed = parts[static_cast<std::size_t>(largest)];
  const Rigid3 true_from_found = fixed.true_world_from_part * fixed.found_world_from_part.inverse();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    PieceRecord piece;
    piece.share = object.areas[i] / area * object.area_share;
    piece.confidence = assembly.parts[i].confidence;
    piece.scores = record.scores.parts[i];
    if (piece.scores.placed)
      piece.displacement =
          true_from_found * parts[i].found_world_from_part * parts[i].true_world_from_part.inverse();
    record.pieces.push_back(piece);
  }
  record.joints = record_joints(object, assembly, centres);
  return record;
}

ConfidenceScores confidence_scores(std::span<const SampleRecord> samples) {
  ConfidenceScores scores;
  for (const SampleRecord& sample : samples) {
    for (const JointRecord& joint : sample.joints) scores.add(joint);
    for (const PieceRecord& piece : sample.pieces) {
      if (piece.scores.placed && !piece.scores.anchor)
        scores.pieces.push_back({piece.confidence, piece.scores.right()});
    }
  }
  return scores;
}

std::span<const Measure> all_measures() {
  using R = const SampleRecord&;
  using V = std::optional<double>;
  static constexpr std::array measures{
      Measure{"crd", [](R r) -> V { return r.scores.crd; }},
      Measure{"cd", [](R r) -> V { return r.scores.cd; }},
      Measure{"rmse_r_deg", [](R r) -> V { return r.scores.rmse_r_deg; }},
      Measure{"rmse_t", [](R r) -> V { return r.scores.rmse_t; }},
      Measure{"pa_cd", [](R r) -> V { return r.scores.pa_cd; }},
      Measure{"pa_crd", [](R r) -> V { return r.scores.pa_crd; }},
      Measure{"rot_deg", [](R r) -> V { return r.scores.rot_deg; }},
      Measure{"trans", [](R r) -> V { return r.scores.trans; }},
      Measure{"recall_5_001", [](R r) -> V { return r.scores.recall_5_001; }},
      Measure{"recall_10_005", [](R r) -> V { return r.scores.recall_10_005; }},
      Measure{"complete", [](R r) -> V { return r.scores.complete ? 1.0 : 0.0; }},
      Measure{"pa_cd_free", [](R r) -> V { return r.scores.pa_cd_free; }},
      Measure{"placed", [](R r) -> V { return r.scores.placed; }},
      Measure{"coarse_inliers", [](R r) -> V { return r.coarse_inliers; }},
      Measure{"fine_inliers", [](R r) -> V { return r.fine_inliers; }},
      Measure{"seconds", [](R r) -> V { return r.seconds; }},
  };
  return measures;
}

}  // namespace pmtr
