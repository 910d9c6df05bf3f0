// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pmtr/core/result.h"
#include "pmtr/core/threads.h"
#include "pmtr/pose/oriented_cloud.h"
#include "pmtr/sample/fragment_clouds.h"

namespace pmtr {

/// What an assembly saw of a fragment: points of its surface, in object units around `centre`, and how likely
/// it is broken at each.
struct SeenSurface {
  PointCloud cloud;
  std::vector<float> broken;                         ///< [point], 0 to 1
  double area = 0.0;                                 ///< of the surface, in object units
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  ///< in the input's coordinates
};

/// Two points that the network took for the same place of a break, each in the coordinates of its own file.
struct SeenMatch {
  Eigen::Vector3f in_a;
  Eigen::Vector3f in_b;
};
struct SeenPair {
  int a = 0;
  int b = 0;
  std::vector<SeenMatch> matches;  ///< the surest first
};

/// breaks.bin of a result: what lets a person see the breaks and the matches, and lets fragments be laid
/// against each other again without the network. About 13 bytes a point: positions and normals in 16 bits,
/// far finer than the distance between points.
struct SeenBreaks {
  double unit = 1.0;                  ///< longest side of the object, in the input's units
  std::vector<SeenSurface> surfaces;  ///< one per fragment
  std::vector<SeenPair> pairs;

  /// As input_frame and object_frame conversions of sample/ take it: centre and unit of a fragment.
  FragmentClouds frame(std::size_t fragment) const;
};

std::vector<std::byte> format_seen_breaks(const SeenBreaks& seen);
Result<SeenBreaks> parse_seen_breaks(std::span<const std::byte> bytes, const std::string& name);

/// breaks.bin of a folder with so many fragments; nothing where there is none, as in results of earlier
/// versions.
Result<std::shared_ptr<const SeenBreaks>> read_seen_breaks(const std::filesystem::path& folder,
                                                           std::size_t fragments);

/// The surfaces ready to be laid against each other, in object units.
std::vector<OrientedCloud> orient_seen(const SeenBreaks& seen, Threads& threads);

}  // namespace pmtr
