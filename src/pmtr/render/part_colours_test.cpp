// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/render/part_colours.h"

#include <cmath>

#include <gtest/gtest.h>

#include "pmtr/render/shade.h"

namespace pmtr {
namespace {

Eigen::Vector3d lab(const Eigen::Vector3d& linear) {
  Eigen::Matrix3d xyz_from_rgb;
  xyz_from_rgb << 0.4124, 0.3576, 0.1805, 0.2126, 0.7152, 0.0722, 0.0193, 0.1192, 0.9505;
  const Eigen::Vector3d white(0.9505, 1.0, 1.089);
  Eigen::Vector3d f = (xyz_from_rgb * linear).cwiseQuotient(white);
  for (int i = 0; i < 3; ++i) f[i] = f[i] > 0.008856 ? std::cbrt(f[i]) : 7.787 * f[i] + 16.0 / 116.0;
  return {116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])};
}

double difference(const Rgb& a, const Rgb& b, const Eigen::Matrix3d& sight) {
  const auto seen = [&](const Rgb& c) {
    return Eigen::Vector3d((sight * linear_light(c).cast<double>()).cwiseMax(0.0).cwiseMin(1.0));
  };
  return (lab(seen(a)) - lab(seen(b))).norm();
}

TEST(PartColours, FirstEightAreToldApartByEverybody) {
  // Machado, Oliveira and Fernandes 2009: what people without red or green receptors see.
  Eigen::Matrix3d without_red;
  without_red << 0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998;
  Eigen::Matrix3d without_green;
  without_green << 0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.011820, 0.042940, 0.968881;
  for (const Eigen::Matrix3d& sight :
       {Eigen::Matrix3d(Eigen::Matrix3d::Identity()), without_red, without_green}) {
    for (std::size_t i = 0; i < 8; ++i) {
      // A difference of 2.3 is just visible.
      for (std::size_t j = 0; j < i; ++j)
        EXPECT_GT(difference(part_colour(i), part_colour(j), sight), 10.0) << i << " " << j;
    }
  }
}

TEST(PartColours, FortyAreDistinct) {
  for (std::size_t i = 0; i < 40; ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(part_colour(i), part_colour(j)) << i << " " << j;
  }
  EXPECT_EQ(part_colour(40), part_colour(0));
}

}  // namespace
}  // namespace pmtr
