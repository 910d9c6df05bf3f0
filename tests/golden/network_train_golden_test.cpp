// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Losses and gradients of a training step against the authors' numbers.
#include <fstream>
#include <map>
#include <sstream>

#include <gtest/gtest.h>

#include "pmtr/train/losses.h"
#include "support/golden_case.h"

namespace pmtr {
namespace {

struct Expected {
  double coarse, fine, orthonormal, zero, total;
};

/// From golden/meta.json; the two losses on the proxies are given with their weight of 10.
Expected expected_losses(const std::string& name) {
  if (name == "bottle") {
    return {1.2392152547836304, 1.4429311752319336, 0.8966964483261108, 0.8410882949829102,
            4.419931411743164};
  }
  return {1.208946704864502, 2.1676700115203857, 0.8966964483261108, 0.8410882949829102, 5.114401340484619};
}

class TrainGolden : public testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(Cases, TrainGolden, testing::Values("bottle", "artifact"),
                         [](const auto& test_case) { return test_case.param; });

TEST_P(TrainGolden, losses_and_gradients) {
  PMTR_REQUIRE_SHARED("golden");
  const test::GoldenCase golden(GetParam());
  const auto weights = read_weights(test::shared_folder() / "golden" / "state_dict.safetensors");
  const PmtrNetwork network = *PmtrNetwork::load(*weights, "golden");
  const PyramidBatch batch = golden.batch();

  PairTruth truth;
  truth.source_assembled = golden.points("in_src_pts_assembled");
  truth.target_assembled = golden.points("in_trg_pts_assembled");
  const auto nodes = golden.points("pre_points_2");
  const auto split = static_cast<std::ptrdiff_t>(batch.levels[2].lengths[0]);
  truth.source_patches = partition_points(golden.points("in_src_pts"),
                                          std::vector(nodes.begin(), nodes.begin() + split), Threads::none());
  truth.target_patches = partition_points(golden.points("in_trg_pts"),
                                          std::vector(nodes.begin() + split, nodes.end()), Threads::none());
  truth.overlaps = torch::zeros({batch.levels[2].lengths[0], batch.levels[2].lengths[1]});
  const torch::Tensor pairs = golden.tensor("gt_nd_corr_ind").to(torch::kLong);
  truth.overlaps.index_put_({pairs.select(1, 0), pairs.select(1, 1)}, golden.tensor("gt_nd_corr_overlap"));
  const torch::Tensor a = golden.tensor("train_src_nd_ind");
  const torch::Tensor b = golden.tensor("train_trg_nd_ind");
  for (std::int64_t i = 0; i < a.size(0); ++i)
    truth.node_pairs.push_back({a[i].item<int>(), b[i].item<int>(), 1.0F});

  Threads threads(2);
  LossOptions options;
  options.transport.tolerance = 0.0;
  const NetworkOutput output = network.forward(batch, {Role::source, Role::target}, Execution{&threads});
  const PairLoss loss = pair_loss(network, output, batch, truth, options, threads);
  const Expected expected = expected_losses(GetParam());
  const auto near = [](const torch::Tensor& ours, double theirs, double weight = 1.0) {
    EXPECT_NEAR(weight * ours.item<double>(), theirs, 1e-5 * theirs);
  };
  near(loss.coarse, expected.coarse);
  near(loss.fine, expected.fine);
  near(loss.orthonormal, expected.orthonormal, options.orthonormal);
  near(loss.zero, expected.zero, options.zero);
  near(loss.total, expected.total);

  loss.total.backward();
  // Encoder stages 0 and 1 gather the noise of everything after them (golden/README.md).
  const auto tolerance = [](const std::string& name) {
    const bool early =
        name.find("encoders.0.") != std::string::npos || name.find("encoders.1.") != std::string::npos;
    return early ? 2e-3 : 1e-4;
  };
  for (const auto& entry : network.parameters().entries()) {
    if (!golden.has("grad." + entry.name)) continue;
    ASSERT_TRUE(entry.tensor.grad().defined()) << entry.name;
    const torch::Tensor theirs = golden.tensor("grad." + entry.name);
    const torch::Tensor ours = entry.tensor.grad().reshape(theirs.sizes());
    const double deviation = ((ours - theirs).abs().max() / theirs.abs().max()).item<double>();
    EXPECT_LT(deviation, tolerance(entry.name)) << entry.name;
  }

  // Every gradient by its norm. Those that are next to nothing are left out: a bias before a norm (zero but
  // for rounding), the logits of an attention over neighbours that are nearly equally far.
  std::ifstream file(test::shared_folder() / "golden" / GetParam() / "grad_norms.txt");
  std::string line;
  int compared = 0;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name;
    double norm = 0.0;
    if (!(words >> name >> norm)) continue;
    const torch::Tensor* tensor = network.parameters().find(name);
    ASSERT_NE(tensor, nullptr) << name;
    if (norm < 1e-5) continue;
    ASSERT_TRUE(tensor->grad().defined()) << name;
    EXPECT_NEAR(tensor->grad().norm().item<double>(), norm, tolerance(name) * norm) << name;
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace pmtr
