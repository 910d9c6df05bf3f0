// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/training_pair.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "pmtr/mesh/decimate.h"
#include "pmtr/mesh/strew_points.h"
#include "pmtr/sample/shape_features.h"
#include "pmtr/scan/estimate_normals.h"

namespace pmtr {
namespace {

int points_of(const BrokenObject& object, std::int32_t piece, double object_area,
              const PairOptions& options) {
  const double share = object.mating.piece_areas[static_cast<std::size_t>(piece)] / object_area;
  return static_cast<int>(std::lround(share * options.points_per_object));
}

/// Labels of the first points: 1 where `is` says so of the piece that broke off there.
template <class Is>
std::vector<std::uint8_t> labels_of(const FragmentClouds& clouds, std::span<const std::int32_t> partner,
                                    std::size_t count, const Is& is) {
  std::vector<std::uint8_t> labels;
  for (std::size_t i = 0; i < count; ++i) labels.push_back(is(partner[clouds.faces[i]]) ? 1 : 0);
  return labels;
}

/// Of a sherd's length. Who scans a splinter does so at a resolution that shows its shape, and noise as large
/// as that would teach nothing.
constexpr double most_noise = 0.03;

/// A factor up to `most`, or down by as much.
double draw_factor(double most, Random& random) { return std::pow(most, random.uniform(-1.0, 1.0)); }

void turn(PointCloud& cloud, const Eigen::Matrix3d& rotation) {
  for (Eigen::Vector3f& point : cloud.points) point = (rotation * point.cast<double>()).cast<float>();
  for (Eigen::Vector3f& normal : cloud.normals)
    normal = (rotation * normal.cast<double>()).normalized().cast<float>();
}

/// What a pair has been through before it is sampled.
struct Scanned {
  double scale = 1.0;      ///< unit of the clouds = this times the object's own
  double triangles = 1.0;  ///< share that is left
  bool points_only = false;
};

/// A piece as it was scanned, and which face of the piece each of its faces was, or each of its points.
struct ScannedPiece {
  TriangleMesh mesh;
  std::vector<std::uint32_t> was;
};

/// Five points for each that is sampled: what a scan has to spare.
constexpr int points_to_spare = 5;

Result<ScannedPiece> scan_points(const TriangleMesh& piece, int wanted, Random random) {
  StrewnPoints strewn = strew_points(piece, points_to_spare * wanted, random);
  NormalOptions options;
  options.looked_at = 4000;
  options.seed = random.bits();
  PMTR_TRY(EstimatedNormals estimated, estimate_normals(strewn.cloud.vertices, options, Threads::none()));
  strewn.cloud.normals = std::move(estimated.normals);
  return ScannedPiece{std::move(strewn.cloud), std::move(strewn.faces)};
}

Result<TrainingFragment> prepare_fragment(const BrokenObject& object, std::int32_t piece, std::int32_t other,
                                          const Scanned& scanned, const PairOptions& options,
                                          const SampleOptions& sampling, Random random) {
  const auto p = static_cast<std::size_t>(piece);
  const double share = object.mating.piece_areas[p] / object.mating.whole_area();
  std::optional<ScannedPiece> changed;
  if (scanned.points_only) {
    PMTR_TRY(changed,
             scan_points(object.pieces[p], point_counts(share, sampling).dense, Random(random.bits())));
  } else if (scanned.triangles < 1.0) {
    DecimatedMesh decimated = decimate_to_share(object.pieces[p], scanned.triangles);
    changed = ScannedPiece{std::move(decimated.mesh), std::move(decimated.was)};
  }
  const TriangleMesh& mesh = changed ? changed->mesh : object.pieces[p];
  auto sampled = sample_fragment(mesh, share, 1.0 / scanned.scale, sampling, Random(random.bits()));
  if (!sampled.ok()) {
    Error error = sampled.error();
    error.place.file = object.name() + "/" + object.piece_names[p];
    return error;
  }
  const double noise = std::min(options.noise, most_noise * static_cast<double>(own_length(sampled->area)));
  if (noise > 0.0) add_noise(*sampled, noise, Random(random.bits()));
  if (changed)
    for (std::uint32_t& face : sampled->faces) face = changed->was[face];
  TrainingFragment fragment;
  fragment.piece = piece;
  fragment.name = object.piece_names[p];
  fragment.area = sampled->area;
  fragment.share = share;
  const auto broken = [](std::int32_t partner) { return partner >= 0; };
  const auto mating = [&](std::int32_t partner) { return partner == other; };
  const auto& partner = object.mating.partner[p];
  fragment.fracture = labels_of(*sampled, partner, sampled->cloud.points.size(), broken);
  fragment.mating = labels_of(*sampled, partner, sampled->cloud.points.size(), mating);
  const Eigen::Matrix3d rotation =
      options.rotate ? random.rotation() : Eigen::Matrix3d(Eigen::Matrix3d::Identity());
  fragment.object_from_fragment = {rotation.transpose(), scanned.scale * sampled->centre};
  turn(sampled->cloud, rotation);
  turn(sampled->dense, rotation);
  fragment.cloud = std::move(sampled->cloud);
  if (options.dense_points_per_object > 0) {
    fragment.dense_fracture = labels_of(*sampled, partner, sampled->dense.points.size(), broken);
    fragment.dense = std::move(sampled->dense);
  }
  return fragment;
}

}  // namespace

SampleOptions PairOptions::sampling(double density) const {
  SampleOptions sample;
  sample.points = points_per_object;
  sample.dense_points = dense_points_per_object;
  if (density != 1.0) {
    const auto scaled = [&](int count) {
      return std::max(1, static_cast<int>(std::lround(count * density)));
    };
    sample.points = scaled(sample.points);
    sample.dense_points = dense_points_per_object > 0 ? scaled(sample.dense_points) : 0;
    sample.least_points = scaled(sample.least_points);
    sample.least_dense_points = scaled(sample.least_dense_points);
  }
  return sample;
}

Status PairOptions::validate() const {
  const auto wrong = [](std::string message) { return Error{Cause::invalid_option, std::move(message), {}}; };
  if (points_per_object < 2 || points_per_object > 20'000'000)
    return wrong(fmt::format("points_per_object is {}: must be 2 to 20000000", points_per_object));
  if (dense_points_per_object != 0 &&
      (dense_points_per_object < points_per_object || dense_points_per_object > 20'000'000))
    return wrong(fmt::format("dense_points_per_object is {}: must be 0, or points_per_object to 20000000",
                             dense_points_per_object));
  if (min_points < 1 || min_points > points_per_object / 2)
    return wrong(fmt::format("min_points is {}: must be 1 to half of points_per_object", min_points));
  if (!(least_overlap >= 0.0 && least_overlap <= most_overlap && most_overlap <= 1.0))
    return wrong(fmt::format("overlap from {} to {}: must be within 0 to 1", least_overlap, most_overlap));
  if (!(noise >= 0.0 && noise <= 1.0)) return wrong(fmt::format("noise is {}: must be 0 to 1", noise));
  if (!(density_jitter >= 1.0 && density_jitter <= 100.0))
    return wrong(fmt::format("density_jitter is {}: must be 1 to 100", density_jitter));
  if (!(scale_jitter >= 0.0 && scale_jitter <= 10.0))
    return wrong(fmt::format("scale_jitter is {}: must be 0 to 10", scale_jitter));
  if (!(decimated >= 0.0 && decimated <= 1.0))
    return wrong(fmt::format("decimated is {}: must be 0 to 1", decimated));
  if (!(points_only >= 0.0 && points_only <= 1.0))
    return wrong(fmt::format("points_only is {}: must be 0 to 1", points_only));
  if (!(least_triangles > 0.0 && least_triangles <= 1.0))
    return wrong(fmt::format("least_triangles is {}: must be above 0 and at most 1", least_triangles));
  return {};
}

std::vector<MatingPair> usable_pairs(const BrokenObject& object, const PairOptions& options) {
  const double area = object.mating.whole_area();
  std::vector<MatingPair> usable;
  for (const MatingPair& pair : object.mating.pairs) {
    const double overlap = std::max(pair.share_of_a, pair.share_of_b);
    if (points_of(object, pair.a, area, options) < options.min_points) continue;
    if (points_of(object, pair.b, area, options) < options.min_points) continue;
    if (overlap < options.least_overlap || overlap > options.most_overlap) continue;
    usable.push_back(pair);
  }
  return usable;
}

Result<TrainingPair> prepare_pair(const BrokenObject& object, const MatingPair& pair,
                                  const PairOptions& options, Random random) {
  PMTR_TRY_STATUS(options.validate());
  TrainingPair result;
  result.object = object.name();
  if (options.unit_size) {
    const double side = longest_side(object.pieces);
    if (!(side > 0.0)) return error_at(object.name(), Cause::degenerate, "an object without extent");
    result.scale = 1.0 / side;
  }
  if (options.scale_jitter > 0.0) result.scale *= draw_factor(1.0 + options.scale_jitter, random);
  PairOptions own = options;
  if (options.vary_noise) own.noise *= random.uniform();
  double density = 1.0;
  if (options.density_jitter > 1.0) density = draw_factor(options.density_jitter, random);
  Scanned scanned{result.scale};
  if (options.decimated > 0.0 && random.uniform() < options.decimated)
    scanned.triangles = std::pow(options.least_triangles, random.uniform());
  scanned.points_only = options.points_only > 0.0 && random.uniform() < options.points_only;
  const SampleOptions sampling = options.sampling(density);
  const bool swapped = options.swap && random.below(2) == 1;
  const std::int32_t source = swapped ? pair.b : pair.a;
  const std::int32_t target = swapped ? pair.a : pair.b;
  PMTR_TRY(result.source,
           prepare_fragment(object, source, target, scanned, own, sampling, Random(random.bits())));
  PMTR_TRY(result.target,
           prepare_fragment(object, target, source, scanned, own, sampling, Random(random.bits())));
  result.source.overlap = swapped ? pair.share_of_b : pair.share_of_a;
  result.target.overlap = swapped ? pair.share_of_a : pair.share_of_b;
  result.source_from_target =
      result.source.object_from_fragment.inverse() * result.target.object_from_fragment;
  return result;
}

std::vector<Eigen::Vector3f> assembled_points(const TrainingFragment& fragment) {
  std::vector<Eigen::Vector3f> points;
  points.reserve(fragment.cloud.points.size());
  for (const Eigen::Vector3f& point : fragment.cloud.points)
    points.emplace_back((fragment.object_from_fragment * point.cast<double>()).cast<float>());
  return points;
}

}  // namespace pmtr
