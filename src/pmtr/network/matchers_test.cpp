// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// Every matcher by itself: gradients, plain references, counts, determinism, swapped sides, memory.
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "pmtr/network/allocation_peak.h"
#include "pmtr/network/correlation_convolution.h"
#include "pmtr/network/geometric_transformer.h"
#include "pmtr/network/make_matcher.h"
#include "pmtr/network/network_memory.h"
#include "pmtr/network/point_matchers.h"
#include "pmtr/network/proxy_match_transform.h"

namespace pmtr {
namespace {

using torch::Tensor;

constexpr double reach = 0.4;

/// A fragment of `n` random points with every point within `reach` a neighbour, nearest first.
MatchSide random_side(Random& random, std::int64_t n, std::int64_t width, Role role) {
  MatchSide side;
  side.role = role;
  side.site.points = uniform_tensor(random, {n, 3}, 0.3);
  const Tensor distances = (side.site.points.unsqueeze(0) - side.site.points.unsqueeze(1)).norm(2, 2);
  const auto [sorted, order] = distances.sort(1);
  const std::int64_t columns = std::min<std::int64_t>(n, 7);
  side.site.distances = sorted.narrow(1, 0, columns).contiguous();
  side.site.table = order.narrow(1, 0, columns)
                        .to(torch::kInt)
                        .masked_fill(side.site.distances > reach, static_cast<double>(n));
  side.features = uniform_tensor(random, {n, width}, 1.0);
  return side;
}

struct Sizes {
  std::int64_t source = 7;
  std::int64_t target = 5;
};

/// A matcher with its parameters and a pair to match.
class MatcherCase {
 public:
  MatcherCase(MatcherKind kind, std::uint64_t seed, Sizes sizes = {}, bool fine = false)
      : random_(seed), width_(kind == MatcherKind::pmt ? 128 : 12) {
    const ParameterScope scope = ParameterScope(parameters_, random_) / "m";
    using Alone = std::unique_ptr<FragmentMatcher>;
    using Both = std::unique_ptr<PairMatcher>;
    if (kind == MatcherKind::linear) matcher_ = Alone(std::make_unique<PerceptronMatcher>(scope, width_, 1));
    if (kind == MatcherKind::mlp) matcher_ = Alone(std::make_unique<PerceptronMatcher>(scope, width_, 2));
    if (kind == MatcherKind::pmt)
      matcher_ = Alone(std::make_unique<ProxyMatchTransform>(
          scope, width_, fine ? ProxyMatchTransform::Level::fine : ProxyMatchTransform::Level::coarse));
    if (kind == MatcherKind::hdc)
      matcher_ = Both(std::make_unique<CorrelationConvolution>(scope, width_, reach));
    if (kind == MatcherKind::geotr)
      matcher_ = Both(std::make_unique<GeometricTransformer>(scope, width_, width_, 8));
    sides_ = {random_side(random_, sizes.source, width_, Role::source),
              random_side(random_, sizes.target, width_, Role::target)};
  }

  void to_double() {
    for (const auto& entry : parameters_.entries()) {
      Tensor tensor = entry.tensor;
      tensor.set_data(entry.tensor.detach().to(torch::kDouble));
    }
    for (MatchSide& side : sides_) {
      side.features = side.features.to(torch::kDouble);
      side.site.points = side.site.points.to(torch::kDouble);
      side.site.distances = side.site.distances.to(torch::kDouble);
    }
  }

  std::vector<Tensor> run(const Execution& execution) const {
    return apply_matcher(matcher_, sides_, false, execution);
  }
  Tensor weight(const std::string& name) const {
    const Tensor* found = parameters_.find("m." + name);
    EXPECT_NE(found, nullptr) << name;
    return found->detach();
  }

  Random random_;
  std::int64_t width_;
  Parameters parameters_;
  Matcher matcher_;
  std::vector<MatchSide> sides_;
};

const Execution composed{&Threads::none(), true};
constexpr std::array trained{MatcherKind::linear, MatcherKind::mlp, MatcherKind::pmt, MatcherKind::hdc,
                             MatcherKind::geotr};

class EveryMatcher : public testing::TestWithParam<MatcherKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, EveryMatcher, testing::ValuesIn(trained));

TEST_P(EveryMatcher, gradients_are_those_of_finite_differences) {
  for (const bool fine : {false, true}) {
    if (fine && GetParam() != MatcherKind::pmt) continue;
    MatcherCase setup(GetParam(), 5, {}, fine);
    setup.to_double();
    std::vector<Tensor> leaves;
    for (const auto& entry : setup.parameters_.entries()) leaves.push_back(entry.tensor);
    for (MatchSide& side : setup.sides_) {
      side.features.set_requires_grad(true);
      leaves.push_back(side.features);
    }
    std::vector<Tensor> directions;
    const auto value = [&] {
      const std::vector<Tensor> out = setup.run(composed);
      while (directions.size() < out.size())
        directions.push_back(
            uniform_tensor(setup.random_, out[directions.size()].sizes().vec(), 1.0).to(torch::kDouble));
      return (out[0] * directions[0]).sum() + (out[1] * directions[1]).sum();
    };
    value().backward();
    const torch::NoGradGuard no_grad;
    int moved = 0;
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      double* numbers = leaves[i].data_ptr<double>();
      for (int probe = 0; probe < 4; ++probe) {
        const auto at =
            static_cast<std::int64_t>(setup.random_.below(static_cast<std::uint64_t>(leaves[i].numel())));
        constexpr double step = 1e-6;
        const double before = numbers[at];
        numbers[at] = before + step;
        const double above = value().item<double>();
        numbers[at] = before - step;
        const double below = value().item<double>();
        numbers[at] = before;
        const double expected = (above - below) / (2.0 * step);
        // What the forward never reads (the last layer of fine transforms) has no gradient.
        const Tensor gradient = leaves[i].grad();
        const double found = gradient.defined() ? gradient.flatten()[at].item<double>() : 0.0;
        EXPECT_NEAR(found, expected, 2e-7 + 1e-5 * std::abs(expected)) << i << " " << at;
        moved += std::abs(expected) > 1e-4 ? 1 : 0;
      }
    }
    EXPECT_GT(moved, static_cast<int>(leaves.size()));
  }
}

TEST_P(EveryMatcher, kernels_and_composition_agree_and_teams_give_the_same_bytes) {
  const MatcherCase setup(GetParam(), 6, {40, 33});
  const torch::NoGradGuard no_grad;
  const std::vector<Tensor> plain = setup.run(composed);
  const std::vector<Tensor> alone = setup.run(Execution{&Threads::none()});
  Threads two(2);
  for (int repeat = 0; repeat < 3; ++repeat) {
    const std::vector<Tensor> team = setup.run(Execution{&two});
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_TRUE(torch::equal(team[i], alone[i]));
      EXPECT_LT((plain[i] - alone[i]).abs().max().item<double>(), 2e-4);
    }
  }
}

TEST_P(EveryMatcher, a_single_point_gives_numbers) {
  const MatcherCase setup(GetParam(), 7, {1, 2});
  for (const Tensor& out : setup.run(Execution{&Threads::none()}))
    EXPECT_TRUE(torch::isfinite(out).all().item<bool>());
}

class SymmetricMatcher : public testing::TestWithParam<MatcherKind> {};
INSTANTIATE_TEST_SUITE_P(Kinds, SymmetricMatcher,
                         testing::Values(MatcherKind::linear, MatcherKind::mlp, MatcherKind::hdc,
                                         MatcherKind::geotr));

TEST_P(SymmetricMatcher, swapped_sides_give_swapped_results) {
  MatcherCase setup(GetParam(), 8, {20, 13});
  setup.to_double();
  const std::vector<Tensor> out = setup.run(composed);
  std::swap(setup.sides_[0], setup.sides_[1]);
  setup.sides_[0].role = Role::source;
  setup.sides_[1].role = Role::target;
  const std::vector<Tensor> swapped = setup.run(composed);
  EXPECT_LT((out[0] - swapped[1]).abs().max().item<double>(), 1e-10);
  EXPECT_LT((out[1] - swapped[0]).abs().max().item<double>(), 1e-10);
}

TEST(PairMatchers, do_not_change_when_a_fragment_is_turned_and_do_when_its_partner_changes) {
  for (const MatcherKind kind : {MatcherKind::hdc, MatcherKind::geotr}) {
    MatcherCase setup(kind, 9, {12, 9});
    setup.to_double();
    const std::vector<Tensor> out = setup.run(composed);
    const Eigen::Matrix3d r = setup.random_.rotation();
    Tensor rotation = torch::empty({3, 3}, torch::kDouble);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) rotation[i][j] = r(j, i);
    setup.sides_[0].site.points = torch::matmul(setup.sides_[0].site.points, rotation);
    EXPECT_LT((setup.run(composed)[0] - out[0]).abs().max().item<double>(), 1e-6);
    setup.sides_[1].features = -setup.sides_[1].features;
    EXPECT_GT((setup.run(composed)[0] - out[0]).abs().max().item<double>(), 1e-3);
  }
}

using Matrix = std::vector<std::vector<double>>;

Matrix rows_of(const Tensor& tensor) {
  const Tensor wide = tensor.detach().to(torch::kDouble).contiguous();
  Matrix rows(static_cast<std::size_t>(wide.size(0)));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double* begin = wide.data_ptr<double>() + static_cast<std::int64_t>(i) * wide.size(1);
    rows[i].assign(begin, begin + wide.size(1));
  }
  return rows;
}

double furthest(const Matrix& a, const Matrix& b) {
  double most = a.size() == b.size() ? 0.0 : 1e9;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    for (std::size_t j = 0; j < a[i].size(); ++j) most = std::max(most, std::abs(a[i][j] - b[i][j]));
  return most;
}

/// Layers by loops, with the weights of a setup.
struct Plain {
  const MatcherCase& setup;

  std::vector<double> linear(const std::string& name, const std::vector<double>& x) const {
    const Matrix weight = rows_of(setup.weight(name + ".weight"));
    const Matrix bias = rows_of(setup.weight(name + ".bias").unsqueeze(0));
    std::vector<double> y = bias[0];
    for (std::size_t o = 0; o < y.size(); ++o)
      for (std::size_t i = 0; i < x.size(); ++i) y[o] += weight[o][i] * x[i];
    return y;
  }
  Matrix linears(const std::string& name, const Matrix& x) const {
    Matrix y;
    for (const auto& row : x) y.push_back(linear(name, row));
    return y;
  }
  std::vector<double> row_norm(const std::string& name, const std::vector<double>& x) const {
    const Matrix weight = rows_of(setup.weight(name + ".weight").unsqueeze(0));
    const Matrix bias = rows_of(setup.weight(name + ".bias").unsqueeze(0));
    double mean = 0.0, variance = 0.0;
    for (const double v : x) mean += v / static_cast<double>(x.size());
    for (const double v : x) variance += (v - mean) * (v - mean) / static_cast<double>(x.size());
    std::vector<double> y;
    for (std::size_t i = 0; i < x.size(); ++i)
      y.push_back((x[i] - mean) / std::sqrt(variance + 1e-5) * weight[0][i] + bias[0][i]);
    return y;
  }
};

std::vector<double> plain_waves(double value, std::size_t width) {
  std::vector<double> out;
  for (std::size_t k = 0; k < width; k += 2) {
    const double rate = std::pow(10000.0, -static_cast<double>(k) / static_cast<double>(width));
    out.push_back(std::sin(value * rate));
    out.push_back(std::cos(value * rate));
  }
  return out;
}

/// r_ij of Qin et al.: distance in units of 0.2, angles at i between its nearest neighbours and j in units of
/// 15 degrees, the largest over three neighbours channel by channel.
std::vector<Matrix> plain_embedding(const Plain& plain, const Matrix& points, std::size_t width) {
  const std::size_t n = points.size();
  const auto from_to = [&](std::size_t i, std::size_t j) {
    return Eigen::Vector3d(points[j][0] - points[i][0], points[j][1] - points[i][1],
                           points[j][2] - points[i][2]);
  };
  std::vector<Matrix> out(n, Matrix(n));
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<std::pair<double, std::size_t>> others;
    for (std::size_t j = 0; j < n; ++j)
      if (j != i) others.emplace_back(from_to(i, j).norm(), j);
    std::sort(others.begin(), others.end());
    for (std::size_t j = 0; j < n; ++j) {
      out[i][j] = plain.linear("geotr.embedding.distance", plain_waves(from_to(i, j).norm() / 0.2, width));
      std::vector<double> best(width, -1e300);
      for (std::size_t k = 0; k < 3; ++k) {
        const Eigen::Vector3d a = from_to(i, others[k].second), b = from_to(i, j);
        const double angle = j == i ? 0.0 : std::atan2(a.cross(b).norm(), a.dot(b));
        const auto e = plain.linear("geotr.embedding.angle",
                                    plain_waves(angle * 180.0 / (15.0 * std::numbers::pi), width));
        for (std::size_t c = 0; c < width; ++c) best[c] = std::max(best[c], e[c]);
      }
      for (std::size_t c = 0; c < width; ++c) out[i][j][c] += best[c];
    }
  }
  return out;
}

Matrix plain_attention(const Plain& plain, const std::string& name, const Matrix& x, const Matrix& other,
                       const std::vector<Matrix>* places) {
  constexpr std::size_t heads = 4;
  const std::size_t width = x[0].size(), per_head = width / heads;
  const Matrix q = plain.linears(name + ".query", x), k = plain.linears(name + ".key", other),
               v = plain.linears(name + ".value", other);
  Matrix out;
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::vector<double> seen(width, 0.0);
    for (std::size_t h = 0; h < heads; ++h) {
      std::vector<double> weights;
      double sum = 0.0;
      for (std::size_t j = 0; j < other.size(); ++j) {
        const std::vector<double> p =
            places != nullptr ? plain.linear(name + ".place", (*places)[i][j]) : std::vector<double>(width);
        double logit = 0.0;
        for (std::size_t c = h * per_head; c < (h + 1) * per_head; ++c) logit += q[i][c] * (k[j][c] + p[c]);
        weights.push_back(std::exp(logit / std::sqrt(static_cast<double>(per_head))));
        sum += weights.back();
      }
      for (std::size_t j = 0; j < other.size(); ++j)
        for (std::size_t c = h * per_head; c < (h + 1) * per_head; ++c) seen[c] += weights[j] / sum * v[j][c];
    }
    std::vector<double> y = plain.linear(name + ".merge", seen);
    for (std::size_t c = 0; c < width; ++c) y[c] += x[i][c];
    y = plain.row_norm(name + ".norm", y);
    std::vector<double> wide = plain.linear(name + ".expand", y);
    for (double& value : wide) value = std::max(0.0, value);
    std::vector<double> z = plain.linear(name + ".squeeze", wide);
    for (std::size_t c = 0; c < width; ++c) z[c] += y[c];
    out.push_back(plain.row_norm(name + ".out_norm", z));
  }
  return out;
}

TEST(GeometricTransformer, is_what_loops_give) {
  MatcherCase setup(MatcherKind::geotr, 10, {9, 6});
  setup.to_double();
  const Plain plain{setup};
  const auto places_a = plain_embedding(plain, rows_of(setup.sides_[0].site.points), 8);
  const auto places_b = plain_embedding(plain, rows_of(setup.sides_[1].site.points), 8);
  Matrix a = plain.linears("geotr.in", rows_of(setup.sides_[0].features));
  Matrix b = plain.linears("geotr.in", rows_of(setup.sides_[1].features));
  for (int i = 0; i < 3; ++i) {
    const std::string self = "geotr.self." + std::to_string(i), cross = "geotr.cross." + std::to_string(i);
    a = plain_attention(plain, self, a, a, &places_a);
    b = plain_attention(plain, self, b, b, &places_b);
    const Matrix next = plain_attention(plain, cross, a, b, nullptr);
    b = plain_attention(plain, cross, b, a, nullptr);
    a = next;
  }
  const std::vector<Tensor> out = setup.run(composed);
  EXPECT_LT(furthest(rows_of(out[0]), plain.linears("geotr.out", a)), 1e-9);
  EXPECT_LT(furthest(rows_of(out[1]), plain.linears("geotr.out", b)), 1e-9);
}

// sum over the neighbours of one point, the other held, and the other way round; shells at 0, 1/2 and 1 of
// the reach.
TEST(CorrelationConvolution, is_what_loops_give) {
  MatcherCase setup(MatcherKind::hdc, 11, {9, 6});
  setup.to_double();
  const Plain plain{setup};
  const Matrix a = rows_of(setup.sides_[0].features), b = rows_of(setup.sides_[1].features);
  const std::size_t n = a.size(), m = b.size();
  const auto cosine = [](const std::vector<double>& x, const std::vector<double>& y) {
    double dot = 0.0, xx = 0.0, yy = 0.0;
    for (std::size_t c = 0; c < x.size(); ++c) dot += x[c] * y[c], xx += x[c] * x[c], yy += y[c] * y[c];
    return dot / std::sqrt(xx * yy);
  };
  const auto share = [&](const MatchSide& side, std::size_t i, std::size_t k, int shell) {
    const Matrix table = rows_of(side.site.table.to(torch::kDouble)), points = rows_of(side.site.points);
    int count = 0;
    bool neighbour = false;
    for (const double entry : table[i]) {
      const bool there = entry < static_cast<double>(table.size());
      count += there ? 1 : 0;
      neighbour = neighbour || (there && entry == static_cast<double>(k));
    }
    if (!neighbour) return 0.0;
    double squared = 0.0;
    for (int c = 0; c < 3; ++c) squared += std::pow(points[i][c] - points[k][c], 2.0);
    const double away = 2.0 * std::sqrt(squared) / reach;
    return std::max(0.0, 1.0 - std::abs(away - shell)) / count;
  };
  std::vector<Matrix> x(n, Matrix(m));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j) x[i][j] = {std::max(0.0, cosine(a[i], b[j]))};
  for (int layer = 0; layer < 2; ++layer) {
    const std::size_t in = x[0][0].size();
    std::vector<Matrix> y(n, Matrix(m));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < m; ++j) {
        std::vector<double> gathered(3 * in, 0.0);
        for (int shell = 0; shell < 3; ++shell)
          for (std::size_t c = 0; c < in; ++c) {
            double& sum = gathered[static_cast<std::size_t>(shell) * in + c];
            for (std::size_t k = 0; k < n; ++k) sum += share(setup.sides_[0], i, k, shell) * x[k][j][c];
            for (std::size_t k = 0; k < m; ++k) sum += share(setup.sides_[1], j, k, shell) * x[i][k][c];
          }
        y[i][j] = plain.linear("hdc." + std::to_string(layer) + ".kernel", gathered);
      }
    for (std::size_t group = 0; group < 4; ++group) {
      double mean = 0.0, square = 0.0;
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j)
          for (std::size_t c = 4 * group; c < 4 * group + 4; ++c) {
            mean += y[i][j][c] / static_cast<double>(4 * n * m);
            square += y[i][j][c] * y[i][j][c] / static_cast<double>(4 * n * m);
          }
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < m; ++j)
          for (std::size_t c = 4 * group; c < 4 * group + 4; ++c)  // weights of a new norm are 1, biases 0
            y[i][j][c] = std::max(0.0, (y[i][j][c] - mean) / std::sqrt(square - mean * mean + 1e-5));
    }
    x = y;
  }
  Matrix score(n, std::vector<double>(m));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < m; ++j)
      score[i][j] = std::exp(plain.linear("hdc.score", x[i][j])[0] + 10.0 * cosine(a[i], b[j]));
  const auto read = [&](const Matrix& own, const Matrix& other, bool rows) {
    Matrix out;
    for (std::size_t i = 0; i < own.size(); ++i) {
      std::vector<double> joined = own[i];
      std::vector<double> sum(own[i].size(), 0.0);
      double total = 0.0;
      for (std::size_t j = 0; j < other.size(); ++j) {
        const double weight = rows ? score[i][j] : score[j][i];
        total += weight;
        for (std::size_t c = 0; c < sum.size(); ++c) sum[c] += weight * other[j][c];
      }
      for (const double value : sum) joined.push_back(value / total);
      out.push_back(plain.linear("hdc.join", joined));
    }
    return out;
  };
  const std::vector<Tensor> out = setup.run(composed);
  EXPECT_LT(furthest(rows_of(out[0]), read(a, b, true)), 1e-9);
  EXPECT_LT(furthest(rows_of(out[1]), read(b, a, false)), 1e-9);
}

std::int64_t parameters_of(const std::function<void(const ParameterScope&)>& make) {
  Parameters parameters;
  Random random(1);
  make(ParameterScope(parameters, random));
  return parameters.learnt_count();
}

TEST(ParameterCounts, of_the_geometric_transformer_are_the_papers) {
  // 926.85 K is reached exactly with 256 channels in, 128 inside and 128 out.
  EXPECT_EQ(parameters_of([](const auto& scope) { GeometricTransformer(scope, 256, 128); }), 926'848);
  // Superpoints have 512 channels here: 256 more columns of the first layer, 384 more rows of the last.
  EXPECT_EQ(parameters_of([](const auto& scope) { GeometricTransformer(scope, 512, 512); }),
            926'848 + 256 * 128 + 384 * (128 + 1));
}

TEST(ParameterCounts, of_the_other_matchers) {
  const auto count = [](MatcherKind kind) {
    NetworkOptions options = NetworkOptions::plain();
    options.coarse_matcher = kind;
    return parameters_of([&](const auto& scope) { make_coarse_matcher(scope, options); });
  };
  EXPECT_EQ(count(MatcherKind::none), 0);
  EXPECT_EQ(count(MatcherKind::linear), 512 * 513);
  EXPECT_EQ(count(MatcherKind::mlp), 2 * 512 * 513);
  EXPECT_EQ(count(MatcherKind::pmt), 291'296);
  // Kernels 3 to 16 and 48 to 16, two norms, score, scale, and the layer that joins.
  EXPECT_EQ(count(MatcherKind::hdc), 4 * 16 + 49 * 16 + 2 * 32 + 17 + 1 + 1025 * 512);
}

std::int64_t multiply_adds(const MatcherCase& setup) {
  std::atomic<std::int64_t> count{0};
  setup.run(Execution{&Threads::none(), false, &count});
  return count;
}

TEST(MultiplyAdds, are_those_of_a_calculation_by_hand) {
  EXPECT_EQ(multiply_adds(MatcherCase(MatcherKind::linear, 1)), (7 + 5) * 12 * 12);
  EXPECT_EQ(multiply_adds(MatcherCase(MatcherKind::mlp, 1)), 2 * (7 + 5) * 12 * 12);

  // Two factors of 64 channels. Layer 1, per point: 2 factors x 64 -> (16 channels x 4 heads); 7 neighbours
  // (5 at the target), each with a perceptron 1 -> 4 -> 4 and 2 x 16 x 4 values; 16 channels x (2 factors x 4
  // heads) -> 8 factors. Layer 2: 8 factors x 16 -> (4 x 4); the same attention to 8 x 4 x 4 values; 4
  // channels x (8 x 4) -> 32 factors. Then 128 -> 128.
  const auto per_point = [](std::int64_t neighbours) {
    return 2 * 64 * 64 + neighbours * (4 + 16 + 128) + 16 * 8 * 8 + 8 * 16 * 16 +
           neighbours * (4 + 16 + 128) + 4 * 32 * 32 + 128 * 128;
  };
  EXPECT_EQ(multiply_adds(MatcherCase(MatcherKind::pmt, 1)), 7 * per_point(7) + 5 * per_point(5));

  // 8 channels inside. Per pair of points of one cloud: the distance and three angles, and once per layer the
  // place (8 x 8 each), its product with the query (8), that of query and key (8), and the reading (8). Per
  // pair of points of two clouds, both ways: 8 + 8. Per point: in and out (12 x 8 each); in each of six
  // layers query, key, value, merge (4 x 64) and the perceptron (2 x 128).
  const std::int64_t within = (4 + 3) * 64 + 3 * 3 * 8;
  const std::int64_t between = 3 * 2 * (8 + 8);
  const std::int64_t each = 2 * 12 * 8 + 6 * (4 * 64 + 2 * 128);
  EXPECT_EQ(multiply_adds(MatcherCase(MatcherKind::geotr, 1)),
            (7 * 7 + 5 * 5) * within + 7 * 5 * between + (7 + 5) * each);
}

TEST(MultiplyAdds, of_the_convolution_are_those_of_a_calculation_by_hand) {
  const MatcherCase setup(MatcherKind::hdc, 1);
  // A neighbour counts for the shells it is nearer to than half the reach.
  const auto shares = [](const MatchSide& side) {
    std::int64_t count = 0;
    for (const auto& row : rows_of(side.site.distances)) {
      for (const double distance : row)
        for (int shell = 0; shell < 3; ++shell)
          count += distance <= reach && std::abs(2.0 * distance / reach - shell) < 1.0 ? 1 : 0;
    }
    return count;
  };
  const std::int64_t gathered = shares(setup.sides_[0]) * 5 + shares(setup.sides_[1]) * 7;
  const std::int64_t pairs = 7 * 5;
  EXPECT_EQ(multiply_adds(setup), pairs * 12 + gathered * (1 + 16) + pairs * (3 * 16 + 48 * 16 + 16) +
                                      2 * pairs * 12 + (7 + 5) * 24 * 12);
}

TEST(MatcherMemory, what_is_foreseen_is_what_is_allocated) {
  for (const MatcherKind kind : {MatcherKind::hdc, MatcherKind::geotr}) {
    Parameters parameters;
    Random random(3);
    NetworkOptions options = NetworkOptions::plain();
    options.coarse_matcher = kind;
    const Matcher matcher = make_coarse_matcher(ParameterScope(parameters, random), options);
    const auto& pair = *std::get<std::unique_ptr<PairMatcher>>(matcher);
    const std::array sides{random_side(random, 170, 512, Role::source),
                           random_side(random, 140, 512, Role::target)};
    for (const bool training : {false, true}) {
      torch::AutoGradMode mode(training);
      const AllocationPeak peak;
      const auto out = pair.transform(sides[0], sides[1], Execution{&Threads::none()});
      if (training) (out[0].sum() + out[1].square().sum()).backward();
      const auto measured = static_cast<double>(peak.bytes());
      const double foreseen = pair.memory(170, 140, training);
      EXPECT_GT(foreseen, 0.8 * measured) << static_cast<int>(kind) << training;
      EXPECT_LT(foreseen, 1.25 * measured) << static_cast<int>(kind) << training;
    }
  }
}

TEST(MatcherMemory, too_much_is_an_error_that_says_how_much) {
  const Status status = fits_in_memory(41.3e9, 18e9, "the fine matcher");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().cause, Cause::too_large);
  EXPECT_EQ(status.error().message,
            "the fine matcher would need about 41.3 GB of memory, and 18.0 GB are free");
  EXPECT_TRUE(fits_in_memory(17e9, 18e9, "").ok());
  EXPECT_GT(free_memory(), 1e6);
}

}  // namespace
}  // namespace pmtr
