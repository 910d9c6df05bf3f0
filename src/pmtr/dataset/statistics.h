// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/listener.h"
#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/dataset/broken_object.h"
#include "pmtr/dataset/object_cache.h"

namespace pmtr {

/// What is counted and measured about one fracture.
struct FractureMeasure {
  std::string object;
  std::string fracture;
  std::string category;
  int pieces = 0;
  bool exact = true;
  bool volume_constrained = false;       ///< every piece at least 1/40 of the volume
  std::int64_t wall_triangles = 0;       ///< internal walls that were removed
  double size = 0.0;                     ///< longest side
  double volume = 0.0;                   ///< of all pieces
  double fracture_area = 0.0;            ///< of all mating surfaces, each counted once
  double outer_area = 0.0;               ///< of the rest of the surface
  std::vector<double> area_shares;       ///< [piece] of the object's whole area, fractures included
  std::vector<double> volume_shares;     ///< [piece]
  std::vector<double> smaller_overlaps;  ///< [pair] mating area over the area of the smaller piece
  std::vector<double> larger_overlaps;   ///< [pair] of the larger
  std::vector<double> reliefs;           ///< [pair] (roughness.h)
  std::vector<double> normal_spreads;    ///< [pair] degrees
};

FractureMeasure measure_fracture(const BrokenObject& object);

/// All fractures of an index, in its order. With `constrained_only` those with smaller pieces are left out.
Result<std::vector<FractureMeasure>> measure_dataset(const DatasetIndex& index, const ObjectCache& cache,
                                                     bool constrained_only, Threads& threads,
                                                     const Listener& listener = {});

/// 5, 50 and 95 %.
struct Quantiles {
  double q05 = 0.0;
  double q50 = 0.0;
  double q95 = 0.0;
};
/// Linear between the values; all zero without any.
Quantiles quantiles(std::vector<double> values);

/// A group of fractures, summarised.
struct FractureSummary {
  std::int64_t fractures = 0;
  double pairs_per_fracture = 0.0;  ///< mean
  Quantiles overlap_smaller;
  Quantiles overlap_larger;
  Quantiles fracture_over_outer;  ///< area of the mating surfaces over that of the outer surface
};

struct DatasetStatistics {
  std::int64_t objects = 0;
  std::int64_t fractures = 0;
  std::int64_t pieces = 0;
  std::int64_t pairs = 0;
  std::int64_t by_distance = 0;  ///< fractures whose surfaces do not coincide
  std::int64_t wall_triangles = 0;
  FractureSummary all;
  Quantiles object_size;
  Quantiles area_share;  ///< of pieces, of the object
  Quantiles volume_share;
  double under_hundredth_area = 0.0;   ///< share of the pieces with under 1 % of the object's area
  double under_fortieth_volume = 0.0;  ///< share of the pieces with under 1/40 of its volume
  Quantiles relief;
  Quantiles normal_spread_deg;
  std::map<int, FractureSummary> by_pieces;              ///< number of pieces -> those fractures
  std::map<int, FractureSummary> constrained_by_pieces;  ///< the volume-constrained ones among them
};

DatasetStatistics summarise(std::span<const FractureMeasure> measures);

}  // namespace pmtr
