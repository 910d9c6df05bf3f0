// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/joint_evidence.h"

#include <gtest/gtest.h>

#include "pmtr/pose/confidence.h"
#include "pmtr/pose/oriented_cloud.h"
#include "pmtr/pose/pose_test_scene.h"

namespace pmtr {
namespace {

class JointEvidenceTest : public testing::Test {
 protected:
  test::BrokenBlock block_{0.02};
  OrientedCloud a_ = block_.a();
  OrientedCloud b_ = block_.b(Rigid3{});

  JointEvidence at(const Rigid3& pose) const { return measure_joint(a_, b_, pose, EvidenceOptions{}); }
  double confidence(const Rigid3& pose) const {
    return ConfidenceModel::fitted().confidence(joint_features(a_, b_, at(pose)));
  }
  static Rigid3 moved(double x, double y, double z) { return {Eigen::Matrix3d::Identity(), {x, y, z}}; }
};

TEST_F(JointEvidenceTest, the_true_pose_touches_everywhere) {
  const JointEvidence e = at(Rigid3{});
  EXPECT_NEAR(e.contact_area, 0.24, 0.02);
  EXPECT_GT(e.coverage_a, 0.97);
  EXPECT_GT(e.coverage_b, 0.97);
  EXPECT_LT(e.gap_mean, 0.001);
  EXPECT_LT(e.normal_deviation, 0.15);
  EXPECT_EQ(e.penetration_area, 0.0);
  EXPECT_GT(e.border_agreement, 0.9);
  EXPECT_GT(confidence(Rigid3{}), 0.95);
}

TEST_F(JointEvidenceTest, a_fragment_pushed_in_penetrates) {
  const JointEvidence e = at(moved(-0.1, 0.0, 0.0));
  EXPECT_GT(e.penetration_area, 0.2);
  EXPECT_GT(e.penetration_depth, 0.01);
  EXPECT_LT(confidence(moved(-0.1, 0.0, 0.0)), 0.1);
}

TEST_F(JointEvidenceTest, a_gap_is_no_contact) {
  const JointEvidence e = at(moved(0.05, 0.0, 0.0));
  EXPECT_EQ(e.contact_points, 0);
  EXPECT_LT(confidence(moved(0.05, 0.0, 0.0)), 0.1);
}

TEST_F(JointEvidenceTest, two_fragments_in_the_same_place_overlap) {
  const JointEvidence e = measure_joint(a_, a_, moved(0.0, 0.003, 0.0), EvidenceOptions{});
  EXPECT_GT(e.same_side_area, 0.3);
}

TEST_F(JointEvidenceTest, a_slid_fragment_loses_its_border) {
  EXPECT_LT(at(moved(0.0, 0.05, 0.05)).border_agreement, 0.3);
  EXPECT_LT(confidence(moved(0.0, 0.05, 0.05)), confidence(Rigid3{}));
}

TEST_F(JointEvidenceTest, is_the_same_seen_from_either_side) {
  const Rigid3 pose = moved(0.002, 0.01, 0.0);
  const JointEvidence one = measure_joint(a_, b_, pose, EvidenceOptions{});
  const JointEvidence other = measure_joint(b_, a_, pose.inverse(), EvidenceOptions{});
  EXPECT_EQ(one.contact_points, other.contact_points);
  EXPECT_NEAR(one.contact_area, other.contact_area, 1e-9);
  EXPECT_NEAR(one.coverage_a, other.coverage_b, 1e-9);
  EXPECT_NEAR(one.penetration_area, other.penetration_area, 1e-9);
}

TEST(ContactStiffness, a_flat_break_slides_and_a_wavy_one_or_its_rim_holds) {
  const test::BrokenBlock flat(0.0, 0.02);
  const test::BrokenBlock wavy(0.03, 0.02);
  const auto without_rim = [](OrientedCloud cloud) {
    cloud.border.clear();
    return cloud;
  };
  EXPECT_LT(contact_stiffness(flat.a(), without_rim(flat.b({})), {}, {}), 1e-6);
  EXPECT_GT(contact_stiffness(flat.a(), flat.b({}), {}, {}), 0.01);
  EXPECT_GT(contact_stiffness(wavy.a(), without_rim(wavy.b({})), {}, {}), 0.01);
  // Nothing touches: nothing holds.
  EXPECT_EQ(contact_stiffness(wavy.a(), wavy.b({}), {Eigen::Matrix3d::Identity(), {0.3, 0.0, 0.0}}, {}), 0.0);
}

}  // namespace
}  // namespace pmtr
