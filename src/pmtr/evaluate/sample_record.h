// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pmtr/assemble/assembly.h"
#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/evaluate/assembly_scores.h"
#include "pmtr/evaluate/confidence_scores.h"
#include "pmtr/evaluate/label_scores.h"
#include "pmtr/evaluate/piece_losses.h"
#include "pmtr/evaluate/scattered_object.h"

namespace pmtr {

/// What became of one piece.
struct PieceRecord {
  double share = 0.0;  ///< of the whole object's surface
  double confidence = 0.0;
  PartScores scores;
  /// From where the piece belongs to where it was put, both in the frame of the whole object; the identity is
  /// right. Nothing where it was not placed.
  std::optional<Rigid3> displacement;
  std::optional<LabelScore> labels;  ///< how well its breaks were seen; nothing where that was not measured
  std::optional<PieceLoss> loss;     ///< why it is wrong; nothing where it is right or nobody asked
};

/// What became of one broken object.
struct SampleRecord {
  std::string path;
  std::string object;
  std::string category;
  AssemblyScores scores;
  double seconds = 0.0;                  ///< wall time of the assembly
  std::optional<double> coarse_inliers;  ///< of the superpoint matches of touching pieces, how many overlap
  std::optional<double> fine_inliers;    ///< of their point matches, how many touch
  std::vector<PieceRecord> pieces;
  std::vector<JointRecord> joints;  ///< that hold, and of which witnesses were asked
};

/// Compares an assembly with the truth on `points` points per object. Pieces that are not joined to the
/// largest one count as not placed: where they stand says nothing.
Result<SampleRecord> record_sample(const ScatteredObject& object, const Assembly& assembly, int points,
                                   const ScoreOptions& options, Threads& threads);

/// A number that is recorded of every sample.
struct Measure {
  const char* name;
  /// Nothing where it was not measured.
  std::optional<double> (*of)(const SampleRecord& record);
};
std::span<const Measure> all_measures();

/// How far joints and pieces of these samples were believed rightly.
ConfidenceScores confidence_scores(std::span<const SampleRecord> samples);

}  // namespace pmtr
