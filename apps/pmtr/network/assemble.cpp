// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "assemble.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "console.h"
#include "pmtr/assemble/witnesses.h"
#include "pmtr/core/file.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "pmtr/pipeline/assemble_fragments.h"
#include "pmtr/report/record/assembly_json.h"
#include "pmtr/report/record/result_files.h"
#include "pmtr/report/record/solve_again.h"
#include "pmtr/report/record/units.h"
#include "pmtr/report/record/words.h"
#include "process_memory.h"
#include "progress_bar.h"
#include "thread_count.h"
#include "weights_choice.h"

namespace pmtr::command {
namespace {

Result<std::vector<MeshFile>> read_fragments(const AssembleArguments& arguments, const Listener& listener) {
  std::vector<MeshFile> files;
  std::set<std::filesystem::path> seen;
  for (const auto& path : arguments.files) {
    std::error_code ignored;  // one that is not there is found out when it is read
    const auto real = std::filesystem::weakly_canonical(path, ignored);
    if (!seen.insert(ignored ? path : real).second)
      return error_at(path, Cause::mismatch, "the same file is given twice");
    PMTR_TRY(MeshFile file, read_mesh_file(path));
    for (const std::string& warning : file.warnings) listener.warn(path.string() + ": " + warning);
    files.push_back(std::move(file));
  }
  return files;
}

/// Matches of an untrained network may well agree with each other, and mean nothing.
void withdraw_confidence(Assembly& assembly) {
  for (Joint& joint : assembly.joints) joint.confidence = 0.0;
  for (PlacedPart& part : assembly.parts) part.confidence = 0.0;
}

/// The decisions of a file, applied as *Solve again* does.
Result<AssemblyRecord> replay_constraints(const std::filesystem::path& file, AssemblyRecord record,
                                          const Listener& listener) {
  PMTR_TRY(const std::vector<std::byte> bytes, read_file(file, 64U << 20U));
  PMTR_TRY(const Constraints constraints, parse_constraints(as_text(bytes), file.string()));
  auto decided = decide_again(std::move(record), constraints, listener);
  if (!decided.ok()) return error_at(file, decided.error().cause, decided.error().message);
  return decided;
}

void summarise(const AssembleArguments& arguments, const AssemblyRecord& record) {
  const Assembly& assembly = record.assembly;
  const std::vector<std::string> names = record.context.names();
  const std::string unit = fmt::format(" {}", unit_words(arguments.units));
  for (const Joint& joint : assembly.joints) {
    if (!joint.used) continue;
    const auto name = [&](int i) -> const std::string& { return names[static_cast<std::size_t>(i)]; };
    std::string text = fmt::format("{} + {}: {}, confidence {:.2f}, {} matches agree", name(joint.a),
                                   name(joint.b), band_name(band_of(joint)), joint.confidence, joint.matches);
    if (joint.evidence && joint.evidence->contact_points > 0) {
      text +=
          fmt::format(", contact area {:.4g}{}, mean gap {:.3g}{}", joint.evidence->contact_area,
                      unit + (arguments.units.empty() ? " squared" : "^2"), joint.evidence->gap_mean, unit);
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
  ProgressBar bar;
  const Listener listener = bar.listener();
  PMTR_TRY(const std::vector<MeshFile> files, read_fragments(arguments, listener));
  const int count = thread_count(arguments.threads);
  Threads threads(count);
  PMTR_TRY(const ChosenWeights weights, choose_weights(arguments.weights, arguments.seed, listener));
  const FragmentEncoder& encoder = weights.encoder;

  if (arguments.place_all && arguments.only_confirmed)
    return Error{Cause::invalid_option, "--place-all and --only-confirmed exclude each other", {}};
  AssembleOptions options;
  options.seed = arguments.seed;
  for (const MeshFile& file : files) options.names.push_back(file.path.string());
  if (arguments.points) options.sample.points = *arguments.points;
  if (arguments.object_size) options.object_size = *arguments.object_size;
  options.pairs.exhaustive = arguments.exhaustive;
  options.rematch.place_all = arguments.place_all;
  options.only_confirmed = arguments.only_confirmed;
  if (encoder.options().norm_scope == NormScope::pair)
    options.match.registration = RegistrationOptions::reference();
  PMTR_TRY(AssembleResult result, assemble_fragments(meshes_of(files), encoder, options, threads, listener));

  AssemblyRecord record;
  record.assembly = std::move(result.assembly);
  for (const MeshFile& file : files) {
    record.context.files.push_back(file.path.string());
    record.context.shapes.push_back(shape_of(file.mesh));
  }
  record.context.seed = arguments.seed;
  record.context.units = arguments.units;
  record.context.weights = weights.name;
  record.context.object_size = result.object_size;
  record.context.size_is_given = arguments.object_size.has_value();
  record.context.solve = result.solve;
  record.context.timing_ms = result.timing_ms;
  if (!weights.trained) withdraw_confidence(record.assembly);
  if (arguments.constraints) {
    PMTR_TRY(record, replay_constraints(*arguments.constraints, std::move(record), listener));
  }
  record.context.peak_rss_mb = peak_rss_mb();
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
