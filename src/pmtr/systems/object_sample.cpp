// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/object_sample.h"

#include <cmath>

#include <fmt/format.h>
#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/dataset/pair_sampler.h"
#include "pmtr/systems/rotations.h"

namespace pmtr {
namespace {

constexpr int most_objects_drawn = 500;

Eigen::Vector3d middle_of_box(std::span<const TriangleMesh> pieces) {
  Eigen::AlignedBox3d box;
  for (const TriangleMesh& piece : pieces) {
    for (const Eigen::Vector3d& vertex : piece.vertices) box.extend(vertex);
  }
  return box.center();
}

}  // namespace

Result<FragmentClouds> sample_part(const TriangleMesh& fragment, double unit, int points, Random random) {
  SampleOptions options;
  options.points = points;
  options.dense_points = 0;
  options.least_points = points;
  return sample_fragment(fragment, 1.0, unit, options, random);
}

void append_points(const PointCloud& cloud, int points, std::vector<Eigen::Vector3f>& out) {
  PMTR_CHECK(!cloud.points.empty(), "a part has points");
  for (int i = 0; i < points; ++i)
    out.push_back(cloud.points[static_cast<std::size_t>(i) % cloud.points.size()]);
}

Result<ObjectSample> prepare_object(const BrokenObject& object, const ObjectSampleOptions& options,
                                    Random random) {
  const double side = longest_side(object.pieces);
  if (!(side > 0.0)) return error_at(object.name(), Cause::degenerate, "an object without extent");
  const double unit = side * std::pow(1.0 + options.scale_jitter, random.uniform(-1.0, 1.0));
  const double noise = options.noise * (options.vary_noise ? random.uniform() : 1.0);
  const Eigen::Vector3d middle = middle_of_box(object.pieces);
  ObjectSample sample;
  sample.object = object.name();
  sample.points_per_part = options.points;
  for (const TriangleMesh& piece : object.pieces) {
    Random own(random.bits());
    PMTR_TRY(FragmentClouds clouds, sample_part(piece, unit, options.points, Random(own.bits())));
    if (noise > 0.0) add_noise(clouds, noise, Random(own.bits()));
    const Eigen::Matrix3d turn = own.rotation();
    for (Eigen::Vector3f& point : clouds.cloud.points) point = (turn * point.cast<double>()).cast<float>();
    append_points(clouds.cloud, options.points, sample.points);
    sample.object_from_part.push_back({turn.transpose(), (clouds.centre - middle) / unit});
  }
  return sample;
}

Result<ObjectSampler> ObjectSampler::create(std::vector<WeightedSource> sources,
                                            const ObjectSampleOptions& options, std::uint64_t seed) {
  PMTR_TRY_STATUS(check_sources(sources));
  return ObjectSampler(std::move(sources), options, seed);
}

Result<std::shared_ptr<const BrokenObject>> ObjectSampler::draw(Random& random) const {
  const FractureSource& source = choose_source(sources_, random);
  for (int i = 0; i < most_objects_drawn; ++i) {
    PMTR_TRY(const auto object, source.draw(random));
    const int parts = static_cast<int>(object->pieces.size());
    if (parts < options_.min_parts || parts > options_.max_parts) continue;
    return object;
  }
  return Error{Cause::empty,
               fmt::format("{} {} objects drawn, none with {} to {} parts", most_objects_drawn, source.kind(),
                           options_.min_parts, options_.max_parts),
               {}};
}

PartBatch stack_objects(std::span<const ObjectSample> objects) {
  PMTR_CHECK(!objects.empty(), "a batch needs an object");
  PartBatch batch;
  std::vector<torch::Tensor> points;
  for (const ObjectSample& object : objects) {
    const auto parts = static_cast<std::int64_t>(object.object_from_part.size());
    batch.counts.push_back(parts);
    points.push_back(
        torch::from_blob(const_cast<Eigen::Vector3f*>(object.points.data()),  // NOLINT: only read
                         {parts, object.points_per_part, 3}, torch::kFloat));
  }
  batch.points = torch::cat(points, 0);
  return batch;
}

PartPoses stack_truth(std::span<const ObjectSample> objects) {
  std::vector<Rigid3> poses;
  for (const ObjectSample& object : objects)
    poses.insert(poses.end(), object.object_from_part.begin(), object.object_from_part.end());
  return poses_of(poses);
}

}  // namespace pmtr
