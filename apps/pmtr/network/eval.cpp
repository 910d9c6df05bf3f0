// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "eval.h"

#include <span>

#include <fmt/format.h>

#include "console.h"
#include "eval_screening.h"
#include "pmtr/core/file.h"
#include "pmtr/evaluate/evaluate_objects.h"
#include "pmtr/evaluate/evaluation_sheet.h"
#include "pmtr/evaluate/evaluation_tables.h"
#include "pmtr/evaluate/label_sheet.h"
#include "pmtr/evaluate/loss_report.h"
#include "pmtr/pipeline/evaluation_assembler.h"
#include "pmtr/pipeline/leave_out.h"
#include "pmtr/render/png.h"
#include "pmtr/systems/assemble_system.h"
#include "progress_bar.h"
#include "thread_count.h"
#include "weights_choice.h"

namespace pmtr::command {
namespace {

constexpr std::size_t labels_shown = 48;

Result<EvaluateOptions> evaluate_options(const EvalArguments& arguments) {
  EvaluateOptions options = arguments.options;
  if (!arguments.shard.empty()) {
    PMTR_TRY(options.shard, parse_shard(arguments.shard));
  }
  if (!arguments.anchor.empty()) options.count_anchor = arguments.anchor == "counted";
  PMTR_TRY_STATUS(options.validate());
  return options;
}

/// But for what differs from sample to sample.
Result<AssembleOptions> assemble_options(const EvalArguments& arguments, const FragmentEncoder& encoder) {
  PMTR_TRY(AssembleOptions options,
           evaluated_options(arguments.pose, !arguments.only_likely, arguments.options.seed, encoder));
  if (arguments.noise) options.point_noise = *arguments.noise;
  if (arguments.break_points) options.densify.break_points = *arguments.break_points;
  if (arguments.scar_points) options.densify.scar_points = *arguments.scar_points;
  for (const std::string& step : arguments.without) PMTR_TRY_STATUS(leave_out(step, options));
  return options;
}

struct EvalResult {
  Evaluation evaluation;
  std::vector<LossRun> losses;  ///< with --explain
  std::optional<Image> sheet;
  std::optional<Image> labels_sheet;
  Status drawn;  ///< a picture that failed does not cost the numbers
};

/// The runs that --explain compares with.
std::vector<Telling> more_told(bool true_labels) {
  if (true_labels) return {{true_labels, true, true}};
  return {{true, false, true}, {false, true, true}, {true, true, true}};
}

/// A failed picture is not a failed evaluation.
void draw_sheet(const EvalArguments& arguments, const DatasetIndex& index, const ObjectCache& cache,
                Threads& threads, const Listener& listener, EvalResult& result) {
  const Evaluation& evaluation = result.evaluation;
  if (!arguments.picture || !evaluation.finished || evaluation.samples.empty()) return;
  Result<Image> sheet = draw_evaluation_sheet(evaluation, index, cache, threads, listener);
  if (sheet.ok()) {
    result.sheet = *std::move(sheet);
  } else {
    result.drawn = sheet.error();
  }
}

/// What asks about breaks, matches or joints has no meaning for a system that has none.
Status check_for_system(const EvalArguments& a) {
  if (a.labels == "true" || a.labels_sheet || a.explain || a.screening || a.only_likely || a.noise ||
      a.break_points || a.scar_points || !a.without.empty() || a.pose != EvalArguments{}.pose)
    return invalid_option(
        "--system finds poses without breaks and joints: --pose, --labels, --labels-sheet, --explain, "
        "--screening, --only-likely, --noise, --break-points, --scar-points and --without have no meaning");
  return {};
}

Result<EvalResult> evaluate_system(const EvalArguments& arguments, const Listener& listener) {
  PMTR_TRY_STATUS(check_for_system(arguments));
  PMTR_TRY(const EvaluateOptions options, evaluate_options(arguments));
  PMTR_TRY(const ChosenSystem chosen,
           choose_system(arguments.system, arguments.weights, options.seed, listener));
  PMTR_TRY(const DatasetIndex index, list_dataset(arguments.inputs.front(), options.layout, listener));
  const ObjectCache cache(arguments.cache.value_or(""));
  Threads threads(thread_count(arguments.threads));
  PMTR_TRY(const Assembler assembler, make_system_assembler(chosen, options.seed));
  EvalResult result;
  PMTR_TRY(result.evaluation, evaluate_objects(index, cache, assembler, options, threads, listener));
  result.evaluation.config["system"] = arguments.system;
  result.evaluation.config["weights"] = chosen.weights;
  draw_sheet(arguments, index, cache, threads, listener, result);
  return result;
}

Result<EvalResult> evaluate(const EvalArguments& arguments, const Listener& listener) {
  if (!arguments.system.empty()) return evaluate_system(arguments, listener);
  PMTR_TRY(const EvaluateOptions options, evaluate_options(arguments));
  PMTR_TRY(const DatasetIndex index, list_dataset(arguments.inputs.front(), options.layout, listener));
  PMTR_TRY(const ChosenWeights weights, choose_weights(arguments.weights, options.seed, listener));
  PMTR_TRY(const AssembleOptions assemble, assemble_options(arguments, weights.encoder));
  const ObjectCache cache(arguments.cache.value_or(""));
  Threads threads(thread_count(arguments.threads));
  EvalResult result;
  Evaluation& evaluation = result.evaluation;
  WorstLabels worst(arguments.labels_sheet ? labels_shown : 0);
  const bool true_labels = arguments.labels == "true";
  const Telling telling{true_labels, false, arguments.explain.has_value()};
  PMTR_TRY(evaluation,
           evaluate_objects(index, cache, make_assembler(weights.encoder, assemble, telling, &worst), options,
                            threads, listener));
  evaluation.config["weights"] = weights.name;
  evaluation.config["pose"] = arguments.pose;
  evaluation.config["labels"] = arguments.labels;
  evaluation.config["break_points"] = fmt::format("{}", assemble.densify.break_points);
  evaluation.config["scar_points"] = fmt::format("{}", assemble.densify.scar_points);
  evaluation.config["without"] = fmt::format("{}", fmt::join(arguments.without, ", "));
  evaluation.config["noise"] = fmt::format("{}", assemble.point_noise);
  evaluation.config["placed"] = arguments.only_likely ? "likely" : "all";
  if (arguments.explain && evaluation.finished) {
    result.losses.push_back({true_labels, false, evaluation});
    for (const Telling& more : more_told(true_labels)) {
      LossRun run{more.true_labels, more.true_neighbours, {}};
      PMTR_TRY(run.evaluation,
               evaluate_objects(index, cache, make_assembler(weights.encoder, assemble, more, nullptr),
                                options, threads, listener));
      result.losses.push_back(std::move(run));
    }
  }
  draw_sheet(arguments, index, cache, threads, listener, result);
  if (arguments.labels_sheet) {
    PMTR_TRY(result.labels_sheet, draw_label_sheet(worst.found(), threads));
  }
  return result;
}

Result<Evaluation> merge_files(std::span<const std::filesystem::path> files) {
  if (files.empty()) return Error{Cause::invalid_option, "merge: give the JSON files of the shards", {}};
  std::vector<Evaluation> shards;
  for (const auto& file : files) {
    PMTR_TRY(const std::vector<std::byte> bytes, read_file(file));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    PMTR_TRY(Evaluation shard, parse_evaluation(text, file.string()));
    shards.push_back(std::move(shard));
  }
  return merge_evaluations(shards);
}

/// Numbers first: they took the time.
Result<int> write_results(const EvalArguments& arguments, const Evaluation& evaluation) {
  if (arguments.json) PMTR_TRY_STATUS(write_file(*arguments.json, format_evaluation(evaluation)));
  const std::string tables = markdown_tables(evaluation);
  if (arguments.markdown) PMTR_TRY_STATUS(write_file(*arguments.markdown, tables));
  if (arguments.latex) PMTR_TRY_STATUS(write_file(*arguments.latex, latex_tables(evaluation)));
  if (const int code = print(tables); code != exit_code::done) return code;
  for (const auto& [sample, reason] : evaluation.failures)
    warn(fmt::format("left out: {}: {}", sample, reason));
  if (!evaluation.finished) {
    warn(fmt::format("stopped: {} samples are finished, the others are missing", evaluation.samples.size()));
    return exit_code::failed;
  }
  return evaluation.failures.empty() ? exit_code::done : exit_code::bad_input;
}

Status write_losses(const std::filesystem::path& folder, std::span<const LossRun> losses) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) return error_at(folder, Cause::unwritable, "cannot make this folder");
  const auto& config = losses[0].evaluation.config;
  const std::string name = fmt::format("{} of {} parts, weights {}", config.at("samples"), config.at("parts"),
                                       config.at("weights"));
  PMTR_TRY_STATUS(write_file(folder / "losses.json", loss_json(losses)));
  return write_file(folder / "losses.md", loss_markdown(losses, name));
}

Result<int> run(const EvalArguments& arguments) {
  if (arguments.inputs.front() == "merge") {
    PMTR_TRY(const Evaluation merged, merge_files(std::span(arguments.inputs).subspan(1)));
    return write_results(arguments, merged);
  }
  if (arguments.inputs.size() > 1)
    return Error{Cause::invalid_option, "give one dataset, or 'merge' and files of shards", {}};
  if (arguments.screening && arguments.system.empty()) {
    ProgressBar bar;
    PMTR_TRY(const std::string table, evaluate_screening(arguments, bar.listener()));
    return print(table);
  }
  EvalResult result;
  {
    ProgressBar bar;
    PMTR_TRY(result, evaluate(arguments, bar.listener()));
  }
  PMTR_TRY(const int code, write_results(arguments, result.evaluation));
  if (!result.losses.empty()) PMTR_TRY_STATUS(write_losses(*arguments.explain, result.losses));
  PMTR_TRY_STATUS(result.drawn);
  if (result.sheet) PMTR_TRY_STATUS(write_png(*arguments.picture, *result.sheet));
  if (result.labels_sheet) PMTR_TRY_STATUS(write_png(*arguments.labels_sheet, *result.labels_sheet));
  return code;
}

}  // namespace

int run_eval(const EvalArguments& arguments) {
  const Result<int> result = run(arguments);
  return result.ok() ? *result : report_usage(result.error());
}

}  // namespace pmtr::command
