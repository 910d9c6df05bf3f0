// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/train_job.h"

#include <algorithm>

#include <fmt/format.h>

#include "pmtr/dataset/pair_sampler.h"
#include "pmtr/network/network_memory.h"
#include "pmtr/train/break_validation.h"
#include "pmtr/train/match_validation.h"
#include "pmtr/train/prepare_sample.h"
#include "pmtr/train/repeated_samples.h"
#include "pmtr/train/warm_start.h"

namespace pmtr {
namespace {

/// Matchers that look at all pairs of points can need more memory than there is: better said before a run
/// than found out in its first night. The first pairs tell how large pairs are; larger ones will come.
Status check_memory(const PmtrNetwork& network, const TrainingRun& run, const TrainJob& job,
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
  const double free = job.memory ? 1e9 * *job.memory : free_memory();
  return fits_in_memory(most * at_once, free, "training these matchers");
}

}  // namespace

Result<PreparedObjects> prepare_training_objects(const TrainJob& job, const WorkerGroup& group,
                                                 Threads& threads, const Listener& listener) {
  PMTR_TRY(TrainingObjects objects, list_training_objects(job.folders, job.config.data, listener));
  const ObjectCache cache(job.cache.value_or(job.out / "cache"));
  if (group.rank() == 0) {
    for (const DatasetIndex* index : {&objects.learnt, &objects.validation}) {
      PMTR_TRY(const std::int64_t made, cache.build(*index, threads, listener));
      if (made > 0) listener.say(fmt::format("prepared {} broken objects", made));
    }
    PMTR_TRY_STATUS(write_held_out(objects.validation, job.out / "validation.txt"));
  }
  return PreparedObjects{std::move(objects), cache};
}

Result<TrainJobResult> run_training(const TrainJob& job, WorkerGroup& group, Threads& threads,
                                    const Listener& listener) {
  const TrainConfig& config = job.config;
  PMTR_TRY(const PreparedObjects prepared, prepare_training_objects(job, group, threads, listener));
  const TrainingObjects& objects = prepared.objects;
  const ObjectCache& cache = prepared.cache;
  PMTR_TRY(PmtrNetwork network, PmtrNetwork::create(config.network, config.train.seed));
  if (job.warm_start) {
    PMTR_TRY(const WarmStart start, warm_start(network.parameters(), *job.warm_start, job.fresh));
    listener.say(start.text());
  }
  PMTR_TRY(std::vector<WeightedSource> sources,
           training_sources(job.folders, config.data, objects.learnt, cache, listener));
  PMTR_TRY(const PairSampler sampler,
           PairSampler::create(std::move(sources), config.data.pairs, config.train.seed));
  PMTR_TRY(const std::vector<TrainingPair> held_out,
           validation_pairs(objects.validation, cache, config, listener));

  TrainingRun run;
  run.options = config.train;
  run.folder = job.out;
  run.resume = job.resume;
  run.loaders = job.loaders.value_or(run.loaders);
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
  PMTR_TRY_STATUS(check_memory(network, run, job, threads));
  if (job.measure) {
    PMTR_TRY(const TrainingSpeed speed,
             measure_training(network, run, *job.measure, group, threads, listener));
    return TrainJobResult{{}, speed};
  }
  if (group.rank() == 0) {
    listener.say(fmt::format("{} objects to learn from, {} to validate on ({} pairs), {} parameters",
                             objects.learnt.objects.size(), objects.validation.objects.size(),
                             held_out.size(), network.parameters().learnt_count()));
  }
  PMTR_TRY(const TrainingSummary summary, train(network, run, group, threads, listener));
  return TrainJobResult{summary, std::nullopt};
}

}  // namespace pmtr
