// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "pmtr/breaks/break_cloud.h"
#include "pmtr/core/threads.h"

namespace pmtr {

/// What a break looks like around its points, in numbers of order 1 that do not change when the fragment is
/// turned, made from break points only. A row has, per radius, a polar map in the point's frame and
/// histograms of what its point pairs measure, which need no frame.
struct BreakDescriptors {
  /// In object units, equal for all fragments: mates differ in size.
  static constexpr std::array<float, 2> radii = {0.1F, 0.2F};
  /// [ring, sector, channel]: height over the point, cosine between normals, how much of the bin is break,
  /// distance to the rim. Sector 0 lies about x. A point without x has the mean of each ring in all its
  /// sectors.
  static constexpr int rings = 6, sectors = 16, channels = 4;
  static constexpr int map_width = rings * sectors * channels;
  /// [shell, measure, bin]: slope of the line to a neighbour against z, against the neighbour's normal, and
  /// the distance between the ends of both normals.
  static constexpr int shells = 3, measures = 3, bins = 12;
  static constexpr int histogram_width = shells * measures * bins;
  static constexpr int maps = static_cast<int>(radii.size()) * map_width;
  static constexpr int histograms = static_cast<int>(radii.size()) * histogram_width;
  /// First the maps by radius, then the histograms by radius.
  static constexpr int width = maps + histograms;

  std::int64_t rows = 0;
  std::vector<float> values;  ///< [rows, width]

  std::span<const float> row(std::int64_t i) const { return {values.data() + i * width, width}; }
};

/// One row per break point, in the role of a source: as the fragment sees itself.
BreakDescriptors describe_breaks(const BreakCloud& cloud, Threads& threads);

/// The same points in the role of a target: as a mating fragment would describe the same place, with z and
/// the break's normals negated. Heights and slopes change their sign and sectors mirror; nothing is computed
/// anew.
BreakDescriptors as_target(const BreakDescriptors& source);

/// Columns [begin, end) of the rows: the maps or the histograms alone.
std::vector<float> descriptor_columns(const BreakDescriptors& descriptors, int begin, int end);

}  // namespace pmtr
