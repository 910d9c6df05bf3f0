// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "assemble.h"

#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "assembly_summary.h"
#include "console.h"
#include "pmtr/pipeline/assemble_files.h"
#include "pmtr/report/record/result_files.h"
#include "pmtr/systems/assemble_system.h"
#include "progress_bar.h"
#include "thread_count.h"
#include "weights_choice.h"

namespace pmtr::command {
namespace {

void tell_kept(const KeptWork& kept, const Listener& listener) {
  const KeptWork::Counts counts = kept.counts();
  listener.say(fmt::format("work: {} fragments encoded, {} were kept; {} searches made, {} were kept",
                           counts.fragments_made, counts.fragments_found, counts.searches_made,
                           counts.searches_found));
  if (const std::string trouble = kept.trouble(); !trouble.empty())
    listener.warn("not all of the work could be kept: " + trouble);
}

Result<AssemblyRecord> find_poses(const AssembleArguments& arguments, const std::vector<MeshFile>& files,
                                  Threads& threads, const Listener& listener) {
  const AssembleRequest& request = arguments.request;
  if (!arguments.system.empty()) {
    if (arguments.work) return invalid_option("--work does not go with --system");
    PMTR_TRY(const ChosenSystem system,
             choose_system(arguments.system, arguments.weights, request.seed, listener));
    return assemble_files_by_system(files, system, request, threads, listener);
  }
  PMTR_TRY(const ChosenWeights weights, choose_weights(arguments.weights, request.seed, listener));
  if (!arguments.work) return assemble_files(files, weights, request, threads, listener);
  PMTR_TRY(const std::string digest, weights_digest(arguments.weights, request.seed));
  PMTR_TRY(const std::unique_ptr<KeptWork> kept, KeptWork::open(*arguments.work, PMTR_VERSION " " + digest));
  auto record = assemble_files(files, weights, request, threads, listener, kept.get());
  tell_kept(*kept, listener);
  return record;
}

Result<int> assemble(const AssembleArguments& arguments) {
  ProgressBar bar(arguments.progress == "lines");
  const Listener listener = bar.listener();
  PMTR_TRY(const std::vector<MeshFile> files, read_fragments(arguments.files, listener));
  Threads threads(thread_count(arguments.threads));
  PMTR_TRY(AssemblyRecord record, find_poses(arguments, files, threads, listener));
  const ResultOptions results{!arguments.no_report, arguments.light};
  PMTR_TRY_STATUS(write_results(arguments.out, files, record, results, threads, listener));
  if (arguments.json) {
    const std::string json = assembly_json(record.assembly, record.context);
    if (const int code = print(json); code != exit_code::done) return code;
  }
  return tell_assembly(record, arguments.out, !arguments.no_report, arguments.system);
}

}  // namespace

int run_assemble(const AssembleArguments& arguments) {
  const Result<int> result = assemble(arguments);
  return result.ok() ? *result : report(result.error());
}

}  // namespace pmtr::command
