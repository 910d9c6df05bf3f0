// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "train.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "console.h"
#include "pmtr/dataset/pair_sampler.h"
#include "pmtr/network/network_memory.h"
#include "pmtr/train/break_validation.h"
#include "pmtr/train/match_validation.h"
#include "pmtr/train/prepare_sample.h"
#include "pmtr/train/repeated_samples.h"
#include "pmtr/train/trainer.h"
#include "pmtr/train/training_data.h"
#include "pmtr/train/training_speed.h"
#include "pmtr/train/warm_start.h"
#include "progress_bar.h"
#include "thread_count.h"
#include "train_workers.h"

namespace pmtr::command {
namespace {

/// Processes of the run on this machine, as torchrun and --workers tell it: they share the cores.
int workers_here() {
  const char* text = std::getenv("LOCAL_WORLD_SIZE");
  const int count = text == nullptr ? 1 : std::atoi(text);
  return std::clamp(count, 1, 4096);
}

Result<int> print_speed(const TrainingSpeed& speed, int batch) {
  if (speed.stopped) return exit_code::failed;
  return print(fmt::format(
      "update alone {:.1f} ms, with its data {:.1f} ms: {:.1f} % of the speed, {:.2f} pairs per second\n",
      1e3 * speed.prepared, 1e3 * speed.made, 100.0 * speed.prepared / speed.made, batch / speed.made));
}

/// Matchers that look at all pairs of points can need more memory than there is: better said before a run
/// than found out in its first night. The first pairs tell how large pairs are; larger ones will come.
Status check_memory(const PmtrNetwork& network, const TrainingRun& run, const TrainArguments& arguments,
                    const Threads& threads) {
  if (network.encodes_alone()) return {};
  constexpr std::uint64_t looked_at = 4;
  double most = 0.0;
  for (std::uint64_t i = 0; i < looked_at; ++i) {
    PMTR_TRY(const PairSample pair, run.sample(i));
    const bool on_breaks = network.options().break_cloud;
    const auto sizes = [&](const FragmentSample& fragment) {
      return level_sizes(on_breaks ? fragment.match.pyramid : fragment.input.pyramid);
    };
    most = std::max(most, network.matcher_memory(sizes(pair.source), sizes(pair.target), true));
  }
  const int at_once = std::min(run.options.batch, threads.count());
  const double free = arguments.memory ? 1e9 * *arguments.memory : free_memory();
  return fits_in_memory(most * at_once, free, "training these matchers");
}

Result<int> run_one(const TrainArguments& arguments, TrainConfig config, WorkerGroup& group) {
  ProgressBar bar;
  const Listener listener = bar.listener();
  Threads threads(arguments.threads.value_or(std::max(1, all_cores() / workers_here())));
  PMTR_TRY(const TrainingObjects objects, list_training_objects(arguments.folders, config.data, listener));
  const ObjectCache cache(arguments.cache.value_or(arguments.out / "cache"));
  if (group.rank() == 0) {
    for (const DatasetIndex* index : {&objects.learnt, &objects.validation}) {
      PMTR_TRY(const std::int64_t made, cache.build(*index, threads, listener));
      if (made > 0) listener.say(fmt::format("prepared {} broken objects", made));
    }
  }

  if (group.rank() == 0)
    PMTR_TRY_STATUS(write_held_out(objects.validation, arguments.out / "validation.txt"));
  PMTR_TRY(PmtrNetwork network, PmtrNetwork::create(config.network, config.train.seed));
  if (arguments.warm_start) {
    PMTR_TRY(const WarmStart start, warm_start(network, *arguments.warm_start, arguments.fresh));
    listener.say(start.text());
  }
  PMTR_TRY(std::vector<WeightedSource> sources,
           training_sources(arguments.folders, config.data, objects.learnt, cache, listener));
  PMTR_TRY(const PairSampler sampler,
           PairSampler::create(std::move(sources), config.data.pairs, config.train.seed));
  PMTR_TRY(const std::vector<TrainingPair> held_out,
           validation_pairs(objects.validation, cache, config, listener));

  TrainingRun run;
  run.options = config.train;
  run.folder = arguments.out;
  run.resume = arguments.resume;
  run.loaders = arguments.loaders.value_or(run.loaders);
  run.description = resume_description(config);
  const LossOptions& losses = config.train.losses;
  const bool matching = losses.coarse != 0.0 || losses.fine != 0.0 || losses.points != 0.0;
  if (matching && config.network.break_cloud && losses.fracture != 0.0)
    return Error{Cause::invalid_option,
                 "matches on breaks are learnt after the breaks: set fracture to 0 in [losses]",
                 {}};
  const auto make = [&, matching](std::uint64_t index) -> Result<PairSample> {
    PMTR_TRY(const TrainingPair pair, sampler.make_pair(index));
    if (matching && config.network.break_cloud)
      return prepare_match_sample(pair, network, config.train.truth, BreakLabels::mixed);
    return prepare_sample(pair, config.network, config.train.truth, /*all_dense_points=*/false, matching);
  };
  RepeatedSamples samples(make, config.data.rounds, config.train.seed);
  run.sample = [&](std::uint64_t index) { return samples(index); };
  ValidationOptions validation;
  validation.truth = config.train.truth;
  if (!held_out.empty()) {
    run.validate = [&, matching](const PmtrNetwork& current) {
      if (!matching) return validate_breaks(current, held_out, threads, listener);
      return config.network.break_cloud
                 ? validate_matches(current, held_out, validation.truth, threads, listener)
                 : validate_network(current, held_out, validation, threads, listener);
    };
  }
  PMTR_TRY_STATUS(check_memory(network, run, arguments, threads));
  if (arguments.measure) {
    PMTR_TRY(const TrainingSpeed speed,
             measure_training(network, run, *arguments.measure, group, threads, listener));
    return print_speed(speed, run.options.batch);
  }
  if (group.rank() == 0) {
    say(fmt::format("{} objects to learn from, {} to validate on ({} pairs), {} parameters",
                    objects.learnt.objects.size(), objects.validation.objects.size(), held_out.size(),
                    network.parameters().learnt_count()));
  }
  PMTR_TRY(const TrainingSummary summary, train(network, run, group, threads, listener));
  if (group.rank() == 0)
    say(fmt::format("{} after {} updates, {:.3f} s per update; {}", summary.stopped ? "stopped" : "done",
                    summary.steps, summary.seconds_per_step, arguments.out.string()));
  return summary.stopped ? exit_code::failed : exit_code::done;
}

Result<int> train_with(const TrainArguments& arguments) {
  TrainConfig config;
  if (arguments.config) {
    PMTR_TRY(config, read_config(*arguments.config));
  }
  if (arguments.steps) config.train.steps = *arguments.steps;
  PMTR_TRY_STATUS(config.validate());
  if (arguments.print_config) return print(to_toml(config));
  if (arguments.workers.value_or(1) > 1) return run_workers(*arguments.workers);
  PMTR_TRY(const GroupAddress address, group_from_environment());
  PMTR_TRY(const std::unique_ptr<WorkerGroup> group, join_workers(address));
  return run_one(arguments, config, *group);
}

}  // namespace

int run_train(const TrainArguments& arguments) {
  const Result<int> result = train_with(arguments);
  return result.ok() ? *result : report(result.error());
}

}  // namespace pmtr::command
