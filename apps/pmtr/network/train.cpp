// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "train.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "console.h"
#include "pmtr/core/file.h"
#include "pmtr/network/network_threads.h"
#include "pmtr/systems/train_system.h"
#include "pmtr/train/train_job.h"
#include "progress_bar.h"
#include "thread_count.h"
#include "train_slurm.h"
#include "train_workers.h"

namespace pmtr::command {
namespace {

/// Processes of the run on this machine, as torchrun and --workers tell it: they share the cores.
int workers_here() {
  const char* text = std::getenv("LOCAL_WORLD_SIZE");
  const int count = text == nullptr ? 1 : std::atoi(text);
  return std::clamp(count, 1, 4096);
}

/// And speed.json in the run's folder, for whoever plans by it.
Result<int> print_speed(const TrainingSpeed& speed, const TrainJob& job, const char* samples) {
  if (speed.stopped) return exit_code::failed;
  PMTR_TRY_STATUS(write_file(
      job.out / "speed.json",
      fmt::format("{{\"update_seconds\": {}, \"with_data_seconds\": {}, \"processor_seconds\": {}}}\n",
                  speed.prepared, speed.made, speed.processor)));
  return print(
      fmt::format("update alone {:.1f} ms, with its data {:.1f} ms: {:.1f} % of the speed, {:.2f} {} per "
                  "second, {:.2f} s "
                  "of processor time per update\n",
                  1e3 * speed.prepared, 1e3 * speed.made, 100.0 * speed.prepared / speed.made,
                  job.config.train.batch / speed.made, samples, speed.processor));
}

Result<int> run_one(const TrainArguments& arguments, TrainConfig config, WorkerGroup& group) {
  ProgressBar bar;
  Threads threads(arguments.threads.value_or(std::max(1, all_cores() / workers_here())));
  TrainJob job;
  job.config = config;
  job.folders = arguments.folders;
  job.out = arguments.out;
  job.warm_start = arguments.warm_start;
  job.fresh = arguments.fresh;
  job.memory = arguments.memory;
  job.cache = arguments.cache;
  job.loaders = arguments.loaders;
  job.resume = arguments.resume;
  job.measure = arguments.measure;
  const auto run = [&]() -> Result<TrainJobResult> {
    if (arguments.system.empty()) return run_training(job, group, threads, bar.listener());
    PMTR_TRY(const SystemInfo* info, find_system(arguments.system));
    // A good part of what systems do is torch's own, one batch at a time; main gives torch one thread because
    // the network's batches are learnt side by side.
    set_network_threads(threads.count());
    return run_system_training(*info, job, group, threads, bar.listener());
  };
  PMTR_TRY(const TrainJobResult result, run());
  if (result.speed) return print_speed(*result.speed, job, arguments.system.empty() ? "pairs" : "objects");
  const TrainingSummary& summary = result.summary;
  if (group.rank() == 0)
    say(fmt::format("{} after {} updates, {:.3f} s per update; {}", summary.stopped ? "stopped" : "done",
                    summary.steps, summary.seconds_per_step, arguments.out.string()));
  return summary.stopped ? exit_code::failed : exit_code::done;
}

Result<int> train_with(const TrainArguments& arguments) {
  TrainConfig config;
  if (!arguments.system.empty()) {
    PMTR_TRY(const SystemInfo* info, find_system(arguments.system));
    config = system_config(*info);
  }
  if (arguments.config) {
    PMTR_TRY(config, read_config(*arguments.config, config));
  }
  if (arguments.steps) config.train.steps = *arguments.steps;
  PMTR_TRY_STATUS(config.validate());
  if (arguments.print_config) return print(to_toml(config));
  if (arguments.slurm) return print(slurm_script(*arguments.slurm, arguments.out, arguments.threads));
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
