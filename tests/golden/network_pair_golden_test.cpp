// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Partition, coarse matching, correspondences and pose against the authors' numbers, each fed the reference's
// input; then the whole chain from points to pose.
#include <algorithm>
#include <iterator>
#include <set>

#include <gtest/gtest.h>

#include "pmtr/match/match_pair.h"
#include "pmtr/network/fragment_encoder.h"
#include "pmtr/pose/local_to_global.h"
#include "support/golden_case.h"
#include "support/repeats.h"

namespace pmtr {
namespace {

FeatureMatrix to_matrix(const torch::Tensor& tensor) {
  const torch::Tensor t = tensor.contiguous();
  const float* begin = t.data_ptr<float>();
  return {t.size(0), t.size(1), {begin, begin + t.numel()}};
}

class PairGolden : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    PMTR_REQUIRE_SHARED("golden");
    golden_.emplace(GetParam());
    const torch::Tensor superpoints = golden_->tensor("pre_points_2");
    const torch::Tensor fine = golden_->tensor("dec_1_post_pmt");
    const auto lengths = golden_->batch().levels;
    std::int64_t superpoint_begin = 0;
    std::int64_t point_begin = 0;
    for (int i = 0; i < 2; ++i) {
      FragmentFeatures& fragment = i == 0 ? source_ : target_;
      const auto index = static_cast<std::size_t>(i);
      const std::string role = i == 0 ? "src" : "trg";
      fragment.points = golden_->points("in_" + role + "_pts");
      const std::int64_t superpoint_count = lengths[2].lengths[index];
      const std::int64_t point_count = lengths[0].lengths[index];
      for (std::int64_t k = 0; k < superpoint_count; ++k) {
        const torch::Tensor p = superpoints[superpoint_begin + k];
        fragment.superpoints.emplace_back(p[0].item<float>(), p[1].item<float>(), p[2].item<float>());
      }
      fragment.patches = partition_points(fragment.points, fragment.superpoints, Threads::none());
      RoleFeatures& features = i == 0 ? fragment.as_source : fragment.as_target;
      features.coarse = to_matrix(golden_->tensor("coarse_norm_" + role));
      features.fine = to_matrix(fine.narrow(0, point_begin, point_count));
      superpoint_begin += superpoint_count;
      point_begin += point_count;
    }
  }

  std::vector<SuperpointMatch> superpoint_matches(const std::string& source,
                                                  const std::string& target) const {
    const torch::Tensor a = golden_->tensor(source);
    const torch::Tensor b = golden_->tensor(target);
    std::vector<SuperpointMatch> matches;
    for (std::int64_t i = 0; i < a.size(0); ++i)
      matches.push_back({a[i].item<int>(), b[i].item<int>(), 1.0F});
    return matches;
  }

  /// golden/noise_floor.txt: in the artifact case the reference's own correspondences change with its thread
  /// count, and its pose with them by 8.1e-4.
  static bool tie_free() { return GetParam() == "bottle"; }

  void expect_pose(const Rigid3& pose, const std::string& name, double tolerance) const {
    const torch::Tensor golden = golden_->tensor(name);
    const Eigen::Matrix4d m = pose.matrix();
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j)
        EXPECT_NEAR(m(i, j), golden[i][j].item<double>(), tolerance) << i << "," << j;
    }
  }

  std::optional<test::GoldenCase> golden_;
  FragmentFeatures source_;
  FragmentFeatures target_;
};

INSTANTIATE_TEST_SUITE_P(Cases, PairGolden, testing::Values("bottle", "artifact"),
                         [](const auto& test_case) { return test_case.param; });

TEST_P(PairGolden, partition) {
  for (int i = 0; i < 2; ++i) {
    const FragmentFeatures& fragment = i == 0 ? source_ : target_;
    const std::string prefix = i == 0 ? "part_src_" : "part_trg_";
    const torch::Tensor owner = golden_->tensor(prefix + "point_to_node");
    for (std::int64_t p = 0; p < owner.size(0); ++p) {
      ASSERT_EQ(fragment.patches.superpoint_of_point[static_cast<std::size_t>(p)], owner[p].item<int>()) << p;
    }
    const torch::Tensor index = golden_->tensor(prefix + "node_knn_ind");
    const torch::Tensor mask = golden_->tensor(prefix + "node_knn_mask");
    const torch::Tensor node_mask = golden_->tensor(prefix + "node_mask");
    const auto index_of = index.accessor<int, 2>();
    const auto mask_of = mask.accessor<std::uint8_t, 2>();
    for (std::int64_t superpoint = 0; superpoint < index.size(0); ++superpoint) {
      // The reference sorts by distances from a matrix product; points that are equally near may change
      // places.
      std::set<int> expected;
      for (std::int64_t k = 0; k < index.size(1); ++k) {
        if (mask_of[superpoint][k] != 0) expected.insert(index_of[superpoint][k]);
      }
      const auto own = fragment.patches.of(superpoint);
      EXPECT_EQ(std::set<int>(own.begin(), own.end()), expected) << superpoint;
      EXPECT_EQ(own.empty(), node_mask[superpoint].item<int>() == 0) << superpoint;
    }
  }
}

TEST_P(PairGolden, coarse_matches) {
  const auto matches = match_superpoints(source_.as_source.coarse, source_.patches, target_.as_target.coarse,
                                         target_.patches, CoarseMatchOptions{}, Threads::none());
  std::set<std::pair<int, int>> ours;
  std::set<std::pair<int, int>> theirs;
  for (const auto& match : matches) ours.emplace(match.source, match.target);
  for (const auto& match : superpoint_matches("topk_src_ind", "topk_trg_ind"))
    theirs.emplace(match.source, match.target);
  EXPECT_EQ(ours, theirs);
  const torch::Tensor scores = golden_->tensor("topk_scores");
  for (std::int64_t i = 0; i < scores.size(0); ++i) {
    const double golden = scores[i].item<double>();
    EXPECT_NEAR(matches[static_cast<std::size_t>(i)].score, golden, 1e-5 * scores.max().item<double>());
  }
}

TEST_P(PairGolden, transport_of_the_coarse_matches) {
  const auto matches = superpoint_matches("topk_src_ind", "topk_trg_ind");
  const PatchTransport transport =
      transport_patches(matches, source_.as_source.fine, source_.patches, target_.as_target.fine,
                        target_.patches, 1.0F, kernels::TransportOptions{}, Threads::none());
  const bool whole = golden_->has("matching_scores");
  const torch::Tensor golden = golden_->tensor(whole ? "matching_scores" : "matching_scores_first16");
  const auto value = golden.accessor<float, 3>();
  // The reference pads to 128 points, and lists equally near points in its own order.
  const std::int64_t dustbin = golden.size(1) - 1;
  const auto places = [&](const std::string& role, std::int32_t superpoint,
                          std::span<const std::int32_t> points) {
    const torch::Tensor row = golden_->tensor("part_" + role + "_node_knn_ind")[superpoint];
    std::vector<std::int64_t> at;
    for (const std::int32_t point : points) {
      at.push_back((row == point).nonzero().flatten()[0].item<std::int64_t>());
    }
    at.push_back(dustbin);
    return at;
  };
  double largest = 0.0;
  double deviation = 0.0;
  for (std::int64_t b = 0; b < golden.size(0); ++b) {
    const auto patch = static_cast<std::size_t>(b);
    const auto rows = places("src", matches[patch].source, source_.patches.of(matches[patch].source));
    const auto columns = places("trg", matches[patch].target, target_.patches.of(matches[patch].target));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < columns.size(); ++j) {
        const double theirs = value[b][rows[i]][columns[j]];
        largest = std::max(largest, std::abs(theirs));
        deviation =
            std::max(deviation, std::abs(theirs - transport.log_share(patch, static_cast<std::int32_t>(i),
                                                                      static_cast<std::int32_t>(j))));
      }
    }
  }
  EXPECT_LT(deviation / largest, 1e-5);
}

TEST_P(PairGolden, correspondences) {
  const auto matches = superpoint_matches("topk_src_ind", "topk_trg_ind");
  const PatchTransport transport =
      transport_patches(matches, source_.as_source.fine, source_.patches, target_.as_target.fine,
                        target_.patches, 1.0F, kernels::TransportOptions{}, Threads::none());
  const auto found =
      mutual_correspondences(matches, source_.patches, target_.patches, transport, CorrespondenceOptions{});
  const torch::Tensor scores = golden_->tensor("lgr_corr_scores");
  // With random weights the shares within a patch are equal to six digits, so which three are the best is
  // decided by rounding: the reference with one thread and with two differs from itself in the artifact case.
  // A pair that only one side has must be such a tie.
  using Key = std::array<float, 6>;
  std::multiset<Key> ours;
  std::multiset<Key> theirs;
  const auto a = golden_->points("lgr_src_corr_pts");
  const auto b = golden_->points("lgr_trg_corr_pts");
  const auto key = [](const Eigen::Vector3f& p, const Eigen::Vector3f& q) {
    return Key{p[0], p[1], p[2], q[0], q[1], q[2]};
  };
  double our_total = 0.0;
  for (const auto& c : found) {
    ours.insert(key(source_.points[static_cast<std::size_t>(c.source)],
                    target_.points[static_cast<std::size_t>(c.target)]));
    our_total += c.score;
  }
  for (std::size_t i = 0; i < a.size(); ++i) theirs.insert(key(a[i], b[i]));
  std::vector<Key> only_ours;
  std::set_difference(ours.begin(), ours.end(), theirs.begin(), theirs.end(), std::back_inserter(only_ours));
  if (tie_free()) {
    EXPECT_EQ(ours, theirs);
  } else {
    EXPECT_NEAR(static_cast<double>(ours.size()), static_cast<double>(theirs.size()), 2.0);
    EXPECT_LT(only_ours.size(), 8U) << "of " << ours.size();
  }
  EXPECT_NEAR(our_total, scores.sum().item<double>(), tie_free() ? 1e-4 * our_total : 2e-3 * our_total);
}

TEST_P(PairGolden, pose_from_the_training_targets) {
  const auto matches = superpoint_matches("train_src_nd_ind", "train_trg_nd_ind");
  const PatchTransport transport =
      transport_patches(matches, source_.as_source.fine, source_.patches, target_.as_target.fine,
                        target_.patches, 1.0F, kernels::TransportOptions{}, Threads::none());
  const auto found =
      mutual_correspondences(matches, source_.patches, target_.patches, transport, CorrespondenceOptions{});
  EXPECT_NEAR(static_cast<int>(found.size()), golden_->tensor("train_lgr_n_corr").flatten()[0].item<int>(),
              tie_free() ? 0 : 1);
  const auto pose =
      register_local_to_global(source_.points, target_.points, found, RegistrationOptions::reference());
  ASSERT_TRUE(pose.has_value());
  expect_pose(pose->a_from_b, "train_lgr_transform", tie_free() ? 1e-5 : 1e-3);
}

TEST_P(PairGolden, end_to_end_from_points) {
  for (const char* file : {"state_dict.pth", "state_dict.safetensors"}) {
    const auto weights = read_weights(test::shared_folder() / "golden" / file);
    ASSERT_TRUE(weights.ok()) << weights.error().text();
    const FragmentEncoder encoder = *FragmentEncoder::load(*weights, file);
    const auto pyramid = [&](const FragmentFeatures& fragment) {
      return *build_pyramid(fragment.points, encoder.options().pyramid, Threads::none());
    };
    const auto [a, b] = encoder.encode_pair(pyramid(source_), pyramid(target_), Threads::none());
    const auto deviation = [](const FeatureMatrix& x, const FeatureMatrix& y) {
      double difference = 0.0;
      double largest = 0.0;
      for (std::size_t i = 0; i < y.values.size(); ++i) {
        difference = std::max<double>(difference, std::abs(x.values[i] - y.values[i]));
        largest = std::max<double>(largest, std::abs(y.values[i]));
      }
      return difference / largest;
    };
    EXPECT_LT(deviation(a.as_source.coarse, source_.as_source.coarse), 1e-5);
    EXPECT_LT(deviation(a.as_source.fine, source_.as_source.fine), 1e-5);
    EXPECT_LT(deviation(b.as_target.coarse, target_.as_target.coarse), 1e-5);
    EXPECT_LT(deviation(b.as_target.fine, target_.as_target.fine), 1e-5);

    const PairMatches matches = match_pair(a, b, encoder.dustbin_score(), MatchOptions{}, Threads::none());
    std::set<std::pair<int, int>> ours;
    std::set<std::pair<int, int>> theirs;
    for (const auto& match : matches.superpoints) ours.emplace(match.source, match.target);
    for (const auto& match : superpoint_matches("topk_src_ind", "topk_trg_ind"))
      theirs.emplace(match.source, match.target);
    EXPECT_EQ(ours, theirs);
    EXPECT_NEAR(static_cast<double>(matches.correspondences.size()),
                static_cast<double>(golden_->tensor("lgr_corr_scores").size(0)), tie_free() ? 0.0 : 2.0);

    // The pose of the training targets; that of the coarse matches is chaotic with random weights. Here
    // features differ from the reference's by rounding, so more ties of the artifact case fall the other way
    // than above, and yet others where a build rounds otherwise.
    const auto targets = superpoint_matches("train_src_nd_ind", "train_trg_nd_ind");
    const PatchTransport transport =
        transport_patches(targets, a.as_source.fine, a.patches, b.as_target.fine, b.patches,
                          encoder.dustbin_score(), kernels::TransportOptions{}, Threads::none());
    const auto found =
        mutual_correspondences(targets, a.patches, b.patches, transport, CorrespondenceOptions{});
    const auto pose = register_local_to_global(a.points, b.points, found, RegistrationOptions::reference());
    ASSERT_TRUE(pose.has_value());
    expect_pose(pose->a_from_b, "train_lgr_transform", tie_free() ? 1e-5 : test::sanitized ? 5e-3 : 2e-3);
  }
}

}  // namespace
}  // namespace pmtr
