// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/network/proxy_match_transform.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "pmtr/network/composed_ops.h"
#include "pmtr/network/pmtr_network.h"

namespace pmtr {
namespace {

// Theorem 1 of the paper: with orthonormal, mutually orthogonal proxies and an attention that picks one
// displacement per head, the product of two transforms is a high-order convolution of the match tensor.
//
// Lattice: points on a line of n. Heads: one per pair (p, q) of displacements in {-1, 0, 1}^2; on the source
// the head looks p steps away, on the target q steps away. Each head carries a scalar weight per role.
class Theorem1 : public testing::Test {
 protected:
  static constexpr std::int64_t n = 7;
  static constexpr std::int64_t factors = 3;
  static constexpr std::int64_t heads = 9;
  static constexpr std::int64_t wide = heads * factors;  // room for mutually orthogonal proxies

  static std::int64_t displacement(std::int64_t head, Role role) {
    return (role == Role::source ? head / 3 : head % 3) - 1;
  }

  Theorem1() : random_(3), layer_(ParameterScope(parameters_, random_) / "layer", factors, 4) {
    const torch::NoGradGuard no_grad;
    // One channel, `heads` heads: the general layer with the sizes the theorem needs.
    torch::Tensor base = uniform_tensor(random_, {wide, wide}, 1.0).to(torch::kDouble);
    const torch::Tensor q = std::get<0>(torch::linalg_qr(base));  // orthonormal rows in blocks of `factors`
    layer_.proxies = {q.view({heads, factors, wide}), q.view({heads, factors, wide})};
    for (Linear* linear : {&layer_.project.source, &layer_.project.target}) {
      linear->weight = uniform_tensor(random_, {heads, 1}, 1.0).to(torch::kDouble);
      linear->bias = torch::zeros({heads}, torch::kDouble);
    }
    for (Linear* linear : {&layer_.merge.source, &layer_.merge.target}) {
      linear->weight = torch::ones({1, heads}, torch::kDouble);
      linear->bias = torch::zeros({1}, torch::kDouble);
    }
    // Composed operators work in double; the fused kernels are for float.
    execution_.composed = true;
    x_ = uniform_tensor(random_, {n, factors, 1}, 1.0).to(torch::kDouble);
    y_ = uniform_tensor(random_, {n, factors, 1}, 1.0).to(torch::kDouble);
  }

  torch::Tensor transform(const torch::Tensor& features, Role role) {
    torch::Tensor table = torch::full({n, 3}, n, torch::kInt);
    torch::Tensor attention = torch::zeros({n, 3, heads}, torch::kDouble);
    for (std::int64_t i = 0; i < n; ++i) {
      for (std::int64_t d = -1; d <= 1; ++d) {
        if (i + d < 0 || i + d >= n) continue;
        table[i][d + 1] = i + d;
        for (std::int64_t h = 0; h < heads; ++h) {
          if (displacement(h, role) == d) attention[i][d + 1][h] = 1.0;
        }
      }
    }
    const auto attend = [&](const torch::Tensor& values) {
      return composed::attend(attention, table, values);
    };
    return layer_(features, attend, role, execution_).reshape({n, -1});
  }

  /// sum over (p, q) of K[p, q] C[x + p, y + q], straight from the definition.
  torch::Tensor high_order_convolution() {
    const torch::Tensor match = torch::matmul(x_.squeeze(2), y_.squeeze(2).t());  // the match tensor C [n, n]
    torch::Tensor out = torch::zeros({n, n}, torch::kDouble);
    for (std::int64_t h = 0; h < heads; ++h) {
      const double kernel = layer_.project.source.weight[h][0].item<double>() *
                            layer_.project.target.weight[h][0].item<double>();
      for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
          const std::int64_t p = i + displacement(h, Role::source);
          const std::int64_t q = j + displacement(h, Role::target);
          if (p >= 0 && p < n && q >= 0 && q < n) out[i][j] += kernel * match[p][q];
        }
      }
    }
    return out;
  }

  double deviation() {
    const torch::Tensor product = torch::matmul(transform(x_, Role::source), transform(y_, Role::target).t());
    return (product - high_order_convolution()).abs().max().item<double>();
  }

  torch::NoGradGuard no_grad_;
  Parameters parameters_;
  Random random_;
  ProxyLayer layer_;
  Execution execution_{&Threads::none()};
  torch::Tensor x_;
  torch::Tensor y_;
};

TEST_F(Theorem1, product_of_transforms_is_a_high_order_convolution) { EXPECT_LT(deviation(), 1e-5); }

TEST_F(Theorem1, fails_when_proxies_are_not_orthogonal_to_each_other) {
  layer_.proxies.source[1].copy_(layer_.proxies.source[0]);
  EXPECT_GT(deviation(), 1e-2);
}

TEST_F(Theorem1, fails_when_a_proxy_is_not_orthonormal) {
  layer_.proxies.source[0].mul_(1.1);
  EXPECT_GT(deviation(), 1e-2);
}

/// How much of its neighbours' features each point takes over, with weights as they are made.
torch::Tensor attended(double scale, double reach, ProxyMatchTransform::Level level) {
  const torch::NoGradGuard no_grad;
  constexpr std::int64_t n = 12;
  Parameters parameters;
  Random random(5);
  const ProxyMatchTransform transform(ParameterScope(parameters, random) / "pmt", 128, level,
                                      ProxyKind::shared, reach);
  MatchSite site;
  site.points = scale * torch::stack({torch::arange(n), torch::zeros(n), torch::zeros(n)}, 1);
  site.table = torch::arange(n, torch::kInt).unsqueeze(0).expand({n, n}).contiguous();
  site.distances = (site.points.unsqueeze(1) - site.points.unsqueeze(0)).norm(2, 2);
  if (level == ProxyMatchTransform::Level::fine) site.distances = site.distances.square();
  const torch::Tensor features = uniform_tensor(random, {n, 128}, 1.0);
  return transform.layer_outputs(features, site, Role::source, {&Threads::none()}).front();
}

TEST(ProxyMatchTransform, attends_by_shares_of_its_reach_whatever_the_scale) {
  for (const auto level : {ProxyMatchTransform::Level::coarse, ProxyMatchTransform::Level::fine}) {
    const torch::Tensor large = attended(1.0, 11.0, level);
    const torch::Tensor small = attended(0.005, 0.055, level);
    EXPECT_LT((large - small).abs().max().item<double>(), 1e-5);
    // In object units points of a break are so near that all of them weigh alike: every point takes over the
    // same mean.
    const torch::Tensor absolute = attended(0.005, 0.0, level);
    const auto spread = [](const torch::Tensor& x) { return x.std(0).mean().item<double>(); };
    EXPECT_LT(spread(absolute), 0.1 * spread(small));
  }
}

TEST(ProxyMatchTransform, shows_how_much_each_neighbour_weighs) {
  const torch::NoGradGuard no_grad;
  Parameters parameters;
  Random random(5);
  const ProxyMatchTransform transform(ParameterScope(parameters, random) / "pmt", 128,
                                      ProxyMatchTransform::Level::coarse);
  MatchSite site;
  site.table = torch::tensor({0, 1, 2, 3, 3, 3, 1, 2, 3}, torch::kInt).view({3, 3});  // 3: none
  site.distances = torch::tensor({0.0F, 1.0F, 2.0F, 9.0F, 9.0F, 9.0F, 1.0F, 1.0F, 9.0F}).view({3, 3});
  const std::vector<torch::Tensor> weights = transform.attention(site, Role::target);
  ASSERT_EQ(weights.size(), 2U);
  for (const torch::Tensor& layer : weights) {
    EXPECT_EQ(layer.sizes().vec(), (std::vector<std::int64_t>{3, 3, 4}));
    const torch::Tensor sums = layer.sum(1);
    EXPECT_LT((sums[0] - 1.0).abs().max().item<double>(), 1e-6);
    EXPECT_EQ(sums[1].abs().max().item<double>(), 0.0);
    EXPECT_LT((layer[2][0] - layer[2][1]).abs().max().item<double>(), 1e-6);
    EXPECT_GT((layer[0][0] - layer[0][2]).abs().max().item<double>(), 1e-4);
  }
}

TEST(ParameterCounts, are_the_papers) {
  const PmtrNetwork network = *PmtrNetwork::create(NetworkOptions::reference(), 1);
  EXPECT_EQ(network.parameters().learnt_count(), 1873633);
  // The paper's 273.85 K: the linear layers of the coarse matcher, without proxies and norms.
  std::int64_t linear = 0;
  for (const auto& entry : network.parameters().entries()) {
    const bool coarse = entry.name.rfind("coarse_matcher.", 0) == 0;
    const bool not_linear =
        entry.name.find("proxy") != std::string::npos || entry.name.find("norms") != std::string::npos;
    if (coarse && !not_linear) linear += entry.tensor.numel();
  }
  EXPECT_EQ(linear, 273848);
}

}  // namespace
}  // namespace pmtr
