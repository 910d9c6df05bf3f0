// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "project.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "assembly_summary.h"
#include "child_process.h"
#include "console.h"
#include "network_program.h"
#include "pmtr/core/file.h"
#include "pmtr/core/process_memory.h"
#include "pmtr/pipeline/project_stages.h"
#include "pmtr/project/stage_costs.h"
#include "pmtr/report/record/result_files.h"
#include "progress_bar.h"
#include "project_workers.h"
#include "thread_count.h"
#include "weights_choice.h"

namespace pmtr::command {
namespace {

Result<int> begin_project(const ProjectArguments& arguments, const ProjectFolder& folder, Threads& threads,
                          const Listener& listener) {
  const auto bundled = bundled_weights();
  if (!arguments.weights && !bundled)
    return error_at(folder.path(), Cause::unreadable,
                    "the bundled weights are missing: name some with --weights");
  ProjectStart start;
  start.program = PMTR_VERSION;
  start.request = arguments.request;
  start.block = arguments.block;
  start.weights = arguments.weights ? *arguments.weights : *bundled;
  start.files = arguments.files;
  PMTR_TRY(const Project project, init_project(folder, start, threads, listener));
  say(fmt::format("{}: {} fragments in {} blocks; next: pmtr project run {}", folder.path().string(),
                  project.fragments.size(), project.blocks.size(), folder.path().string()));
  return exit_code::done;
}

Result<int> solve_and_write(const ProjectArguments& arguments, const ProjectFolder& folder,
                            const Project& project, Threads& threads, const Listener& listener) {
  const std::filesystem::path out = arguments.out.value_or(folder.results());
  const double before = processor_seconds();
  std::vector<MeshFile> files;
  PMTR_TRY(AssemblyRecord record, solve_project(folder, project, arguments.request.place_all,
                                                arguments.request.only_confirmed, files, threads, listener));
  const ResultOptions results{!arguments.no_report, arguments.light};
  PMTR_TRY_STATUS(write_results(out, files, record, results, threads, listener));
  PMTR_TRY_STATUS(mark_solved(folder, project, out));
  PMTR_TRY_STATUS(keep_cost(folder, "solve", {},
                            {items_of(project, "solve"), processor_seconds() - before, peak_rss_mb()}));
  return tell_assembly(record, out, !arguments.no_report);
}

Result<int> tell_status(const ProjectArguments& arguments, const ProjectFolder& folder,
                        const Project& project) {
  PMTR_TRY(const ProjectStatus now, project_status(folder, project));
  if (arguments.json) {
    nlohmann::ordered_json json;
    json["fragments"] = now.fragments;
    json["encoded"] = now.encoded;
    json["block_pairs"] = now.blocks;
    json["matched"] = now.matched;
    json["searches"] = now.searches ? nlohmann::ordered_json(*now.searches) : nlohmann::ordered_json();
    json["searched"] = now.searched ? nlohmann::ordered_json(*now.searched) : nlohmann::ordered_json();
    json["solved"] = now.solved;
    return print(json.dump(1) + "\n");
  }
  std::string text = fmt::format("{} fragments, longest side of an object {:.4g}{}\n", now.fragments,
                                 project.object_size, project.size_is_given ? "" : " (estimated)");
  text += fmt::format("encoded   {} of {} fragments\n", now.encoded, now.fragments);
  text += fmt::format("matched   {} of {} pairs of blocks\n", now.matched, now.blocks);
  text += now.searches ? fmt::format("searched  {} of {} pairs of blocks with likely pairs\n", *now.searched,
                                     *now.searches)
                       : std::string("searched  not yet: first all are matched\n");
  text += fmt::format("solved    {}\n", now.solved ? "yes" : "no");
  return print(text);
}

/// A stage that was asked for by its name, in a shard.
Result<int> do_stage(const ProjectArguments& arguments, const ProjectFolder& folder, const Project& project,
                     Threads& threads, const Listener& listener) {
  PMTR_TRY(const Shard shard, parse_shard(arguments.shard));
  const double before = processor_seconds();
  const auto work = arguments.action == "encode"  ? encode_shard(folder, project, shard, threads, listener)
                    : arguments.action == "match" ? match_shard(folder, project, shard, threads, listener)
                                                  : search_shard(folder, project, shard, threads, listener);
  if (!work.ok()) return work.error();
  if (work->items > 0)
    PMTR_TRY_STATUS(
        keep_cost(folder, arguments.action, shard,
                  {static_cast<double>(work->items), processor_seconds() - before, peak_rss_mb()}));
  say(fmt::format("{} {}: {} made, {} were there", arguments.action, arguments.shard, work->made,
                  work->kept));
  return exit_code::done;
}

Result<int> do_all(const ProjectArguments& arguments, const ProjectFolder& folder, const Project& project,
                   Threads& threads, const Listener& listener) {
  PMTR_TRY(const ProjectStatus before, project_status(folder, project));
  const std::filesystem::path out = arguments.out.value_or(folder.results());
  std::error_code ignored;
  if (before.solved && std::filesystem::exists(out / "assembly.json", ignored)) {
    say(fmt::format("solved already: {}", out.string()));
    return exit_code::done;
  }
  for (const char* name : {"encode", "match", "search"}) {
    if (arguments.workers > 1) {
      PMTR_TRY(const int code,
               run_project_workers(folder, project, name, arguments.workers,
                                   arguments.threads.value_or(std::max(1, all_cores() / arguments.workers)),
                                   listener));
      if (code != exit_code::done) return code;
      continue;
    }
    ProjectArguments one = arguments;
    one.action = name;
    one.shard = "1/1";
    PMTR_TRY(const int code, do_stage(one, folder, project, threads, listener));
    if (code != exit_code::done) return code;
  }
  return solve_and_write(arguments, folder, project, threads, listener);
}

Result<int> write_slurm(const ProjectArguments& arguments, const ProjectFolder& folder,
                        const Project& project) {
  SlurmOptions options = arguments.slurm;
  for (const char* stage : {"encode", "match", "search"}) options.need[stage] = arguments.task_need;
  options.need["solve"] = arguments.solve_need;
  options = with_measured_needs(std::move(options), project, read_costs(folder));
  if (arguments.threads) options.threads = options.solve_threads = *arguments.threads;
  if (arguments.no_report) options.solve_arguments += " --no-report";
  if (arguments.light) options.solve_arguments += " --light";
  if (arguments.request.place_all) options.solve_arguments += " --place-all";
  if (arguments.request.only_confirmed) options.solve_arguments += " --only-confirmed";
  if (arguments.out)
    options.solve_arguments += " --out " + shell_word(std::filesystem::absolute(*arguments.out).string());
  PMTR_TRY_STATUS(options.validate());
  std::error_code error;
  const std::filesystem::path full = std::filesystem::canonical(folder.path(), error);
  if (error) return error_at(folder.path(), Cause::unreadable, error.message());
  std::filesystem::create_directories(full / "slurm", error);
  if (error) return error_at(full / "slurm", Cause::unwritable, error.message());
  for (const auto& [name, text] : slurm_scripts(full, front_program(), options))
    PMTR_TRY_STATUS(write_file(full / "slurm" / name, text));
  const std::filesystem::path submit = full / "slurm" / "submit.sh";
  if (!arguments.submit) {
    say(fmt::format("written to {}; to submit: bash {}", (full / "slurm").string(), submit.string()));
    return exit_code::done;
  }
  PMTR_TRY(const std::string jobs, output_of("/bin/bash", {submit.string()}));
  say("submitted; the numbers of the jobs encode, match, search and solve are on stdout");
  return print(jobs);
}

Result<int> act_on_project(const ProjectArguments& arguments) {
  const ProjectFolder folder(arguments.folder);
  const bool takes_files = arguments.action == "init" || arguments.action == "add";
  if (takes_files && arguments.files.empty()) return invalid_option(arguments.action + " needs fragments");
  if (!takes_files && !arguments.files.empty())
    return invalid_option(arguments.action + " takes no fragments");
  // Workers of their own: this process only waits for them, until it solves.
  ProgressBar bar;
  const Listener listener = bar.listener();
  Threads threads(thread_count(arguments.threads));
  if (arguments.action == "init") return begin_project(arguments, folder, threads, listener);
  PMTR_TRY(const Project project, folder.read(PMTR_VERSION));
  if (arguments.action == "add") {
    PMTR_TRY(const Project more, add_fragments(folder, project, arguments.files, threads, listener));
    say(fmt::format("{}: {} fragments in {} blocks", folder.path().string(), more.fragments.size(),
                    more.blocks.size()));
    return exit_code::done;
  }
  if (arguments.action == "status") return tell_status(arguments, folder, project);
  if (arguments.action == "slurm") return write_slurm(arguments, folder, project);
  if (arguments.action == "solve") return solve_and_write(arguments, folder, project, threads, listener);
  if (arguments.action == "run") return do_all(arguments, folder, project, threads, listener);
  return do_stage(arguments, folder, project, threads, listener);
}

}  // namespace

int run_project(const ProjectArguments& arguments) {
  const Result<int> result = act_on_project(arguments);
  return result.ok() ? *result : report_usage(result.error());
}

}  // namespace pmtr::command
