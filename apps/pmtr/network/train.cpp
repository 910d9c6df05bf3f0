// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "train.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include <fmt/format.h>

#include "console.h"
#include "pmtr/core/file.h"
#include "pmtr/core/stable_hash.h"
#include "pmtr/dataset/pair_sampler.h"
#include "pmtr/dataset/recorded_source.h"
#include "pmtr/dataset/refractured_source.h"
#include "pmtr/train/config.h"
#include "pmtr/train/prepare_sample.h"
#include "pmtr/train/trainer.h"
#include "pmtr/train/warm_start.h"
#include "progress_bar.h"
#include "thread_count.h"
#include "train_workers.h"

namespace pmtr::command {
namespace {

struct Objects {
  DatasetIndex learnt;
  DatasetIndex validation;
};

/// Of the shape's own name: the same shape under two categories stays on one side.
std::uint64_t shape_hash(const std::string& object) {
  return stable_hash(std::string_view(object).substr(object.find_last_of('/') + 1));
}

Result<Objects> list_objects(const TrainArguments& arguments, const DataOptions& data,
                             const Listener& listener) {
  LayoutOptions layout;
  layout.min_parts = data.min_parts;
  layout.max_parts = data.max_parts;
  layout.skip_missing = arguments.skip_missing;
  layout.split = arguments.split;
  Objects objects;
  PMTR_TRY(objects.learnt, list_dataset(arguments.data, layout, listener));
  if (arguments.validation) {
    layout.split = arguments.validation;
    PMTR_TRY(objects.validation, list_dataset(arguments.data, layout, listener));
    std::set<std::string> held_out;
    for (const ObjectFiles& object : objects.validation.objects) held_out.insert(object.name);
    std::erase_if(objects.learnt.objects,
                  [&](const ObjectFiles& object) { return held_out.contains(object.name); });
  } else if (data.validation_one_in > 0) {
    objects.validation = objects.learnt;
    const auto held_out = [&](const ObjectFiles& object) {
      return shape_hash(object.name) % static_cast<std::uint64_t>(data.validation_one_in) == 0;
    };
    std::erase_if(objects.learnt.objects, held_out);
    std::erase_if(objects.validation.objects, [&](const ObjectFiles& object) { return !held_out(object); });
  }
  if (objects.learnt.objects.empty())
    return Error{Cause::empty, "no objects to learn from", {arguments.data.string(), {}, {}}};
  return objects;
}

Result<std::vector<TrainingPair>> validation_pairs(const Objects& objects, const ObjectCache& cache,
                                                   const TrainConfig& config, const Listener& listener) {
  std::vector<TrainingPair> pairs;
  if (objects.validation.objects.empty() || config.train.validate_every == 0) return pairs;
  PairOptions options = config.data.pairs;
  options.noise = options.scale_jitter = 0.0;
  // Pairs that a person would expect to be found: overlaps below a few percent say little about a network.
  options.least_overlap = std::max(options.least_overlap, 0.03);
  PMTR_TRY(const PairSampler sampler,
           PairSampler::create({{std::make_shared<RecordedSource>(objects.validation, cache), 1.0}}, options,
                               /*seed=*/0x76616cU));
  for (int i = 0; i < config.train.validation_pairs; ++i) {
    PMTR_TRY(TrainingPair pair, sampler.make_pair(static_cast<std::uint64_t>(i)));
    pairs.push_back(std::move(pair));
    listener.advance("validation pairs", i + 1, config.train.validation_pairs);
  }
  return pairs;
}

/// Recorded fractures, refractured cells and generated objects, each with its weight where it was given.
Result<std::vector<WeightedSource>> sources_of(const TrainArguments& arguments, const DataOptions& data,
                                               const DatasetIndex& learnt, const ObjectCache& cache,
                                               const Listener& listener) {
  std::vector<WeightedSource> sources;
  sources.push_back(
      {std::make_shared<RecordedSource>(learnt, cache, data.least_volume_share), data.recorded});
  if (data.refractured > 0.0) {
    if (!arguments.cells)
      return Error{Cause::invalid_option, "data.refractured is above 0: give the folder of --cells", {}};
    std::vector<std::string> names;
    for (const ObjectFiles& object : learnt.objects) names.push_back(object.name);
    RefractureSourceOptions options;
    options.min_pieces = data.min_parts;
    options.max_pieces = std::min(data.max_parts, 8);
    PMTR_TRY(auto source, RefracturedSource::open(*arguments.cells, names, options));
    sources.push_back({std::move(source), data.refractured});
  }
  if (data.generated > 0.0) {
    if (!arguments.generated)
      return Error{Cause::invalid_option, "data.generated is above 0: give the folder of --generated", {}};
    LayoutOptions layout;
    layout.min_parts = data.min_parts;
    layout.max_parts = data.max_parts;
    PMTR_TRY(DatasetIndex index, list_dataset(*arguments.generated, layout, listener));
    sources.push_back({std::make_shared<RecordedSource>(std::move(index), ObjectCache({})), data.generated});
  }
  return sources;
}

/// Processes of the run on this machine, as torchrun and --workers tell it: they share the cores.
int workers_here() {
  const char* text = std::getenv("LOCAL_WORLD_SIZE");
  const int count = text == nullptr ? 1 : std::atoi(text);
  return std::clamp(count, 1, 4096);
}

/// Which objects the run did not learn from, for an evaluation to come.
Status write_held_out(const DatasetIndex& validation, const std::filesystem::path& folder) {
  if (validation.objects.empty()) return {};
  std::error_code ignored;  // the run itself complains about a folder that cannot be made
  std::filesystem::create_directories(folder, ignored);
  std::string text;
  for (const ObjectFiles& object : validation.objects) text += object.name + "\n";
  return write_file(folder / "validation.txt", text);
}

/// How fast updates are when the pairs are ready, and when they have to be made: the same updates twice.
Result<int> measure_speed(PmtrNetwork& network, TrainingRun run, int steps, WorkerGroup& group,
                          Threads& threads, const Listener& listener) {
  run.options.steps = steps;
  run.validate = nullptr;
  run.folder /= "measure";
  const auto make = run.sample;
  const auto count = static_cast<std::uint64_t>(steps) * static_cast<std::uint64_t>(run.options.batch);
  std::vector<PairSample> ready;
  for (std::uint64_t i = 0; i < count; ++i) {
    PMTR_TRY(PairSample sample, make(i));
    ready.push_back(std::move(sample));
    listener.advance("prepare", static_cast<std::int64_t>(i + 1), static_cast<std::int64_t>(count));
  }
  double seconds[2] = {0.0, 0.0};
  for (const bool prepared : {true, false}) {
    std::error_code ignored;
    std::filesystem::remove_all(run.folder, ignored);
    if (prepared) run.sample = [&](std::uint64_t i) -> Result<PairSample> { return ready[i % count]; };
    if (!prepared) run.sample = make;
    PMTR_TRY(const TrainingSummary summary, train(network, run, group, threads, listener));
    seconds[prepared ? 0 : 1] = summary.seconds_per_step;
    std::filesystem::remove_all(run.folder, ignored);
    if (summary.stopped) return exit_code::failed;
  }
  return print(fmt::format(
      "update alone {:.1f} ms, with its data {:.1f} ms: {:.1f} % of the speed, {:.2f} pairs per second\n",
      1e3 * seconds[0], 1e3 * seconds[1], 100.0 * seconds[0] / seconds[1], run.options.batch / seconds[1]));
}

Result<int> run_one(const TrainArguments& arguments, TrainConfig config, WorkerGroup& group) {
  ProgressBar bar;
  const Listener listener = bar.listener();
  Threads threads(arguments.threads.value_or(std::max(1, all_cores() / workers_here())));
  PMTR_TRY(const Objects objects, list_objects(arguments, config.data, listener));
  const ObjectCache cache(arguments.cache.value_or(arguments.out / "cache"));
  if (group.rank() == 0) {
    for (const DatasetIndex* index : {&objects.learnt, &objects.validation}) {
      PMTR_TRY(const std::int64_t made, cache.build(*index, threads, listener));
      if (made > 0) listener.say(fmt::format("prepared {} broken objects", made));
    }
  }

  if (group.rank() == 0) PMTR_TRY_STATUS(write_held_out(objects.validation, arguments.out));
  PMTR_TRY(PmtrNetwork network, PmtrNetwork::create(config.network, config.train.seed));
  if (arguments.warm_start) {
    PMTR_TRY(const WarmStart start, warm_start(network, *arguments.warm_start));
    listener.say(start.text());
  }
  PMTR_TRY(std::vector<WeightedSource> sources,
           sources_of(arguments, config.data, objects.learnt, cache, listener));
  PMTR_TRY(const PairSampler sampler,
           PairSampler::create(std::move(sources), config.data.pairs, config.train.seed));
  PMTR_TRY(const std::vector<TrainingPair> held_out, validation_pairs(objects, cache, config, listener));

  TrainingRun run;
  run.options = config.train;
  run.folder = arguments.out;
  run.resume = arguments.resume;
  run.loaders = arguments.loaders.value_or(1);
  // What may change when a run goes on is left out.
  TrainConfig fixed = config;
  fixed.train.log_every = fixed.train.checkpoint_every = 1;
  fixed.train.validate_every = 0;
  fixed.train.checkpoints_kept = fixed.train.validation_pairs = 1;
  run.description = to_toml(fixed);
  run.sample = [&](std::uint64_t index) -> Result<PairSample> {
    PMTR_TRY(const TrainingPair pair, sampler.make_pair(index));
    return prepare_sample(pair, config.network, config.train.truth, /*all_dense_points=*/false);
  };
  ValidationOptions validation;
  validation.truth = config.train.truth;
  if (!held_out.empty()) {
    run.validate = [&](const PmtrNetwork& current) {
      return validate_network(current, held_out, validation, threads, listener);
    };
  }
  if (arguments.measure) return measure_speed(network, run, *arguments.measure, group, threads, listener);
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
