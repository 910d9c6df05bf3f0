// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pmtr/core/rigid3.h"
#include "pmtr/dataset/fracture_source.h"
#include "pmtr/sample/fragment_clouds.h"
#include "pmtr/systems/system.h"

namespace pmtr {

/// How a broken object becomes something to learn from.
struct ObjectSampleOptions {
  int points = 1000;  ///< of each part; for Jigsaw, of the object
  int min_parts = 2;  ///< others are drawn again
  int max_parts = 20;
  double noise = 0.0;         ///< standard deviation of each coordinate, object units
  bool vary_noise = false;    ///< each object has its own, from 0 to `noise`
  double scale_jitter = 0.0;  ///< the object is scaled up to 1 + this times, or down by as much
};

/// A broken object as the systems see it: every part turned at random about its centre.
struct ObjectSample {
  std::string object;
  int points_per_part = 0;
  std::vector<Eigen::Vector3f> points;   ///< [part, point]
  std::vector<Rigid3> object_from_part;  ///< the truth; the middle of the object's box is 0
};

/// Samples all parts afresh and turns them. A function of its arguments alone.
Result<ObjectSample> prepare_object(const BrokenObject& object, const ObjectSampleOptions& options,
                                    Random random);

/// An endless list of objects; number i depends on the sources, the seed and i only.
class ObjectSampler {
 public:
  static Result<ObjectSampler> create(std::vector<WeightedSource> sources, const ObjectSampleOptions& options,
                                      std::uint64_t seed);
  Result<ObjectSample> make(std::uint64_t index) const { return make_with(index, prepare_object); }
  /// The same objects as something else: prepare(object, options, random).
  template <class Prepare>
  auto make_with(std::uint64_t index, const Prepare& prepare) const
      -> decltype(prepare(std::declval<const BrokenObject&>(), std::declval<const ObjectSampleOptions&>(),
                          std::declval<Random>())) {
    Random random(seed_, index);
    PMTR_TRY(const auto object, draw(random));
    return prepare(*object, options_, Random(random.bits()));
  }

 private:
  ObjectSampler(std::vector<WeightedSource> sources, const ObjectSampleOptions& options, std::uint64_t seed)
      : sources_(std::move(sources)), options_(options), seed_(seed) {}

  /// One with as many parts as are wanted.
  Result<std::shared_ptr<const BrokenObject>> draw(Random& random) const;

  std::vector<WeightedSource> sources_;
  ObjectSampleOptions options_;
  std::uint64_t seed_;
};

/// One fragment as the systems sample it: all have the same number of points, whatever their size.
Result<FragmentClouds> sample_part(const TriangleMesh& fragment, double unit, int points, Random random);

/// A cloud of vertices may have fewer points than were asked for; then some come twice.
void append_points(const PointCloud& cloud, int points, std::vector<Eigen::Vector3f>& out);

PartBatch stack_objects(std::span<const ObjectSample> objects);
PartPoses stack_truth(std::span<const ObjectSample> objects);

}  // namespace pmtr
