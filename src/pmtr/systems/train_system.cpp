// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/train_system.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <torch/autograd.h>
#include <torch/types.h>

#include "pmtr/dataset/recorded_source.h"
#include "pmtr/evaluate/metrics.h"
#include "pmtr/systems/geotransformer.h"
#include "pmtr/systems/jigsaw_learner.h"
#include "pmtr/systems/rotations.h"
#include "pmtr/train/repeated_samples.h"
#include "pmtr/train/training_speed.h"
#include "pmtr/train/warm_start.h"

namespace pmtr {
namespace {

/// Objects of every validation are the same in every run.
constexpr std::uint64_t held_out_seed = 0x76616cU;

ObjectSampleOptions sample_options(const SystemInfo& info, const DataOptions& data) {
  ObjectSampleOptions options;
  options.points = info.points;
  options.min_parts = data.min_parts;
  options.max_parts = data.max_parts;
  options.noise = data.pairs.noise;
  options.vary_noise = data.pairs.vary_noise;
  options.scale_jitter = data.pairs.scale_jitter;
  return options;
}

/// Of a kind that prepare(object, options, random) makes.
template <class Sample, class Prepare>
Result<std::vector<Sample>> held_out_objects(const DatasetIndex& index, const ObjectCache& cache,
                                             const SystemInfo& info, const TrainConfig& config,
                                             const Prepare& prepare, const Listener& listener) {
  std::vector<Sample> objects;
  if (index.objects.empty() || config.train.validate_every == 0) return objects;
  ObjectSampleOptions options = sample_options(info, config.data);
  options.noise = options.scale_jitter = 0.0;
  PMTR_TRY(
      const ObjectSampler sampler,
      ObjectSampler::create({{std::make_shared<RecordedSource>(index, cache), 1.0}}, options, held_out_seed));
  for (int i = 0; i < config.train.validation_pairs; ++i) {
    PMTR_TRY(Sample object, sampler.make_with(static_cast<std::uint64_t>(i), prepare));
    objects.push_back(std::move(object));
    listener.advance("validation objects", i + 1, config.train.validation_pairs);
  }
  return objects;
}

/// Where parts stand to the first one: what matters of poses in a frame that nobody can know.
struct RelativeErrors {
  double degrees = 0.0;
  double shift = 0.0;
  double right = 0.0;  ///< within 10 degrees and 0.05
  std::int64_t parts = 0;

  void add(std::span<const Rigid3> found, std::span<const Rigid3> truth) {
    for (std::size_t i = 1; i < found.size(); ++i) {
      const Rigid3 is = found[0].inverse() * found[i];
      const Rigid3 should = truth[0].inverse() * truth[i];
      const double angle = geodesic_degrees(is.rotation, should.rotation);
      const double off = (is.translation - should.translation).norm();
      degrees += angle;
      shift += off;
      right += angle < 10.0 && off < 0.05 ? 1.0 : 0.0;
      ++parts;
    }
  }
};

}  // namespace

TrainConfig system_config(const SystemInfo& info) {
  const std::string_view name = info.name;
  TrainConfig config;
  TrainOptions& train = config.train;
  train.learning_rate = 1e-3;
  train.warm_up = 0;
  train.clip = 0.0;
  train.average = 0.0;
  train.decay = Decay::cosine;
  train.final_rate = 0.01;
  train.batch = 32;
  DataOptions& data = config.data;
  data.pairs.noise = 0.0;
  data.pairs.vary_noise = false;
  data.pairs.scale_jitter = 0.0;
  data.max_parts = info.most_parts;
  if (name == "nsm") {
    train.decay = Decay::constant;
    train.adam.weight_decay = 1e-6;
  }
  if (info.kind == SystemKind::jigsaw) train.batch = 1;  // every point of an object looks at all others
  if (info.kind == SystemKind::network) config = geotransformer_config();
  // Edges of points take much memory: 300 to 400 MB for every part of a batch.
  if (name == "nsm" || name.starts_with("wu")) train.batch = 4;
  return config;
}

LearningStep learning_step(const SystemLoss& loss, const Parameters& parameters) {
  LearningStep step;
  step.losses = loss.terms;
  step.losses["loss"] = loss.total.item<double>();
  const std::vector<torch::Tensor> learnt = parameters.learnt();
  step.gradients.resize(learnt.size());
  if (loss.total.requires_grad())
    step.gradients = torch::autograd::grad({loss.total}, learnt, {}, /*retain_graph=*/false,
                                           /*create_graph=*/false, /*allow_unused=*/true);
  return step;
}

LearningStep system_gradient(const System& system, std::span<const ObjectSample> objects, Random random,
                             Threads& threads) {
  const PartBatch batch = stack_objects(objects);
  const PartPoses truth = stack_truth(objects);
  const SystemPass pass{Execution{&threads}, /*training=*/true, &random};
  const std::vector<PartPoses> found = system.model().forward(batch, pass);
  return learning_step(system.model().loss(found, truth, batch, threads), system.parameters());
}

SystemLearner::SystemLearner(const System& system, const TrainOptions& options, MakeSample<ObjectSample> make,
                             int loaders, std::span<const ObjectSample> held_out, Threads& threads)
    : system_(system),
      seed_(options.seed),
      samples_(std::move(make), options.batch, loaders),
      held_out_(held_out),
      threads_(threads) {}

void SystemLearner::begin(std::int64_t first_step, int rank, int size) {
  rank_ = rank;
  samples_.begin(first_step, rank, size);
}

Result<LearningStep> SystemLearner::next(std::int64_t step, Threads& threads) {
  PMTR_TRY(const std::vector<ObjectSample> batch, samples_.next());
  for (const ObjectSample& object : batch) {
    if (const Status fits = system_.accepts(static_cast<std::int64_t>(object.object_from_part.size()));
        !fits.ok())
      return error_at(object.object, fits.error().cause, fits.error().message);
  }
  const auto stream = static_cast<std::uint64_t>(step) * 4096 + static_cast<std::uint64_t>(rank_);
  return system_gradient(system_, batch, Random(seed_, stream), threads);
}

std::vector<std::string> SystemLearner::shown_losses() const {
  return {"points", "angle", "quaternion", "translation", "shape_chamfer"};
}

ValidationScores SystemLearner::validate() {
  const torch::NoGradGuard no_grad;
  const SystemPass pass{Execution{&threads_}, /*training=*/false, nullptr};
  double loss = 0.0;
  RelativeErrors errors;
  for (const ObjectSample& object : held_out_) {
    const PartBatch batch = stack_objects({&object, 1});
    const std::vector<PartPoses> found = system_.model().forward(batch, pass);
    loss += system_.model().loss(found, stack_truth({&object, 1}), batch, threads_).total.item<double>();
    errors.add(motions_of(found.back()), object.object_from_part);
  }
  loss /= static_cast<double>(held_out_.size());
  const auto parts = static_cast<double>(errors.parts);
  ValidationScores scores;
  scores.values = {{"loss", loss},
                   {"rot_deg", errors.degrees / parts},
                   {"trans", errors.shift / parts},
                   {"recall_10_005", errors.right / parts}};
  // A loss that is not a number is never the best.
  scores.score = std::isfinite(loss) ? 1.0 / (1.0 + loss) : 0.0;
  return scores;
}

namespace {

/// The part of a run that differs by the kind of samples: Sample and the learner that takes them.
template <class Sample, class LearnerOf, class Prepare>
Result<TrainJobResult> train_on(const SystemInfo& info, const System& system, const TrainJob& job,
                                const PreparedObjects& objects, const Prepare& prepare, WorkerGroup& group,
                                Threads& threads, const Listener& listener) {
  const TrainConfig& config = job.config;
  PMTR_TRY(std::vector<WeightedSource> sources,
           training_sources(job.folders, config.data, objects.objects.learnt, objects.cache, listener));
  PMTR_TRY(const ObjectSampler sampler,
           ObjectSampler::create(std::move(sources), sample_options(info, config.data), config.train.seed));
  PMTR_TRY(
      const std::vector<Sample> held_out,
      held_out_objects<Sample>(objects.objects.validation, objects.cache, info, config, prepare, listener));
  RepeatedList<Sample> samples([&](std::uint64_t index) { return sampler.make_with(index, prepare); },
                               config.data.rounds, config.train.seed);
  const MakeSample<Sample> make = [&](std::uint64_t index) { return samples(index); };
  const int loaders = job.loaders.value_or(TrainOptions::usual_loaders);

  RunSettings settings;
  settings.options = config.train;
  settings.folder = job.out;
  settings.resume = job.resume;
  settings.description = fmt::format("system = {}\n", info.name) + resume_description(config);
  settings.title = fmt::format("Training of {}", info.title);
  if (job.measure) {
    settings.options.steps = *job.measure;
    settings.folder /= "measure";
    const auto count =
        static_cast<std::uint64_t>(*job.measure) * static_cast<std::uint64_t>(config.train.batch);
    const auto train_with = [&](const MakeSample<Sample>& next) {
      LearnerOf learner(system, settings.options, next, loaders, {}, threads);
      return run_learner(learner, settings, group, threads, listener);
    };
    PMTR_TRY(const TrainingSpeed speed,
             measure_speed<Sample>(make, count, settings.folder, train_with, listener));
    return TrainJobResult{{}, speed};
  }
  if (group.rank() == 0) {
    listener.say(fmt::format("{}: {} objects to learn from, {} to validate on ({} fractures), {} parameters",
                             info.title, objects.objects.learnt.objects.size(),
                             objects.objects.validation.objects.size(), held_out.size(),
                             system.parameters().learnt_count()));
  }
  LearnerOf learner(system, config.train, make, loaders, held_out, threads);
  PMTR_TRY(RunSummary summary, run_learner(learner, settings, group, threads, listener));
  TrainJobResult result;
  static_cast<RunSummary&>(result.summary) = std::move(summary);
  return result;
}

}  // namespace

Result<TrainJobResult> run_system_training(const SystemInfo& info, const TrainJob& job, WorkerGroup& group,
                                           Threads& threads, const Listener& listener) {
  const TrainConfig& config = job.config;
  PMTR_TRY_STATUS(config.validate());
  if (config.data.max_parts > info.most_parts)
    return invalid_option(fmt::format("{} takes at most {} parts: set max_parts in [data], which is {}",
                                      info.title, info.most_parts, config.data.max_parts));
  if (info.kind == SystemKind::network) {
    PMTR_TRY_STATUS(check_geotransformer(config.network, "[network]"));
    return run_training(job, group, threads, listener);
  }
  PMTR_TRY(const PreparedObjects objects, prepare_training_objects(job, group, threads, listener));
  PMTR_TRY(const System system, System::create(info.name, config.train.seed));
  if (job.warm_start) {
    PMTR_TRY(const WeightFile weights, read_weights(*job.warm_start));
    PMTR_TRY_STATUS(check_system(info.name, weights, job.warm_start->string()));
    PMTR_TRY(const WarmStart start,
             warm_start(system.parameters(), weights, job.warm_start->string(), job.fresh));
    listener.say(start.text());
  }
  if (info.kind == SystemKind::jigsaw)
    return train_on<JigsawSample, JigsawLearner>(info, system, job, objects, prepare_jigsaw, group, threads,
                                                 listener);
  return train_on<ObjectSample, SystemLearner>(info, system, job, objects, prepare_object, group, threads,
                                               listener);
}

}  // namespace pmtr
