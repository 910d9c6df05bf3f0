// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "study.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "child_process.h"
#include "console.h"
#include "pmtr/core/file.h"
#include "pmtr/core/folder_lock.h"
#include "pmtr/core/shard.h"
#include "pmtr/evaluate/evaluation_file.h"
#include "pmtr/evaluate/summary.h"
#include "pmtr/network/network_options_values.h"
#include "pmtr/systems/train_system.h"
#include "pmtr/train/study.h"
#include "pmtr/train/study_tables.h"
#include "pmtr/train/training_data.h"
#include "weights_choice.h"

namespace pmtr::command {
namespace {

namespace fs = std::filesystem;

/// One seed of one variant, and where it is done.
struct StudyTask {
  const StudyVariant& variant;
  TrainConfig config;  ///< with the seed
  fs::path folder;
  std::optional<fs::path> start;  ///< weights to begin with
};

/// Holds the updates of a variant that is trained by time: measured once, then kept, so that a study that
/// goes on goes on with the same.
fs::path budget_file(const fs::path& folder) { return folder / "budget.json"; }

nlohmann::json read_json(const fs::path& path) {
  const auto bytes = read_file(path);
  if (!bytes.ok()) return nullptr;
  return nlohmann::json::parse(as_text(*bytes), nullptr, /*allow_exceptions=*/false);
}

std::optional<std::int64_t> kept_updates(const fs::path& folder, double minutes) {
  const nlohmann::json kept = read_json(budget_file(folder));
  if (!kept.is_object() || !kept.contains("minutes") || !kept["minutes"].is_number() ||
      kept["minutes"].get<double>() != minutes || !kept.contains("updates") ||
      !kept["updates"].is_number_integer())
    return std::nullopt;
  return kept["updates"].get<std::int64_t>();
}

/// A system has defaults of its own; what the study says of it is laid over these.
Result<TrainConfig> config_of(const Study& study, const StudyVariant& variant) {
  if (variant.system.empty()) return variant.config;
  PMTR_TRY(const SystemInfo* info, find_system(variant.system));
  PMTR_TRY(TrainConfig config, parse_config(variant.changes, study.title, system_config(*info)));
  config.train.steps = variant.config.train.steps;
  return config;
}

/// What all variants begin with; nothing if they begin anew.
Result<std::optional<fs::path>> start_of(const Study& study, const StudyArguments& arguments) {
  if (study.kind != StudyKind::training || arguments.warm_start == fs::path("none"))
    return std::optional<fs::path>();
  if (arguments.warm_start) return arguments.warm_start;
  if (auto bundled = bundled_weights()) return bundled;
  return Error{Cause::unreadable,
               "the bundled weights are missing: name some with --warm-start, or 'none' to begin anew",
               {}};
}

Result<std::vector<std::vector<StudyTask>>> tasks_of(const Study& study, const StudyArguments& arguments) {
  PMTR_TRY(const std::optional<fs::path> start, start_of(study, arguments));
  std::vector<std::vector<StudyTask>> rows;
  for (const StudyVariant& variant : study.variants) {
    std::vector<StudyTask>& row = rows.emplace_back();
    for (const std::uint64_t seed : study.seeds) {
      PMTR_TRY(TrainConfig config, config_of(study, variant));
      config.train.seed = seed;
      const fs::path folder = arguments.out / variant.folder / fmt::format("seed_{}", seed);
      if (variant.minutes > 0.0) config.train.steps = kept_updates(folder, variant.minutes).value_or(1);
      row.push_back({variant, config, folder, start});
    }
  }
  return rows;
}

/// What a task is, so that a result of something else is not taken for its.
std::string description_of(const Study& study, const StudyTask& task) {
  std::string text = resume_description(task.config) +
                     fmt::format("validation_pairs = {}\n", task.config.train.validation_pairs);
  if (study.kind == StudyKind::assembly) {
    text += fmt::format("system = {}\nupdates = {}\n", task.variant.system, task.variant.updates);
    if (task.variant.minutes > 0.0) text += fmt::format("minutes = {}\n", task.variant.minutes);
    for (const auto* list : {&study.evaluate, &task.variant.evaluate})
      for (const std::string& word : *list) text += "evaluate = " + word + "\n";
  }
  if (study.kind == StudyKind::cost) text += fmt::format("points = {}\n", study.points);
  if (task.start) text += "warm_start = " + task.start->filename().string() + "\n";
  for (const std::string& name : study.fresh) text += "fresh = " + name + "\n";
  return text;
}

std::vector<LogRecord> validations_of(const fs::path& folder) {
  std::error_code error;
  std::vector<LogRecord> records;
  if (!fs::exists(folder / "run" / "train.jsonl", error)) return records;
  const auto bytes = read_file(folder / "run" / "train.jsonl");
  if (!bytes.ok()) return records;
  for (LogRecord& record : parse_log(as_text(*bytes))) {
    if (record.kind == "validation") records.push_back(std::move(record));
  }
  return records;
}

StudyOutcome outcome_of(const Study& study, const StudyTask& task) {
  StudyOutcome outcome;
  outcome.validations = validations_of(task.folder);
  const nlohmann::json result = read_json(task.folder / "result.json");
  if (!result.is_object() || result.value("task", "") != description_of(study, task)) return outcome;
  if (result.contains("values")) outcome.values = result["values"].get<std::map<std::string, double>>();
  outcome.failure = result.value("failure", "");
  return outcome;
}

Status write_outcome(const Study& study, const StudyTask& task, const StudyOutcome& outcome) {
  nlohmann::ordered_json json = {{"task", description_of(study, task)}};
  if (outcome.values) json["values"] = *outcome.values;
  if (!outcome.failure.empty()) json["failure"] = outcome.failure;
  return write_file(task.folder / "result.json", json.dump(1) + "\n");
}

/// Tables share variants. What another study did in the same way counts here as well: its result and its
/// log are copied.
Result<std::optional<fs::path>> take_known(const std::vector<fs::path>& studies, const Study& study,
                                           const StudyTask& task) {
  const fs::path seed = task.folder.filename();
  for (const fs::path& other : studies) {
    std::error_code error;
    for (fs::directory_iterator variant(other, error), end; !error && variant != end;
         variant.increment(error)) {
      StudyTask there = task;
      there.folder = variant->path() / seed;
      if (!outcome_of(study, there).values) continue;
      PMTR_TRY(const std::vector<std::byte> result, read_file(there.folder / "result.json"));
      if (const fs::path log = fs::path("run") / "train.jsonl"; fs::exists(there.folder / log)) {
        PMTR_TRY(const std::vector<std::byte> lines, read_file(there.folder / log));
        fs::create_directories((task.folder / log).parent_path(), error);
        if (error) return error_at(task.folder, Cause::unwritable, error.message());
        PMTR_TRY_STATUS(write_file(task.folder / log, lines));
      }
      PMTR_TRY_STATUS(write_file(task.folder / "result.json", result));
      return std::optional(there.folder);
    }
    if (error) return error_at(other, Cause::unreadable, error.message());
  }
  return std::optional<fs::path>();
}

/// What a program that failed said last.
std::string last_complaint(const fs::path& log, int code) {
  const auto bytes = read_file(log);
  std::string found = fmt::format("it returned {}", code);
  if (!bytes.ok()) return found;
  constexpr std::string_view mark = "error: ";
  const std::string_view text = as_text(*bytes);
  if (const std::size_t at = text.rfind(mark); at != std::string_view::npos) {
    const std::string_view rest = text.substr(at + mark.size());
    found = std::string(rest.substr(0, rest.find('\n')));
  }
  return found;
}

Result<std::vector<std::string>> training_words(const StudyArguments& arguments, const Study& study,
                                                const StudyTask& task, const char* config, const char* run) {
  if (!arguments.data)
    return Error{Cause::invalid_option, "--data: variants are trained, so a dataset is needed", {}};
  std::vector<std::string> words{"train",
                                 "--data",
                                 arguments.data->string(),
                                 "--config",
                                 (task.folder / config).string(),
                                 "-o",
                                 (task.folder / run).string(),
                                 "--cache",
                                 (arguments.out / "cache").string()};
  const auto add = [&](const char* name, const auto& value) {
    if (!value) return;
    words.push_back(name);
    if constexpr (std::is_same_v<std::decay_t<decltype(*value)>, fs::path>) {
      words.push_back(value->string());
    } else {
      words.push_back(fmt::format("{}", *value));
    }
  };
  add("--cells", arguments.cells);
  add("--validation", arguments.validation);
  add("--threads", arguments.threads);
  add("--loaders", arguments.loaders);
  add("--memory", arguments.memory);
  if (arguments.skip_missing) words.emplace_back("--skip-missing");
  if (!task.variant.system.empty()) words.insert(words.end(), {"--system", task.variant.system});
  if (task.start) {
    words.insert(words.end(), {"--warm-start", task.start->string()});
    for (const std::string& name : study.fresh) words.insert(words.end(), {"--fresh", name});
  }
  return words;
}

/// The means of all samples, and of those of each folder that the dataset has at the top.
std::map<std::string, double> means_of(const Evaluation& evaluation) {
  std::map<std::string, std::vector<SampleRecord>> groups;
  for (const SampleRecord& sample : evaluation.samples) {
    groups[""].push_back(sample);
    if (const std::size_t end = sample.path.find('/'); end != std::string::npos)
      groups[sample.path.substr(0, end) + "."].push_back(sample);
  }
  std::map<std::string, double> means;
  for (const auto& [prefix, samples] : groups) {
    const EvaluationSummary summary = summarise_samples(samples);
    for (const auto& [name, value] : summary.all.values) means[prefix + name] = value.mean;
  }
  return means;
}

/// Trains, or goes on training, in a process of its own: what goes wrong there ends nothing here.
Result<int> run_training_of(const StudyArguments& arguments, const Study& study, const StudyTask& task) {
  PMTR_TRY_STATUS(write_file(task.folder / "config.toml", to_toml(task.config)));
  PMTR_TRY(std::vector<std::string> words, training_words(arguments, study, task, "config.toml", "run"));
  words.emplace_back("--resume");
  return run_self(words, task.folder / "log.txt");
}

/// How many updates the variant's minutes are. Every sample is made anew while this is measured, so it says
/// rather too few where samples are used several times.
Result<int> measure_budget(const StudyArguments& arguments, const Study& study, StudyTask& task) {
  TrainConfig config = task.config;
  config.data.rounds.times = 1;
  PMTR_TRY_STATUS(write_file(task.folder / "speed.toml", to_toml(config)));
  PMTR_TRY(std::vector<std::string> words, training_words(arguments, study, task, "speed.toml", "speed"));
  words.insert(words.end(), {"--measure", "3"});
  PMTR_TRY(const int code, run_self(words, task.folder / "log.txt"));
  if (code != 0) return code;
  const fs::path file = task.folder / "speed" / "speed.json";
  const nlohmann::json speed = read_json(file);
  const double seconds = speed.is_object() ? speed.value("processor_seconds", 0.0) : 0.0;
  if (!(seconds > 0.0)) return error_at(file, Cause::malformed, "no processor_seconds");
  const double updates = std::clamp(60.0 * task.variant.minutes / seconds, 1.0, 1e9);
  task.config.train.steps = static_cast<std::int64_t>(updates);
  const nlohmann::ordered_json kept = {{"minutes", task.variant.minutes},
                                       {"processor_seconds_per_update", seconds},
                                       {"updates", task.config.train.steps}};
  PMTR_TRY_STATUS(write_file(budget_file(task.folder), kept.dump(1) + "\n"));
  return code;
}

/// Trains what has to be trained, then puts objects together with it.
Result<StudyOutcome> assemble_variant(const StudyArguments& arguments, const Study& study, StudyTask& task) {
  StudyOutcome outcome;
  if (!arguments.data) return Error{Cause::invalid_option, "--data: objects are put together", {}};
  const bool trained = task.variant.trained();
  const fs::path log = task.folder / (trained ? "eval.txt" : "log.txt");
  if (task.variant.minutes > 0.0 && !kept_updates(task.folder, task.variant.minutes)) {
    if (std::error_code ignored; fs::exists(budget_file(task.folder), ignored))
      return error_at(
          budget_file(task.folder), Cause::mismatch,
          fmt::format("not the updates of {:g} minutes: give the minutes that the study was begun "
                      "with, or another folder",
                      task.variant.minutes));
    PMTR_TRY(const int code, measure_budget(arguments, study, task));
    if (code != 0) {
      outcome.failure = last_complaint(task.folder / "log.txt", code);
      return outcome;
    }
  }
  std::vector<std::string> words{"eval",    arguments.data->string(),
                                 "--json",  (task.folder / "eval.json").string(),
                                 "--cache", (arguments.out / "cache").string()};
  if (trained) {
    PMTR_TRY(const int code, run_training_of(arguments, study, task));
    if (code != 0) {
      outcome.failure = last_complaint(task.folder / "log.txt", code);
      return outcome;
    }
    outcome.validations = validations_of(task.folder);
    words.insert(words.end(), {"--weights", (task.folder / "run" / "last.safetensors").string()});
  }
  if (!task.variant.system.empty()) words.insert(words.end(), {"--system", task.variant.system});
  if (arguments.validation) words.insert(words.end(), {"--split", arguments.validation->string()});
  if (arguments.skip_missing) words.emplace_back("--skip-missing");
  if (arguments.threads) words.insert(words.end(), {"--threads", std::to_string(*arguments.threads)});
  for (const auto* list : {&study.evaluate, &task.variant.evaluate})
    words.insert(words.end(), list->begin(), list->end());
  PMTR_TRY(const int code, run_self(words, log));
  if (code != 0) {
    outcome.failure = last_complaint(log, code);
    return outcome;
  }
  PMTR_TRY(const std::vector<std::byte> bytes, read_file(task.folder / "eval.json"));
  PMTR_TRY(const Evaluation evaluation,
           parse_evaluation(as_text(bytes), (task.folder / "eval.json").string()));
  outcome.values = means_of(evaluation);
  if (trained) (*outcome.values)["updates"] = static_cast<double>(task.config.train.steps);
  return outcome;
}

Result<StudyOutcome> train_variant(const StudyArguments& arguments, const Study& study, StudyTask& task) {
  PMTR_TRY(const int code, run_training_of(arguments, study, task));
  StudyOutcome outcome;
  outcome.validations = validations_of(task.folder);
  if (code != 0) {
    outcome.failure = last_complaint(task.folder / "log.txt", code);
  } else if (outcome.validations.empty() || outcome.validations.back().step != task.config.train.steps) {
    outcome.failure = "it was trained, but not validated at its end";
  } else {
    outcome.values = outcome.validations.back().values;
  }
  return outcome;
}

Result<StudyOutcome> measure_variant(const StudyArguments& arguments, const Study& study, StudyTask& task) {
  const NetworkOptions& network = task.config.network;
  std::vector<std::string> words{"bench", "--only",
                                 fmt::format("matchers:{},{}:{}", word_of(network.coarse_matcher),
                                             word_of(network.fine_matcher), study.points)};
  if (arguments.threads) words.insert(words.end(), {"--threads", std::to_string(*arguments.threads)});
  PMTR_TRY(const int code, run_self(words, task.folder / "log.txt"));
  StudyOutcome outcome;
  // Libraries may have warned before the measurements begin.
  PMTR_TRY(const std::vector<std::byte> log, read_file(task.folder / "log.txt"));
  const std::string_view said = as_text(log);
  const nlohmann::json measured = nlohmann::json::parse(said.substr(std::min(said.find('{'), said.size())),
                                                        nullptr, /*allow_exceptions=*/false);
  if (code != 0) {
    outcome.failure = last_complaint(task.folder / "log.txt", code);
  } else if (!measured.is_object()) {
    outcome.failure = "its measurements cannot be read";
  } else {
    outcome.values.emplace();
    for (const auto& [name, value] : measured.items())
      if (value.is_number()) (*outcome.values)[name] = value;
  }
  return outcome;
}

Status write_tables(const Study& study, const std::vector<std::vector<StudyTask>>& rows,
                    const fs::path& out) {
  StudyOutcomes outcomes;
  for (const auto& row : rows) {
    auto& own = outcomes.emplace_back();
    for (const StudyTask& task : row) own.push_back(outcome_of(study, task));
  }
  PMTR_TRY_STATUS(write_file(out / "study.md", study_markdown(study, outcomes)));
  PMTR_TRY_STATUS(write_file(out / "study.tex", study_latex(study, outcomes)));
  PMTR_TRY_STATUS(write_file(out / "study.json", study_json(study, outcomes)));
  if (study.kind == StudyKind::training)
    PMTR_TRY_STATUS(write_file(out / "curves.html", study_curves(study, outcomes)));
  return {};
}

Result<int> work_through(const StudyArguments& arguments) {
  PMTR_TRY(Study study, read_study(arguments.file));
  for (StudyVariant& variant : study.variants) {
    if (arguments.minutes && variant.minutes > 0.0) variant.minutes = *arguments.minutes;
  }
  PMTR_TRY(const Shard shard, parse_shard(arguments.shard));
  PMTR_TRY(auto rows, tasks_of(study, arguments));
  std::vector<std::string> failed;
  // Seed by seed, so that a study that is not finished has all variants before it has a second seed of any.
  int index = 0;
  for (std::size_t s = 0; s < study.seeds.size() && !arguments.tables_only; ++s) {
    for (auto& row : rows) {
      if (index++ % shard.count != shard.index) continue;
      StudyTask& task = row[s];
      const std::string name = fmt::format("{}, seed {}", task.variant.name, study.seeds[s]);
      if (outcome_of(study, task).values) {
        say(fmt::format("{}: done before", name));
        continue;
      }
      std::error_code error;
      fs::create_directories(task.folder, error);
      if (error) return error_at(task.folder, Cause::unwritable, error.message());
      PMTR_TRY(const FolderLock lock, FolderLock::take(task.folder));
      PMTR_TRY(const std::optional<fs::path> known, take_known(arguments.known, study, task));
      if (known) {
        say(fmt::format("{}: done in {}", name, known->string()));
        PMTR_TRY_STATUS(write_tables(study, rows, arguments.out));
        continue;
      }
      say(fmt::format("{}: begins", name));
      const auto work = study.kind == StudyKind::cost       ? measure_variant
                        : study.kind == StudyKind::assembly ? assemble_variant
                                                            : train_variant;
      PMTR_TRY(const StudyOutcome outcome, work(arguments, study, task));
      PMTR_TRY_STATUS(write_outcome(study, task, outcome));
      PMTR_TRY_STATUS(write_tables(study, rows, arguments.out));
      if (outcome.failure.empty()) {
        say(fmt::format("{}: done", name));
      } else {
        complain(fmt::format("{}: {}", name, outcome.failure));
        failed.push_back(name);
      }
    }
  }
  PMTR_TRY_STATUS(write_tables(study, rows, arguments.out));
  PMTR_TRY(const std::vector<std::byte> table, read_file(arguments.out / "study.md"));
  const int printed = print(as_text(table));
  return failed.empty() ? printed : exit_code::failed;
}

}  // namespace

int run_study(const StudyArguments& arguments) {
  const Result<int> result = work_through(arguments);
  return result.ok() ? *result : report(result.error());
}

}  // namespace pmtr::command
