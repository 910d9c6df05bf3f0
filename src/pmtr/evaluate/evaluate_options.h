// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "pmtr/core/result.h"
#include "pmtr/core/shard.h"
#include "pmtr/dataset/layout.h"
#include "pmtr/evaluate/assembly_scores.h"

namespace pmtr {

/// Which samples are evaluated, what is made of them, and how the result is measured.
struct EvaluateOptions {
  /// The fractures of the dataset that are meant; 2 to 20 pieces, as in the paper.
  LayoutOptions layout = two_to_twenty_parts();
  bool volume_constrained = false;  ///< only fractures whose pieces all hold 1/40 of the volume
  bool pairs = false;               ///< touching pieces two by two, not whole objects
  double least_overlap = 0.03;      ///< of pairs: common surface over that of the smaller piece
  std::optional<int> limit;         ///< at most this many samples, spread over the dataset
  Shard shard;                      ///< samples index, index + count, ...

  int points = 5000;           ///< per whole object: those that a network sees, and those that are scored
  int dense_points = 20000;    ///< per whole object, for the search of poses
  double triangles = 1.0;      ///< pieces are decimated to this share of their triangles
  bool points_only = false;    ///< pieces are clouds of `cloud_points`, without faces and normals
  int cloud_points = 100000;   ///< per whole object, with `points_only`; at least a twentieth for a piece
  bool estimate_size = false;  ///< the assembler does not get the size of the whole object
  std::uint64_t seed = 0;      ///< how pieces are scattered

  /// Whether RMSE and part accuracy count the anchor (ScoreOptions). Nothing: as the paper does, which leaves
  /// it out for pairs and two-part objects and counts it for objects of many parts.
  std::optional<bool> count_anchor;

  bool one_by_one = false;  ///< one sample after the other, each with all threads: for the time per object

  Status validate() const;
  ScoreOptions score() const;

 private:
  static LayoutOptions two_to_twenty_parts();
};

/// The options as `Evaluation::config` has them. Shards of one evaluation differ in "shard" alone.
std::map<std::string, std::string> describe(const EvaluateOptions& options);

}  // namespace pmtr
