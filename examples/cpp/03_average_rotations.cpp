// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
//
// Relative poses with errors in, rotations that agree with them best out, with a proof that there are none
// better. One measurement is quite wrong: the robust version finds it.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "pmtr/averaging/robust_averaging.h"
#include "pmtr/core/random.h"

int main() {
  constexpr int nodes = 12;
  pmtr::Random random(7);
  std::vector<Eigen::Matrix3d> truth;
  for (int i = 0; i < nodes; ++i) truth.push_back(random.rotation());

  pmtr::PoseGraph graph{nodes, {}};
  for (int a = 0; a < nodes; ++a) {
    for (const int step : {1, 3}) {  // a ring and its chords
      const int b = (a + step) % nodes;
      const Eigen::Vector3d error = 0.03 * Eigen::Vector3d(random.normal(), random.normal(), random.normal());
      const Eigen::AngleAxisd noise(error.norm(), error.normalized());
      graph.edges.push_back({a, b, {truth[a].transpose() * truth[b] * noise, Eigen::Vector3d::Zero()}});
    }
  }
  graph.edges[5].a_from_b.rotation = random.rotation();

  const auto result = pmtr::average_rotations_robustly(graph, {});
  if (!result.ok()) {
    std::printf("%s\n", result.error().text().c_str());
    return 1;
  }
  const pmtr::RotationAveraging& averaging = result->averaging;
  std::printf("cost %.5f, no rotations cost less than %.5f: %s\n", averaging.cost, averaging.lower_bound,
              averaging.optimal ? "optimal" : "perhaps not optimal");
  for (std::size_t k = 0; k < graph.edges.size(); ++k) {
    if (!result->kept[k])
      std::printf("edge %zu (%d to %d) is wrong: off by %.1f degrees\n", k, graph.edges[k].a,
                  graph.edges[k].b, averaging.residual_deg[k]);
  }
  double worst = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {  // the first node is turned to the identity
    const Eigen::Matrix3d expected = truth[0].transpose() * truth[i];
    worst = std::max(worst, pmtr::rotation_angle(averaging.world_from_node[i], expected) * 57.29578);
  }
  std::printf("the worst of %d rotations is off by %.2f degrees\n", nodes, worst);
}
