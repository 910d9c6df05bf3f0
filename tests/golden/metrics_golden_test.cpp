// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// The measures against the authors' own, given their poses.
#include <cstring>

#include <gtest/gtest.h>

#include "pmtr/evaluate/metrics.h"
#include "support/npy.h"
#include "support/shared_folder.h"

namespace pmtr {
namespace {

std::vector<float> values(const std::string& name, const std::string& array) {
  const auto npy = test::read_npy(test::shared_folder() / "golden" / name / (array + ".npy"));
  std::vector<float> out(npy.data.size() / sizeof(float));
  std::memcpy(out.data(), npy.data.data(), npy.data.size());
  return out;
}

std::vector<Eigen::Vector3f> cloud(const std::string& name, const std::string& array) {
  const std::vector<float> all = values(name, array);
  std::vector<Eigen::Vector3f> points;
  for (std::size_t i = 0; i + 2 < all.size(); i += 3) points.emplace_back(all[i], all[i + 1], all[i + 2]);
  return points;
}

Eigen::Matrix3d rotation(const std::string& name, const std::string& array) {
  const std::vector<float> all = values(name, array);
  return Eigen::Map<const Eigen::Matrix<float, 3, 3, Eigen::RowMajor>>(all.data()).cast<double>();
}

Eigen::Vector3d vector(const std::string& name, const std::string& array) {
  const std::vector<float> all = values(name, array);
  return Eigen::Map<const Eigen::Vector3f>(all.data()).cast<double>();
}

TEST(MetricsGolden, of_the_reference_poses) {
  PMTR_REQUIRE_SHARED("golden");
  struct Case {
    const char* name;
    double crd, cd, rmse_r, rmse_t;  // golden/meta.json, "eval", without the tables' factors
  };
  for (const Case& c :
       {Case{"bottle", 0.1395411491394043, 0.013105185508728027, 64.81003243196167, 0.2362323760986328},
        Case{"artifact", 0.3501564407348633, 0.05506101226806641, 113.38962639861047, 0.4156098937988281}}) {
    EXPECT_NEAR(correspondence_distance(cloud(c.name, "assm_pred"), cloud(c.name, "assm_gt")), c.crd, 1e-6);
    EXPECT_NEAR(chamfer_distance(cloud(c.name, "assm_pred"), cloud(c.name, "assm_gt"), Threads::none()), c.cd,
                1e-7);
    EXPECT_NEAR(
        euler_rmse_degrees(rotation(c.name, "estimated_rotat"), rotation(c.name, "in_relative_rotat")),
        c.rmse_r, 1e-3);
    EXPECT_NEAR(translation_rmse(vector(c.name, "estimated_trans"), vector(c.name, "in_relative_trans")),
                c.rmse_t, 1e-6);
  }
}

}  // namespace
}  // namespace pmtr
