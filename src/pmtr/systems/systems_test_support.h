// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <torch/types.h>

#include "pmtr/dataset/dataset_test_support.h"
#include "pmtr/dataset/generated_source.h"
#include "pmtr/systems/jigsaw_sample.h"
#include "pmtr/systems/object_sample.h"
#include "pmtr/systems/train_system.h"
#include "pmtr/train/adam.h"

namespace pmtr::test {

inline auto every_system() { return testing::Values("global", "lstm", "dgl", "nsm", "wu", "wu-correlated"); }

/// Those that find poses by regression are the above; all that --system takes:
inline std::vector<std::string> system_names() {
  std::vector<std::string> names;
  for (const SystemInfo& info : all_systems()) names.emplace_back(info.name);
  return names;
}

/// As the name of a test.
inline std::string system_word(const testing::TestParamInfo<const char*>& test) {
  std::string name = test.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// Shapes of our own, broken into `parts` pieces each, with few points: quick to learn.
inline std::vector<ObjectSample> small_objects(int count, int parts, int points) {
  GeneratedSourceOptions options;
  options.min_pieces = options.max_pieces = parts;
  options.min_around = options.max_around = 40;
  options.worn = 0.0;
  const auto source = *GeneratedSource::create(options);
  ObjectSampleOptions sampling;
  sampling.points = points;
  std::vector<ObjectSample> objects;
  Random random(3);
  while (static_cast<int>(objects.size()) < count) {
    const auto object = *source->draw(random);
    objects.push_back(*prepare_object(*object, sampling, Random(random.bits())));
  }
  return objects;
}

/// The losses of learning ten objects of two parts, always all of them, until a tenth is left or so many
/// updates are done.
struct LearntByHeart {
  double first = 0.0;
  double least = 0.0;
  std::int64_t updates = 0;
};
inline LearntByHeart learn_by_heart(const char* name, int points, std::int64_t most_updates) {
  const System system = *System::create(name, 1);
  const auto objects = small_objects(10, 2, points);
  Adam adam(system.parameters().learnt(), AdamOptions{});
  Threads threads(2);
  LearntByHeart result;
  for (; result.updates < most_updates; ++result.updates) {
    const Random random(1, static_cast<std::uint64_t>(result.updates));
    const LearningStep learnt = system_gradient(system, objects, random, threads);
    const double loss = learnt.losses.at("loss");
    if (result.updates == 0) result.first = result.least = loss;
    result.least = std::min(result.least, loss);
    if (result.least < 0.1 * result.first) break;
    adam.step(learnt.gradients, 1e-3, threads);
  }
  return result;
}

/// Bars cut into two and three boxes.
inline std::vector<ObjectSample> two_bars(int points, std::vector<int> parts = {3, 2}) {
  ObjectSampleOptions sampling;
  sampling.points = points;
  std::vector<ObjectSample> objects;
  for (const int count : parts) {
    const BrokenObject bar = make_broken_object(cut_bar(count));
    objects.push_back(*prepare_object(bar, sampling, Random(7, objects.size())));
  }
  return objects;
}

/// Bars as Jigsaw sees them.
inline std::vector<JigsawSample> jigsaw_bars(int points, std::vector<int> parts = {3, 2}) {
  ObjectSampleOptions sampling;
  sampling.points = points;
  std::vector<JigsawSample> objects;
  for (const int count : parts) {
    const BrokenObject bar = make_broken_object(cut_bar(count));
    objects.push_back(*prepare_jigsaw(bar, sampling, Random(7, objects.size())));
  }
  return objects;
}

/// The layers share these tensors: all of a model computes in double afterwards.
inline void to_double(const Parameters& parameters) {
  for (const auto& entry : parameters.entries()) {
    torch::Tensor tensor = entry.tensor;
    tensor.set_data(tensor.detach().to(torch::kDouble));
  }
}

inline torch::Tensor random_double(Random& random, std::vector<std::int64_t> shape) {
  torch::Tensor tensor = torch::empty(shape, torch::kDouble);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) tensor.data_ptr<double>()[i] = random.normal();
  return tensor;
}

}  // namespace pmtr::test
