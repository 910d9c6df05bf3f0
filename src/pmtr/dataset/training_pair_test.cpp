// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/dataset/training_pair.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <set>

#include <gtest/gtest.h>
#include <Eigen/Geometry>

#include "pmtr/dataset/dataset_test_support.h"

namespace pmtr {
namespace {

BrokenObject bar(int pieces, int cells = 6) {
  BrokenObject object = make_broken_object(test::cut_bar(pieces, cells));
  object.object = "Bar/x";
  object.fracture = "mode_0";
  return object;
}

int sum(const std::vector<std::uint8_t>& labels) { return std::accumulate(labels.begin(), labels.end(), 0); }

TEST(TrainingPair, PointsComeBackToTheObject) {
  const BrokenObject object = bar(3);
  const auto pair = prepare_pair(object, object.mating.pairs[0], {}, Random(5));
  ASSERT_TRUE(pair.ok()) << pair.error().text();
  for (const TrainingFragment* fragment : {&pair->source, &pair->target}) {
    Eigen::Vector3d mean = Eigen::Vector3d::Zero();
    for (const auto& p : fragment->cloud.points) mean += p.cast<double>();
    EXPECT_LT(mean.norm() / static_cast<double>(fragment->cloud.points.size()), 1e-6);
    // A bar that goes from 0 to 1, cut in three.
    const double low = fragment->piece / 3.0;
    for (const Eigen::Vector3f& p : assembled_points(*fragment)) {
      EXPECT_GE(p.x(), low - 1e-5);
      EXPECT_LE(p.x(), low + 1 / 3.0 + 1e-5);
      EXPECT_GE(p.y(), -1e-5);
      EXPECT_LE(p.y(), 0.25 + 1e-5);
    }
  }
  const Rigid3 expected = pair->source.object_from_fragment.inverse() * pair->target.object_from_fragment;
  EXPECT_TRUE(pair->source_from_target.matrix().isApprox(expected.matrix(), 1e-12));
  EXPECT_GT(rotation_angle(Eigen::Matrix3d::Identity(), pair->source.object_from_fragment.rotation), 0.01);
  EXPECT_NEAR(pair->source_from_target.rotation.determinant(), 1.0, 1e-9);
}

TEST(TrainingPair, PointsAreSharedByAreaOverTheWholeObject) {
  const BrokenObject object = bar(4);
  const auto pair = prepare_pair(object, object.mating.pairs[1], {}, Random(5));
  ASSERT_TRUE(pair.ok());
  EXPECT_EQ(pair->source.cloud.points.size(), 1250U);
  EXPECT_EQ(pair->target.cloud.normals.size(), 1250U);
}

TEST(TrainingPair, a_small_piece_has_the_clouds_that_assembly_gives_it) {
  const BrokenObject object = bar(100);  // 1 % of the surface each
  PairOptions options;
  options.min_points = 1;
  options.dense_points_per_object = 20000;
  options.swap = options.rotate = false;
  const auto pair = prepare_pair(object, object.mating.pairs[50], options, Random(5));
  ASSERT_TRUE(pair.ok());
  const auto assembled = sample_object(pointers_to(object.pieces), 1.0, SampleOptions{}, 7, Threads::none());
  ASSERT_TRUE(assembled.ok());
  const FragmentClouds& same_piece = (*assembled)[static_cast<std::size_t>(pair->source.piece)];
  EXPECT_EQ(pair->source.cloud.points.size(), same_piece.cloud.points.size());
  EXPECT_EQ(pair->source.dense.points.size(), same_piece.dense.points.size());
  EXPECT_NEAR(pair->source.area, same_piece.area, 1e-12);
  // With the same draws the same bits: one function samples for training and for assembly.
  Random random(5);
  const auto p = static_cast<std::size_t>(pair->source.piece);
  const double whole = object.mating.whole_area();
  const auto again = sample_fragment(object.pieces[p], object.mating.piece_areas[p] / whole, 1.0,
                                     SampleOptions{}, Random(Random(random.bits()).bits()));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(pair->source.dense.points, again->dense.points);
  EXPECT_EQ(pair->source.cloud.points, again->cloud.points);
}

TEST(TrainingPair, LabelsAreWhereThePiecesTouch) {
  const BrokenObject object = bar(3);
  PairOptions options;
  options.swap = false;
  const auto pair = prepare_pair(object, object.mating.pairs[0], options, Random(8));
  ASSERT_TRUE(pair.ok());
  ASSERT_EQ(pair->target.piece, 1);
  // The middle piece has two fracture surfaces, one of them towards the source.
  const auto points = assembled_points(pair->target);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Eigen::Vector3d normal =
        pair->target.object_from_fragment.rotation * pair->target.cloud.normals[i].cast<double>();
    const bool towards_source = normal.x() < -0.9;
    const bool across = std::abs(normal.x()) > 0.9;
    EXPECT_EQ(pair->target.mating[i], towards_source ? 1 : 0);
    EXPECT_EQ(pair->target.fracture[i], across ? 1 : 0);
  }
  EXPECT_NEAR(sum(pair->target.mating) / static_cast<double>(points.size()), pair->target.overlap, 0.02);
  EXPECT_NEAR(sum(pair->source.fracture), sum(pair->source.mating), 0);
}

TEST(TrainingPair, TheSameRandomNumbersGiveTheSamePair) {
  const BrokenObject object = bar(2);
  PairOptions options;
  options.noise = 0.001;
  options.scale_jitter = 0.1;
  const auto a = prepare_pair(object, object.mating.pairs[0], options, Random(1, 2));
  const auto b = prepare_pair(object, object.mating.pairs[0], options, Random(1, 2));
  const auto c = prepare_pair(object, object.mating.pairs[0], options, Random(1, 3));
  EXPECT_EQ(a->source.cloud.points, b->source.cloud.points);
  EXPECT_EQ(a->source_from_target.matrix(), b->source_from_target.matrix());
  EXPECT_NE(a->source.cloud.points, c->source.cloud.points);
}

TEST(TrainingPair, NoiseMayDifferFromPairToPair) {
  const BrokenObject object = bar(2);
  PairOptions options;
  options.rotate = false;
  const auto clean = prepare_pair(object, object.mating.pairs[0], options, Random(1, 2));
  options.noise = 0.01;
  options.vary_noise = true;
  std::set<double> shifts;
  for (std::uint64_t i = 0; i < 10; ++i) {
    const auto noisy = prepare_pair(object, object.mating.pairs[0], options, Random(1, i));
    ASSERT_TRUE(clean.ok() && noisy.ok());
    double across = 0.0;  // the bar is flat: points leave its sides by the noise alone
    for (const auto& p : assembled_points(noisy->source))
      across = std::max(across, std::abs(static_cast<double>(p.z())));
    shifts.insert(across);
  }
  EXPECT_EQ(shifts.size(), 10U);
  EXPECT_GT(*shifts.rbegin() - *shifts.begin(), 0.005);
}

TEST(TrainingPair, NoiseScaleAndSwap) {
  BrokenObject object = bar(2);
  for (TriangleMesh& piece : object.pieces)
    for (Eigen::Vector3d& v : piece.vertices) v *= 40.0;
  object = make_broken_object(object.pieces);
  PairOptions options;
  options.scale_jitter = 0.2;
  options.noise = 0.01;
  bool first_is_source = false;
  bool second_is_source = false;
  double smallest = 10;
  double largest = 0;
  for (std::uint64_t i = 0; i < 40; ++i) {
    const auto pair = prepare_pair(object, object.mating.pairs[0], options, Random(1, i));
    ASSERT_TRUE(pair.ok());
    (pair->source.piece == 0 ? first_is_source : second_is_source) = true;
    smallest = std::min(smallest, pair->scale * 40);
    largest = std::max(largest, pair->scale * 40);
    double across = 0.0;  // distance from the plane of the cut, over the mating points
    const auto points = assembled_points(pair->source);
    for (std::size_t k = 0; k < points.size(); ++k) {
      if (pair->source.mating[k] == 1) across += std::pow(points[k].x() - 0.5 * 40 * pair->scale, 2);
    }
    EXPECT_NEAR(std::sqrt(across / sum(pair->source.mating)), 0.01, 0.002);
  }
  EXPECT_TRUE(first_is_source && second_is_source);
  EXPECT_GE(smallest, 1.0 / 1.2);
  EXPECT_LE(largest, 1.2);
  EXPECT_GT(largest - smallest, 0.2);
}

TEST(TrainingPair, DecimatedPiecesKnowWhereTheyAreBroken) {
  // Long boxes whose sides are cut into small triangles: few of these are left, and every point of them still
  // has the label of the side it lies on.
  const BrokenObject object = bar(2, 12);
  PairOptions options;
  options.rotate = false;
  options.decimated = 1.0;
  options.least_triangles = 0.1;
  options.dense_points_per_object = 10000;
  for (std::uint64_t i = 0; i < 5; ++i) {
    const auto pair = prepare_pair(object, object.mating.pairs[0], options, Random(3, i));
    ASSERT_TRUE(pair.ok());
    const TrainingFragment& fragment = pair->source;
    const auto points = assembled_points(fragment);
    for (std::size_t k = 0; k < points.size(); ++k) {
      const bool on_cut = std::abs(static_cast<double>(fragment.cloud.normals[k].x())) > 0.9 &&
                          std::abs(static_cast<double>(points[k].x()) - 0.5) < 1e-3;
      EXPECT_EQ(fragment.fracture[k], on_cut ? 1 : 0);
    }
  }
}

TEST(TrainingPair, PointsAloneKnowWhereTheyAreBrokenAndWhichSideIsOutside) {
  const BrokenObject object = bar(2, 12);
  PairOptions options;
  options.rotate = false;
  options.dense_points_per_object = 10000;
  const auto of_mesh = prepare_pair(object, object.mating.pairs[0], options, Random(3, 1));
  options.points_only = 1.0;
  const auto pair = prepare_pair(object, object.mating.pairs[0], options, Random(3, 1));
  ASSERT_TRUE(pair.ok() && of_mesh.ok());
  const TrainingFragment& fragment = pair->source;
  EXPECT_NE(fragment.cloud.points, of_mesh->source.cloud.points);
  const auto points = assembled_points(fragment);
  std::size_t exact = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const bool on_cut = std::abs(static_cast<double>(points[k].x()) - 0.5) < 1e-6;
    EXPECT_EQ(fragment.fracture[k], on_cut ? 1 : 0);
    const Eigen::Vector3f& normal = fragment.cloud.normals[k];
    if (on_cut) exact += normal.x() * (fragment.cloud.points[k].x() > 0.0F ? 1.0F : -1.0F) > 0.95F ? 1U : 0U;
  }
  const auto broken = static_cast<std::size_t>(sum(fragment.fracture));
  EXPECT_GT(exact, 9 * broken / 10);
}

TEST(TrainingPair, UsablePairsHoldWhatTheOptionsAsk) {
  const BrokenObject object = bar(3);
  PairOptions options;
  EXPECT_EQ(usable_pairs(object, options).size(), 2U);
  options.min_points = 2000;  // of 1667
  EXPECT_TRUE(usable_pairs(object, options).empty());
  options = {};
  options.least_overlap = 0.3;  // of 0.167
  EXPECT_TRUE(usable_pairs(object, options).empty());
  options = {};
  options.most_overlap = 0.1;
  EXPECT_TRUE(usable_pairs(object, options).empty());
}

TEST(TrainingPair, OptionsAreChecked) {
  const BrokenObject object = bar(2);
  const auto cause = [&](const PairOptions& options) {
    const auto pair = prepare_pair(object, object.mating.pairs[0], options, Random(0));
    return pair.ok() ? std::optional<Cause>() : pair.error().cause;
  };
  PairOptions options;
  options.points_per_object = 0;
  EXPECT_EQ(cause(options), Cause::invalid_option);
  options = {};
  options.min_points = 4000;
  EXPECT_EQ(cause(options), Cause::invalid_option);
  options = {};
  options.noise = std::nan("");
  EXPECT_EQ(cause(options), Cause::invalid_option);
  options = {};
  options.scale_jitter = -0.1;
  EXPECT_EQ(cause(options), Cause::invalid_option);
  options = {};
  options.least_overlap = 0.6;
  options.most_overlap = 0.5;
  EXPECT_EQ(cause(options), Cause::invalid_option);
}

}  // namespace
}  // namespace pmtr
