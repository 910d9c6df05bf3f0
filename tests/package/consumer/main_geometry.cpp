// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstdio>

#include "pmtr/core/file.h"
#include "pmtr/core/rigid3.h"

int main() {
  const pmtr::Rigid3 a_from_b{-Eigen::Matrix3d::Identity(), {4, 4, 4}};
  const Eigen::Vector3d p = a_from_b * Eigen::Vector3d(1, 2, 3);
  if (pmtr::read_file("/nonexistent").ok()) return 1;  // calls into the library, which needs fmt
  std::printf("consumer: %g %g %g\n", p.x(), p.y(), p.z());
}
