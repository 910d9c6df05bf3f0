// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/train/training_run.h"

#include <chrono>
#include <cmath>
#include <ctime>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <torch/types.h>

#include "pmtr/core/check.h"
#include "pmtr/core/file.h"
#include "pmtr/core/folder_lock.h"
#include "pmtr/train/adam.h"
#include "pmtr/train/checkpoint.h"
#include "pmtr/train/curves_page.h"
#include "pmtr/train/training_log.h"
#include "pmtr/weights/safetensors.h"

namespace pmtr {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Of the whole process.
double processor_seconds() { return static_cast<double>(std::clock()) / static_cast<double>(CLOCKS_PER_SEC); }

/// Tensors under their names.
struct NamedTensors {
  std::vector<std::string> names;
  std::vector<torch::Tensor> tensors;
};

NamedTensors tensors_of(const Parameters& parameters, bool learnt) {
  NamedTensors found;
  for (const auto& entry : parameters.entries()) {
    if (entry.learnt != learnt) continue;
    found.names.push_back(entry.name);
    found.tensors.push_back(entry.tensor);
  }
  return found;
}

WeightFile to_file(const std::vector<std::string>& names, const std::vector<torch::Tensor>& tensors) {
  WeightFile file;
  for (std::size_t i = 0; i < names.size(); ++i) {
    NamedArray array;
    array.name = names[i];
    array.shape = tensors[i].sizes().vec();
    const torch::Tensor values = tensors[i].detach().contiguous();
    const auto* bytes = reinterpret_cast<const std::byte*>(values.data_ptr<float>());
    array.data.assign(bytes, bytes + static_cast<std::size_t>(values.numel()) * sizeof(float));
    file.arrays.push_back(std::move(array));
  }
  return file;
}

Status copy_from(const WeightFile& file, const std::vector<std::string>& names,
                 std::vector<torch::Tensor>& tensors) {
  const torch::NoGradGuard no_grad;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const NamedArray* array = file.find(names[i]);
    if (array == nullptr || array->dtype != DType::f32 || array->shape != tensors[i].sizes().vec())
      return Error{Cause::mismatch, fmt::format("the checkpoint is of another network: '{}'", names[i]), {}};
    const std::vector<float> values = array->to_float();
    std::copy(values.begin(), values.end(), tensors[i].data_ptr<float>());
  }
  return {};
}

/// A run in progress: everything that changes.
class Run {
 public:
  Run(Learner& learner, const RunSettings& run, WorkerGroup& group, Threads& threads,
      const Listener& listener)
      : learner_(learner),
        run_(run),
        options_(run.options),
        group_(group),
        threads_(threads),
        listener_(listener),
        names_(tensors_of(learner.parameters(), true).names),
        parameters_(learner.parameters().learnt()),
        buffers_(tensors_of(learner.parameters(), false)),
        adam_(parameters_, run.options.adam),
        checkpoints_(run.folder / "checkpoints", run.options.checkpoints_kept) {
    if (options_.average > 0.0) {
      for (const auto& parameter : parameters_) average_.push_back(parameter.detach().clone());
    }
  }

  Result<RunSummary> to_the_end() {
    PMTR_TRY_STATUS(begin());
    PMTR_TRY(TrainingLog log, TrainingLog::open(run_.folder / log_name(), step_));
    learner_.begin(step_, group_.rank(), group_.size());
    RunSummary summary;
    summary.first_step = step_;
    double training_seconds = 0.0;
    double processor_began = processor_seconds();
    while (step_ < options_.steps && !summary.stopped) {
      const auto began = Clock::now();
      PMTR_TRY(const LogRecord record, update(summary.values));
      training_seconds += seconds_since(began);
      const std::int64_t done = step_ - summary.first_step;
      summary.seconds_per_step = training_seconds / static_cast<double>(done);
      summary.processor_per_step =
          (processor_seconds() - processor_began) / static_cast<double>(std::max<std::int64_t>(1, done - 1));
      if (done == 1) processor_began = processor_seconds();
      if (group_.rank() == 0) {
        if (step_ % options_.log_every == 0 || step_ == options_.steps)
          PMTR_TRY_STATUS(log.add(with_speed(record, summary.seconds_per_step)));
        listener_.advance(progress_stage(with_speed(record, summary.seconds_per_step)), step_,
                          options_.steps);
        if (validation_due()) PMTR_TRY_STATUS(validate(log));
      }
      summary.stopped = listener_.stop();
      if (group_.rank() == 0 &&
          (step_ % options_.checkpoint_every == 0 || step_ == options_.steps || summary.stopped))
        PMTR_TRY_STATUS(write_checkpoint());
    }
    summary.steps = step_;
    summary.best_score = best_score_;
    if (group_.rank() == 0) PMTR_TRY_STATUS(write_page(log));
    return summary;
  }

  /// Before an error ends the run: what was learnt so far stays.
  Status save() { return started_ && group_.rank() == 0 ? write_checkpoint() : Status{}; }

 private:
  std::string log_name() const {
    return group_.rank() == 0 ? "train.jsonl" : fmt::format("train.{}.jsonl", group_.rank());
  }

  bool validation_due() const {
    return learner_.validates() && options_.validate_every > 0 &&
           (step_ % options_.validate_every == 0 || step_ == options_.steps);
  }

  Status begin() {
    std::error_code error;
    std::filesystem::create_directories(run_.folder, error);
    if (error)
      return Error{
          Cause::unwritable, "cannot create the folder: " + error.message(), {run_.folder.string(), {}, {}}};
    if (group_.rank() == 0) {
      PMTR_TRY(lock_, FolderLock::take(run_.folder));
      PMTR_TRY(const std::optional<Checkpoint> checkpoint, checkpoints_.newest(listener_));
      if (!run_.resume && checkpoint)
        return Error{Cause::unwritable,
                     "a run is here already: go on with --resume, or choose another folder",
                     {run_.folder.string(), {}, {}}};
      if (checkpoint) PMTR_TRY_STATUS(restore(*checkpoint));
    }
    PMTR_TRY_STATUS(share_state());
    started_ = true;
    return {};
  }

  /// Only rank 0 needs to see the checkpoints.
  Status share_state() {
    if (group_.size() == 1) return {};
    PMTR_TRY_STATUS(group_.broadcast(parameters_));
    PMTR_TRY_STATUS(group_.broadcast(buffers_.tensors));
    Adam::State state = adam_.state();
    std::vector<torch::Tensor> where{torch::tensor({step_, state.steps}, torch::kLong)};
    PMTR_TRY_STATUS(group_.broadcast(where));
    PMTR_TRY_STATUS(group_.broadcast(state.mean));
    PMTR_TRY_STATUS(group_.broadcast(state.square));
    if (!average_.empty()) PMTR_TRY_STATUS(group_.broadcast(average_));
    step_ = where[0][0].item<std::int64_t>();
    state.steps = where[0][1].item<std::int64_t>();
    adam_.restore(std::move(state));
    return {};
  }

  Status restore(const Checkpoint& checkpoint) {
    if (checkpoint.options != run_.description)
      return Error{Cause::mismatch,
                   "the run was begun with other options; give the same, or begin anew in another folder",
                   {run_.folder.string(), {}, {}}};
    PMTR_TRY_STATUS(copy_from(checkpoint.weights, names_, parameters_));
    PMTR_TRY_STATUS(copy_from(checkpoint.weights, buffers_.names, buffers_.tensors));
    Adam::State state = adam_.state();
    state.steps = checkpoint.adam_steps;
    PMTR_TRY_STATUS(copy_from(checkpoint.adam_mean, names_, state.mean));
    PMTR_TRY_STATUS(copy_from(checkpoint.adam_square, names_, state.square));
    adam_.restore(std::move(state));
    if (!average_.empty()) PMTR_TRY_STATUS(copy_from(checkpoint.average, names_, average_));
    step_ = checkpoint.step;
    best_score_ = checkpoint.best_score;
    listener_.say(fmt::format("going on after {} updates", step_));
    return {};
  }

  /// A pair may leave parameters without a gradient, and other workers have other pairs: all must send the
  /// same tensors.
  Status average_over_workers(std::vector<torch::Tensor>& gradients) {
    if (group_.size() == 1) return {};
    std::vector<torch::Tensor> known{torch::zeros({static_cast<std::int64_t>(gradients.size())})};
    for (std::size_t i = 0; i < gradients.size(); ++i)
      known[0].data_ptr<float>()[i] = gradients[i].defined() ? 1.0F : 0.0F;
    PMTR_TRY_STATUS(group_.average(known));
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      if (known[0].data_ptr<float>()[i] > 0.0F && !gradients[i].defined())
        gradients[i] = torch::zeros_like(parameters_[i]);
    }
    return group_.average(gradients);
  }

  Status average_over_workers(std::map<std::string, double>& losses) {
    if (group_.size() == 1) return {};
    std::vector<torch::Tensor> values{
        torch::zeros({static_cast<std::int64_t>(losses.size())}, torch::kDouble)};
    double* value = values[0].data_ptr<double>();
    for (const auto& [name, loss] : losses) *value++ = loss;
    PMTR_TRY_STATUS(group_.average(values));
    value = values[0].data_ptr<double>();
    for (auto& [name, loss] : losses) loss = *value++;
    return {};
  }

  Result<LogRecord> update(std::map<std::string, double>& losses) {
    PMTR_TRY(LearningStep step, learner_.next(step_, threads_));
    PMTR_TRY_STATUS(average_over_workers(step.gradients));
    PMTR_TRY_STATUS(average_over_workers(step.losses));
    losses = step.losses;
    const double norm = gradient_norm(step.gradients);
    if (!std::isfinite(norm) || !std::isfinite(losses.at("loss"))) {
      // One bad pair must not end a run of days; a run that has gone wrong must not go on.
      ++bad_steps_;
      listener_.warn(fmt::format("update {}: the loss is not a number; left out", step_));
      if (bad_steps_ > 20)
        return Error{
            Cause::not_finite, "the loss is not a number, again and again: the run has diverged", {}};
    } else {
      bad_steps_ = 0;
      if (options_.clip > 0.0 && norm > options_.clip) {
        for (torch::Tensor& tensor : step.gradients) {
          if (tensor.defined()) tensor.mul_(options_.clip / norm);
        }
      }
      adam_.step(step.gradients, learning_rate_at(options_, step_), threads_);
      for (std::size_t i = 0; i < average_.size(); ++i) {
        const torch::NoGradGuard no_grad;
        average_[i].mul_(options_.average).add_(parameters_[i].detach(), 1.0 - options_.average);
      }
    }
    LogRecord record;
    record.kind = "train";
    record.values = losses;
    record.values["gradient_norm"] = norm;
    record.values["learning_rate"] = learning_rate_at(options_, step_);
    record.step = ++step_;
    return record;
  }

  std::string speed_name() const { return learner_.samples_word() + "_per_second"; }

  std::string progress_stage(const LogRecord& record) const {
    std::string parts;
    for (const std::string& name : learner_.shown_losses()) {
      if (const auto found = record.values.find(name); found != record.values.end())
        parts += fmt::format("{}{} {:.3f}", parts.empty() ? "" : ", ", name, found->second);
    }
    return fmt::format("train, loss {:.3f} ({}), rate {:.1e}, {:.2f} {}/s", record.values.at("loss"), parts,
                       record.values.at("learning_rate"), record.values.at(speed_name()),
                       learner_.samples_word());
  }

  LogRecord with_speed(LogRecord record, double seconds_per_step) const {
    record.values[speed_name()] = options_.batch * group_.size() / std::max(1e-9, seconds_per_step);
    return record;
  }

  /// With the weights that one would use: the average where there is one.
  template <class Use>
  Status with_best_weights(const Use& use) {
    if (average_.empty()) return use();
    const torch::NoGradGuard no_grad;
    std::vector<torch::Tensor> current;
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      current.push_back(parameters_[i].detach().clone());
      parameters_[i].detach().copy_(average_[i]);
    }
    const Status status = use();
    for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i].detach().copy_(current[i]);
    return status;
  }

  Status validate(TrainingLog& log) {
    return with_best_weights([&]() -> Status {
      const ValidationScores scores = learner_.validate();
      LogRecord record{"validation", step_, scores.values};
      std::string text = fmt::format("validation after {} updates:", step_);
      for (const auto& [name, value] : scores.values) text += fmt::format(" {} {:.4f}", name, value);
      listener_.say(text);
      PMTR_TRY_STATUS(log.add(std::move(record)));
      if (scores.score > best_score_) {
        best_score_ = scores.score;
        PMTR_TRY_STATUS(write_weights("best.safetensors"));
      }
      return write_page(log);
    });
  }

  Status write_page(const TrainingLog& log) const {
    return write_file(run_.folder / "training.html", curves_page(log.records(), run_.title));
  }

  Status write_weights(const std::string& name) const {
    return write_file(run_.folder / name, format_safetensors(learner_.save()));
  }

  Status write_checkpoint() {
    Checkpoint checkpoint;
    checkpoint.step = step_;
    checkpoint.best_score = best_score_;
    checkpoint.options = run_.description;
    checkpoint.weights = learner_.save();
    checkpoint.adam_steps = adam_.state().steps;
    checkpoint.adam_mean = to_file(names_, adam_.state().mean);
    checkpoint.adam_square = to_file(names_, adam_.state().square);
    if (!average_.empty()) checkpoint.average = to_file(names_, average_);
    // The weights first: a run that is killed in between does these updates again. The other way round a run
    // whose last checkpoint is there would be over, with weights of an earlier one or none.
    PMTR_TRY_STATUS(with_best_weights([&] { return write_weights("last.safetensors"); }));
    return checkpoints_.write(checkpoint);
  }

  FolderLock lock_;  ///< two runs in one folder would mix their logs
  Learner& learner_;
  const RunSettings& run_;
  const TrainOptions& options_;
  WorkerGroup& group_;
  Threads& threads_;
  const Listener& listener_;
  std::vector<std::string> names_;
  std::vector<torch::Tensor> parameters_;
  NamedTensors buffers_;  ///< what the learner keeps beside them, such as running means
  Adam adam_;
  std::vector<torch::Tensor> average_;
  CheckpointFolder checkpoints_;
  std::int64_t step_ = 0;
  double best_score_ = -1.0;
  int bad_steps_ = 0;
  bool started_ = false;  ///< there is something to save
};

}  // namespace

Result<RunSummary> run_learner(Learner& learner, const RunSettings& settings, WorkerGroup& group,
                               Threads& threads, const Listener& listener) {
  PMTR_TRY_STATUS(settings.options.validate());
  Run state(learner, settings, group, threads, listener);
  Result<RunSummary> summary = state.to_the_end();
  if (!summary.ok()) {
    // A lost worker or a full disk: keep what can be kept, and say both if that fails too.
    if (const Status saved = state.save(); !saved.ok()) listener.warn(saved.error().text());
  }
  return summary;
}

}  // namespace pmtr
