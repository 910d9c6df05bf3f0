// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
// A network that cannot learn twenty pairs by heart cannot learn anything.
#include <gtest/gtest.h>

#include "pmtr/dataset/object_cache.h"
#include "pmtr/train/config.h"
#include "pmtr/train/prepare_sample.h"
#include "pmtr/train/trainer.h"
#include "pmtr/train/validation.h"
#include "support/data_folder.h"
#include "support/temporary_folder.h"

namespace pmtr::test {
namespace {

constexpr std::size_t wanted = 20;

std::vector<TrainingPair> pairs_of_one_object(const PairOptions& options) {
  std::vector<TrainingPair> pairs;
  LayoutOptions layout;
  layout.categories = {"Bottle"};
  layout.max_parts = 8;
  const auto index = list_dataset(fractures_folder(), layout);
  EXPECT_TRUE(index.ok());
  if (!index.ok()) return pairs;
  const auto object = std::max_element(
      index->objects.begin(), index->objects.end(),
      [](const ObjectFiles& a, const ObjectFiles& b) { return a.fractures.size() < b.fractures.size(); });
  for (const FractureFiles& fracture : object->fractures) {
    const auto broken = read_broken_object(*index, *object, fracture);
    EXPECT_TRUE(broken.ok());
    if (!broken.ok()) return pairs;
    for (const MatingPair& pair : usable_pairs(*broken, options)) {
      auto prepared = prepare_pair(*broken, pair, options, Random(1, pairs.size()));
      EXPECT_TRUE(prepared.ok());
      if (prepared.ok()) pairs.push_back(*std::move(prepared));
      if (pairs.size() == wanted) return pairs;
    }
  }
  return pairs;
}

TEST(Overfit, TwentyPairsOfOneObjectFromNothing) {
  PMTR_REQUIRE_DATA();
  auto config = read_config(PMTR_CONFIGS "/default.toml");
  ASSERT_TRUE(config.ok());
  PairOptions data = config->data.pairs;
  data.least_overlap = comparable_overlap;
  data.noise = 0.0;
  const std::vector<TrainingPair> pairs = pairs_of_one_object(data);
  ASSERT_EQ(pairs.size(), wanted);

  std::vector<PairSample> samples;
  for (const TrainingPair& pair : pairs) {
    auto sample = prepare_sample(pair, config->network, config->train.truth, false);
    ASSERT_TRUE(sample.ok());
    samples.push_back(*std::move(sample));
  }
  const TemporaryFolder folder;
  TrainingRun run;
  run.options = config->train;
  run.options.steps = 300;
  run.options.warm_up = 30;
  run.options.losses.matching_from = 0;
  run.options.validate_every = 0;
  run.options.checkpoint_every = 1000;
  run.folder = folder.path();
  run.sample = [&](std::uint64_t i) -> Result<PairSample> { return samples[i % wanted]; };
  auto network = PmtrNetwork::create(config->network, 1);
  ASSERT_TRUE(network.ok());
  Threads threads(2);
  ValidationOptions validation;
  validation.truth = config->train.truth;
  const auto before = validate_network(*network, pairs, validation, threads, {});
  EXPECT_LT(before.values.at("recall_10_005"), 0.5) << "untrained it should not be able to do this";
  ASSERT_TRUE(train(*network, run, *lone_worker(), threads, {}).ok());
  const auto after = validate_network(*network, pairs, validation, threads, {});
  for (const auto& [name, value] : after.values) RecordProperty(name, std::to_string(value));
  EXPECT_GE(after.values.at("recall_10_005"), 0.95);
  EXPECT_GT(after.values.at("fracture_auc"), 0.98);
}

}  // namespace
}  // namespace pmtr::test
