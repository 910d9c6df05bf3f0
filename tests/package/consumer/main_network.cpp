// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cstdio>

#include "pmtr/core/rigid3.h"
#include "pmtr/network/network_options.h"

int main() {
  const pmtr::NetworkOptions options = pmtr::NetworkOptions::reference();
  if (!options.validate().ok() || pmtr::to_json(options).empty()) return 1;
  const Eigen::Vector3d p = pmtr::Rigid3() * Eigen::Vector3d(3, 2, 1);
  std::printf("consumer: %g %g %g\n", p.x(), p.y(), p.z());
}
