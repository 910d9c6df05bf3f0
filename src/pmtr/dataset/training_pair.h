// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pmtr/core/random.h"
#include "pmtr/core/result.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/dataset/broken_object.h"
#include "pmtr/sample/fragment_clouds.h"

namespace pmtr {

/// How a pair of pieces becomes a training example. Lengths are of objects whose longest side is 1.
struct PairOptions {
  int points_per_object = 5000;  ///< shared by area among all pieces, of which the pair gets two shares
  /// A second, denser cloud, for what looks closer than the network; 0: none. The network's cloud is its
  /// beginning.
  int dense_points_per_object = 0;
  /// Pairs with a piece whose share is fewer points are not used. (Sampled it would have more:
  /// SampleOptions::least_points.)
  int min_points = 256;
  double least_overlap = 0.0;     ///< pairs that mate less, as a share of the smaller piece, are not used
  double most_overlap = 1.0;      ///< nor those that mate more
  bool rotate = true;             ///< each piece on its own, uniform over all rotations
  bool swap = true;               ///< which piece is the source is drawn, else the first
  double noise = 0.0;             ///< standard deviation of each coordinate; less on splinters
  bool vary_noise = false;        ///< each pair has its own, from 0 to `noise`
  double scale_jitter = 0.0;      ///< the object is scaled up to 1 + this times, or down by as much
  double density_jitter = 1.0;    ///< points are sampled more or less densely, up to this factor
  double decimated = 0.0;         ///< share of the pairs whose pieces have lost triangles
  double least_triangles = 0.05;  ///< of these, the share that is left, at the least
  /// Share of the pairs whose pieces are points alone, strewn at random, whose normals are estimated.
  double points_only = 0.0;
  bool unit_size = true;  ///< scale objects to a longest side of 1 first

  SampleOptions sampling(double density = 1.0) const;
  Status validate() const;
};

/// One of the two pieces, moved to where nothing about its place is known: turned, its points' mean at 0.
struct TrainingFragment {
  PointCloud cloud;
  PointCloud dense;                          ///< begins with the points of `cloud`; empty if not asked for
  std::vector<std::uint8_t> fracture;        ///< [point] 1: broken here, from whichever piece
  std::vector<std::uint8_t> mating;          ///< [point] 1: broken from the other fragment of this pair
  std::vector<std::uint8_t> dense_fracture;  ///< [dense point]
  Rigid3 object_from_fragment;               ///< back to the assembled object, scaled as below
  double area = 0.0;                         ///< of its surface, in the unit of the clouds
  double share = 0.0;                        ///< of the object's surface
  double overlap = 0.0;                      ///< mating area over the fragment's whole area
  int piece = 0;                             ///< number in the object
  std::string name;                          ///< file name, or empty
};

struct TrainingPair {
  TrainingFragment source;
  TrainingFragment target;
  Rigid3 source_from_target;  ///< the true pose
  std::string object;         ///< "everyday/Bottle/738d/fractured_3"
  std::string kind;           ///< which source of fractures
  double scale = 1.0;         ///< unit of the clouds = this times the object's own
  std::uint64_t seed = 0;
  std::uint64_t index = 0;
};

/// The pairs of an object that the options allow.
std::vector<MatingPair> usable_pairs(const BrokenObject& object, const PairOptions& options);

/// Samples both pieces afresh and moves them. A function of its arguments alone.
Result<TrainingPair> prepare_pair(const BrokenObject& object, const MatingPair& pair,
                                  const PairOptions& options, Random random);

/// Where a fragment's points are in the assembled object; what the losses compare.
std::vector<Eigen::Vector3f> assembled_points(const TrainingFragment& fragment);

}  // namespace pmtr
