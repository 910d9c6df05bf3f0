// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cmath>
#include <functional>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/autograd.h>
#include <torch/types.h>

#include "pmtr/core/file.h"
#include "pmtr/systems/jigsaw_assembly.h"
#include "pmtr/systems/jigsaw_learner.h"
#include "pmtr/systems/systems_test_support.h"
#include "pmtr/train/adam.h"
#include "pmtr/train/training_run.h"
#include "support/temporary_folder.h"

namespace pmtr {
namespace {

using torch::Tensor;

TEST(JigsawGroups, farthest_points_keep_their_distance) {
  std::vector<Eigen::Vector3f> line;
  for (int i = 0; i < 9; ++i) line.emplace_back(static_cast<float>(i), 0.0F, 0.0F);
  EXPECT_EQ(farthest_points(line, 5), (std::vector<std::int32_t>{0, 8, 4, 2, 6}));
}

TEST(JigsawGroups, tables_stay_within_their_part_and_radius) {
  const JigsawSample sample = test::jigsaw_bars(400, {3})[0];
  const auto count = static_cast<std::int64_t>(sample.points.size());
  std::vector<int> part;
  for (std::size_t i = 0; i < sample.sizes.size(); ++i)
    part.insert(part.end(), static_cast<std::size_t>(sample.sizes[i]), static_cast<int>(i));
  std::vector<Eigen::Vector3f> fine = sample.points;
  ASSERT_EQ(sample.groups.attended.size(), static_cast<std::size_t>(count * jigsaw_attended));
  for (std::size_t i = 0; i < sample.groups.attended.size(); ++i)
    EXPECT_EQ(part[static_cast<std::size_t>(sample.groups.attended[i])], part[i / jigsaw_attended]);
  for (std::size_t stage = 0; stage < jigsaw_stages.size(); ++stage) {
    const JigsawLevel& level = sample.groups.levels[stage];
    std::vector<Eigen::Vector3f> coarse;
    std::vector<int> coarse_part;
    for (const std::int32_t centre : level.centres) {
      coarse.push_back(fine[static_cast<std::size_t>(centre)]);
      coarse_part.push_back(part[static_cast<std::size_t>(centre)]);
    }
    EXPECT_EQ(std::set(level.centres.begin(), level.centres.end()).size(), level.centres.size());
    for (std::size_t r = 0; r < 2; ++r) {
      const auto width = static_cast<std::size_t>(jigsaw_neighbours[r]);
      ASSERT_EQ(level.neighbours[r].size(), level.centres.size() * width);
      for (std::size_t i = 0; i < level.neighbours[r].size(); ++i) {
        const auto at = static_cast<std::size_t>(level.neighbours[r][i]);
        EXPECT_EQ(part[at], coarse_part[i / width]);
        EXPECT_LT((fine[at] - coarse[i / width]).norm(), jigsaw_stages[stage].radii[r]);
      }
    }
    ASSERT_EQ(level.nearest.size(), 3 * fine.size());
    for (std::size_t i = 0; i < fine.size(); ++i) {
      float sum = 0.0F;
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ(coarse_part[static_cast<std::size_t>(level.nearest[3 * i + k])], part[i]);
        sum += level.weights[3 * i + k];
      }
      EXPECT_NEAR(sum, 1.0F, 1e-5F);
    }
    fine = coarse;
    part = coarse_part;
  }
}

TEST(JigsawSamples, breaks_are_where_parts_meet_and_partners_are_near_in_the_whole) {
  const JigsawSample sample = test::jigsaw_bars(1000, {3})[0];
  std::vector<Eigen::Vector3d> placed;
  std::vector<std::size_t> part;
  for (std::size_t i = 0; i < sample.sizes.size(); ++i) {
    for (std::int64_t k = 0; k < sample.sizes[i]; ++k) {
      placed.push_back(sample.object_from_part[i] * sample.points[placed.size()].cast<double>());
      part.push_back(i);
    }
  }
  int broken = 0;
  for (std::size_t i = 0; i < placed.size(); ++i) {
    double nearest = 1e9;
    for (std::size_t k = 0; k < placed.size(); ++k) {
      if (part[k] != part[i]) nearest = std::min(nearest, (placed[k] - placed[i]).norm());
    }
    if (std::abs(nearest - static_cast<double>(jigsaw_break_distance)) > 1e-4) {
      EXPECT_EQ(sample.broken[i] != 0, nearest < static_cast<double>(jigsaw_break_distance));
    }
    if (sample.broken[i] == 0) {
      EXPECT_EQ(sample.partner[i], -1);
      continue;
    }
    ++broken;
    const auto partner = static_cast<std::size_t>(sample.partner[i]);
    EXPECT_NE(part[partner], part[i]);
    EXPECT_NEAR((placed[partner] - placed[i]).norm(), nearest, 1e-5);
  }
  EXPECT_GT(broken, 20);
}

/// Slopes of each input, by the gradient and by two evaluations, in double.
void expect_same_slopes(std::vector<Tensor> inputs, const std::function<Tensor()>& value) {
  constexpr double step = 1e-6;
  const auto gradients = torch::autograd::grad({value()}, inputs);
  Random random(3);
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Tensor direction = test::random_double(random, inputs[i].sizes().vec());
    Tensor moved = inputs[i].detach();
    moved.add_(direction, step);
    const double above = value().item<double>();
    moved.add_(direction, -2 * step);
    const double below = value().item<double>();
    moved.add_(direction, step);
    const double slope = (gradients[i] * direction).sum().item<double>();
    EXPECT_NEAR(slope, (above - below) / (2 * step), 1e-6 * (1.0 + std::abs(slope))) << i;
  }
}

TEST(JigsawLayers, attention_in_rows_is_that_of_torch_and_so_is_its_gradient) {
  Random random(5);
  std::vector<Tensor> qkv;
  // More rows than are done at a time.
  for (int i = 0; i < 3; ++i) qkv.push_back(test::random_double(random, {2, 530, 4}).requires_grad_());
  const auto plain = [&] {
    return torch::matmul(torch::softmax(torch::matmul(qkv[0], qkv[1].transpose(1, 2)) / 2.0, -1), qkv[2]);
  };
  const Tensor weight = test::random_double(random, {2, 530, 4});
  Threads threads(2);
  const Tensor found = attend_in_rows(qkv[0], qkv[1], qkv[2], threads);
  EXPECT_LT((found - plain()).abs().max().item<double>(), 1e-12);
  const auto expected = torch::autograd::grad({(plain() * weight).sum()}, qkv);
  const auto gradients = torch::autograd::grad({(found * weight).sum()}, qkv);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_LT((gradients[i] - expected[i]).abs().max().item<double>(), 1e-11) << i;
}

TEST(JigsawLayers, sinkhorn_divides_rows_and_columns_and_has_the_slope_of_finite_differences) {
  Random random(6);
  const Tensor scores = test::random_double(random, {7, 7}).mul_(3.0).requires_grad_();
  const Tensor matches = torch::exp(log_sinkhorn(scores, 400));
  EXPECT_LT((matches.sum(0) - 1.0).abs().max().item<double>(), 1e-12);
  EXPECT_LT((matches.sum(1) - 1.0).abs().max().item<double>(), 1e-4);
  const Tensor weight = test::random_double(random, {7, 7});
  expect_same_slopes({scores}, [&] { return (log_sinkhorn(scores, 3) * weight).sum(); });
}

class JigsawLayerGradient : public testing::Test {
 protected:
  ParameterScope scope() { return {parameters_, random_}; }
  SystemPass pass() const { return {Execution{&Threads::none()}, true, nullptr}; }
  void check(std::vector<Tensor> inputs, const std::function<Tensor()>& layer) {
    const Tensor weight = test::random_double(random_, layer().sizes().vec());
    for (const auto& entry : parameters_.entries()) {
      if (entry.learnt) inputs.push_back(entry.tensor);
    }
    expect_same_slopes(inputs, [&] { return (layer() * weight).sum(); });
  }
  JigsawBatch batch() const {
    JigsawBatch found = stack_jigsaw(test::jigsaw_bars(90));
    found.points = found.points.to(torch::kDouble);
    return found;
  }

  Parameters parameters_;
  Random random_{4};
};

TEST_F(JigsawLayerGradient, set_abstraction) {
  const SetAbstraction layer(scope(), 4, {{{5, 6}, {7, 8}}});
  test::to_double(parameters_);
  const JigsawBatch own = batch();
  const Tensor x = test::random_double(random_, {own.points.size(0), 4}).requires_grad_();
  check({x}, [&] { return layer(own.points, x, own.levels[0], pass()); });
}

TEST_F(JigsawLayerGradient, propagation) {
  const Propagation layer(scope(), {7, 8, 6});
  test::to_double(parameters_);
  const JigsawBatch own = batch();
  const Tensor fine = test::random_double(random_, {own.points.size(0), 4}).requires_grad_();
  const Tensor coarse = test::random_double(random_, {own.levels[0].centres.size(0), 3}).requires_grad_();
  check({fine, coarse}, [&] { return layer(fine, coarse, own.levels[0], pass()); });
}

TEST_F(JigsawLayerGradient, point_transformer) {
  const PointTransformer layer(scope(), 16);
  test::to_double(parameters_);
  const JigsawBatch own = batch();
  const Tensor x = test::random_double(random_, {own.points.size(0), 16}).requires_grad_();
  check({x}, [&] { return layer(own.points, x, own.attended, pass()); });
}

TEST_F(JigsawLayerGradient, object_attention) {
  const ObjectAttention layer(scope(), 16);
  test::to_double(parameters_);
  const JigsawBatch own = batch();
  const Tensor x = test::random_double(random_, {own.points.size(0), 16}).requires_grad_();
  check({x}, [&] { return layer(x, own.objects, pass()); });
}

TEST(Jigsaw, whole_loss_has_the_slope_of_finite_differences) {
  const System system = *System::create("jigsaw", 1);
  test::to_double(system.parameters());
  const auto objects = test::jigsaw_bars(200);
  const SystemPass pass{Execution{&Threads::none()}, true, nullptr};
  const auto loss = [&] { return system.jigsaw().loss(objects, 1.0, pass).total; };
  const std::vector<Tensor> learnt = system.parameters().learnt();
  const auto gradients = torch::autograd::grad({loss()}, learnt);
  // Along the gradient: that of the whole is nowhere small.
  double square = 0.0;
  for (const Tensor& gradient : gradients) square += gradient.square().sum().item<double>();
  const double step = 1e-7 / std::sqrt(square);
  const torch::NoGradGuard no_grad;
  const auto move = [&](double by) {
    for (std::size_t i = 0; i < learnt.size(); ++i) learnt[i].detach().add_(gradients[i], by);
  };
  move(step);
  const double above = loss().item<double>();
  move(-2.0 * step);
  const double below = loss().item<double>();
  EXPECT_NEAR((above - below) / (2.0 * step) / square, 1.0, 2e-3);
}

TEST(Jigsaw, has_the_parameters_counted_by_hand) {
  // Weights and norms of layers without bias.
  const auto normed = [](std::vector<std::int64_t> widths) {
    std::int64_t sum = 0;
    for (std::size_t i = 1; i < widths.size(); ++i) sum += widths[i - 1] * widths[i] + 2 * widths[i];
    return sum;
  };
  const std::int64_t down = normed({6, 16, 16, 32}) + normed({6, 32, 32, 64}) + normed({99, 64, 64, 128}) +
                            normed({99, 64, 96, 128}) + 2 * normed({259, 128, 196, 256}) +
                            normed({515, 256, 256, 512}) + normed({515, 256, 384, 512});
  const std::int64_t up = normed({1536, 256, 256}) + normed({512, 256, 256}) + normed({352, 256, 128}) +
                          normed({128, 128, 128, 128});
  const std::int64_t transformer =
      3 * (128 * 128 + 128) + (9 + 6) + (3 * 128 + 128) + 2 * 128 + (128 * 16 + 2 * 16) + (16 * 16 + 16);
  const std::int64_t attention = 4 * 128 * 128 + 2 * 128 + (128 * 256 + 256) + (256 * 128 + 128) + 2 * 128;
  const std::int64_t heads = (2 * 128 + 128 + 1) + (2 * 128 + 128 * 512 + 512) + 256 * 256;
  EXPECT_EQ(System::create("jigsaw", 0)->parameters().learnt_count(),
            down + up + transformer + attention + heads);
}

TEST(Jigsaw, the_same_batch_gives_the_same_bits_with_any_number_of_threads) {
  const System system = *System::create("jigsaw", 1);
  const auto objects = test::jigsaw_bars(200);
  const LearningStep once = jigsaw_gradient(system, objects, 1.0, Threads::none());
  Threads threads(2);
  const LearningStep again = jigsaw_gradient(system, objects, 1.0, threads);
  EXPECT_EQ(once.losses, again.losses);
  for (std::size_t i = 0; i < once.gradients.size(); ++i) {
    ASSERT_TRUE(once.gradients[i].defined());
    EXPECT_TRUE(torch::equal(once.gradients[i], again.gradients[i]));
  }
}

TEST(Jigsaw, features_do_not_depend_on_other_objects_of_the_batch) {
  const System system = *System::create("jigsaw", 1);
  const auto objects = test::jigsaw_bars(200);
  const torch::NoGradGuard no_grad;
  const SystemPass pass{Execution{&Threads::none()}};
  const Tensor together = system.jigsaw().encode(stack_jigsaw(objects), pass);
  const Tensor alone = system.jigsaw().encode(stack_jigsaw({&objects[1], 1}), pass);
  const Tensor own = together.narrow(0, together.size(0) - alone.size(0), alone.size(0));
  EXPECT_LT((own - alone).abs().max().item<double>(), 1e-4);
}

TEST(Jigsaw, a_run_cut_off_and_resumed_equals_one_that_was_not) {
  const test::TemporaryFolder folder;
  const auto objects = test::jigsaw_bars(120, {2, 3});
  const auto run = [&](const char* name, bool resume, const Listener& listener) {
    const System system = *System::create("jigsaw", 5);
    RunSettings settings;
    settings.options = system_config(system.info()).train;
    settings.options.steps = 4;
    settings.options.checkpoint_every = 100;
    settings.options.validate_every = 2;
    settings.folder = folder.path() / name;
    settings.resume = resume;
    const MakeSample<JigsawSample> make = [&](std::uint64_t index) -> Result<JigsawSample> {
      return objects[index % 2];
    };
    const auto group = lone_worker();
    JigsawLearner learner(system, settings.options, make, 1, {objects.data(), 1}, Threads::none());
    return *run_learner(learner, settings, *group, Threads::none(), listener);
  };
  run("whole", false, {});
  std::int64_t done = 0;
  Listener stopping;
  stopping.progress = [&](std::string_view, std::int64_t step, std::int64_t) { done = step; };
  stopping.cancelled = [&] { return done >= 2; };
  EXPECT_EQ(run("parts", false, stopping).steps, 2);
  EXPECT_EQ(run("parts", true, {}).first_step, 2);
  for (const char* file : {"last.safetensors", "checkpoints/step_000000004.safetensors"})
    EXPECT_EQ(*read_file(folder.path() / "whole" / file), *read_file(folder.path() / "parts" / file)) << file;
}

TEST(Ransac, finds_the_pose_that_a_third_of_the_matches_agree_on) {
  Random random(8);
  const Rigid3 truth{random.rotation(), {0.1, -0.2, 0.3}};
  WeightedMatches matches;
  for (int i = 0; i < 90; ++i) {
    const Eigen::Vector3d b(random.uniform(), random.uniform(), random.uniform());
    const Eigen::Vector3d elsewhere(random.uniform(), random.uniform(), random.uniform());
    matches.b.push_back(b);
    matches.a.push_back(i % 3 == 0 ? Eigen::Vector3d(truth * b) : elsewhere);
    matches.weights.push_back(i % 3 == 0 ? 1.0 : 0.5);
  }
  const auto pose = ransac_pose(matches, {}, Random(1));
  ASSERT_TRUE(pose);
  EXPECT_GE(pose->agreeing, 30);
  // A wrong match that happens to be near has a say too.
  EXPECT_LT((pose->a_from_b.matrix() - truth.matrix()).norm(), 0.05);
  EXPECT_EQ(ransac_pose(matches, {}, Random(1))->a_from_b.matrix(), pose->a_from_b.matrix());
  matches.a.resize(2);
  matches.b.resize(2);
  matches.weights.resize(2);
  EXPECT_FALSE(ransac_pose(matches, {}, Random(1)));
}

}  // namespace
}  // namespace pmtr
