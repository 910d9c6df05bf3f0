// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "assemble.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "console.h"
#include "pmtr/assemble/witnesses.h"
#include "pmtr/pipeline/assemble_files.h"
#include "pmtr/report/record/result_files.h"
#include "pmtr/report/record/units.h"
#include "pmtr/report/record/words.h"
#include "progress_bar.h"
#include "thread_count.h"
#include "weights_choice.h"

namespace pmtr::command {
namespace {

void summarise(const AssembleArguments& arguments, const AssemblyRecord& record) {
  const Assembly& assembly = record.assembly;
  const std::vector<std::string> names = record.context.names();
  const std::string unit = fmt::format(" {}", unit_words(arguments.request.units));
  for (const Joint& joint : assembly.joints) {
    if (!joint.used) continue;
    const auto name = [&](int i) -> const std::string& { return names[static_cast<std::size_t>(i)]; };
    std::string text = fmt::format("{} + {}: {}, confidence {:.2f}, {} matches agree", name(joint.a),
                                   name(joint.b), band_name(band_of(joint)), joint.confidence, joint.matches);
    if (joint.evidence && joint.evidence->contact_points > 0) {
      text += fmt::format(", contact area {:.4g}{}, mean gap {:.3g}{}", joint.evidence->contact_area,
                          unit + (arguments.request.units.empty() ? " squared" : "^2"),
                          joint.evidence->gap_mean, unit);
    } else if (joint.evidence) {
      text += ", but the surfaces do not touch";
    }
    if (band_of(joint) != Band::confirmed) text += "; " + band_reason(joint);
    say(text);
  }
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    if (!assembly.parts[i].placed) say(fmt::format("{}: not placed, nothing it surely belongs to", names[i]));
  }
}

Result<int> assemble(const AssembleArguments& arguments) {
  ProgressBar bar(arguments.progress == "lines");
  const Listener listener = bar.listener();
  PMTR_TRY(const std::vector<MeshFile> files, read_fragments(arguments.files, listener));
  Threads threads(thread_count(arguments.threads));
  PMTR_TRY(const ChosenWeights weights, choose_weights(arguments.weights, arguments.request.seed, listener));
  PMTR_TRY(AssemblyRecord record, assemble_files(files, weights, arguments.request, threads, listener));
  const ResultOptions results{!arguments.no_report, arguments.light};
  PMTR_TRY_STATUS(write_results(arguments.out, files, record, results, threads, listener));
  if (arguments.json) {
    const std::string json = assembly_json(record.assembly, record.context);
    if (const int code = print(json); code != exit_code::done) return code;
  }
  summarise(arguments, record);
  const auto used = std::count_if(record.assembly.joints.begin(), record.assembly.joints.end(),
                                  [](const Joint& joint) { return joint.used; });
  if (used == 0) {
    warn(files.size() == 1 ? "one fragment alone: nothing to join"
                           : "no pose found: the fragments do not seem to match");
    return exit_code::nothing_assembled;
  }
  say(summary_sentence(record));
  say(fmt::format("written to {}", arguments.out.string()));
  if (!arguments.no_report) {
    say(fmt::format("to look at it: {}", (arguments.out / "report.html").string()));
    say(fmt::format("to change it: pmtr view {}", arguments.out.string()));
  }
  return exit_code::done;
}

}  // namespace

int run_assemble(const AssembleArguments& arguments) {
  const Result<int> result = assemble(arguments);
  return result.ok() ? *result : report(result.error());
}

}  // namespace pmtr::command
