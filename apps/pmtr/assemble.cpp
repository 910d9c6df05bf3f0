// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "assemble.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "console.h"
#include "pmtr/core/file.h"
#include "pmtr/mesh/mesh_file.h"
#include "pmtr/pipeline/assemble_fragments.h"
#include "pmtr/report/assembly_json.h"
#include "process_memory.h"
#include "progress_bar.h"
#include "weights_choice.h"

namespace pmtr::command {
namespace {

Result<std::vector<MeshFile>> read_fragments(const AssembleArguments& arguments, const Listener& listener) {
  std::vector<MeshFile> files;
  std::set<std::string> names;
  for (const auto& path : arguments.files) {
    // Placed fragments keep their names, so two of the same name would overwrite each other.
    if (!names.insert(path.filename().string()).second) {
      return Error{
          Cause::mismatch, "another fragment has the same file name; rename one", {path.string(), {}, {}}};
    }
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

Status write_results(const AssembleArguments& arguments, const std::vector<MeshFile>& files,
                     const Assembly& assembly, const std::string& json) {
  std::error_code error;
  std::filesystem::create_directories(arguments.out, error);
  if (error)
    return Error{
        Cause::unwritable, "cannot create the folder: " + error.message(), {arguments.out.string(), {}, {}}};
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!assembly.parts[i].placed) continue;
    PMTR_TRY_STATUS(write_moved(files[i], assembly.parts[i].world_from_part, arguments.out));
  }
  return write_file(arguments.out / "assembly.json", json);
}

void summarise(const AssembleArguments& arguments, const Assembly& assembly) {
  const std::string unit = arguments.units.empty() ? "" : " " + arguments.units;
  for (const Joint& joint : assembly.joints) {
    if (!joint.used) continue;
    const auto name = [&](int i) { return arguments.files[static_cast<std::size_t>(i)].filename().string(); };
    std::string text = fmt::format("{} + {}: {} matches agree, confidence {:.2f}", name(joint.a),
                                   name(joint.b), joint.matches, joint.confidence);
    if (joint.contact && joint.contact->points > 0) {
      text += fmt::format(", contact area {:.4g}{}, mean gap {:.3g}{}", joint.contact->area,
                          unit.empty() ? "" : unit + "^2", joint.contact->gap_mean, unit);
    } else if (joint.contact) {
      text += ", but the surfaces do not touch";
    }
    say(text);
  }
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    if (!assembly.parts[i].placed)
      say(fmt::format("{}: not placed, nothing it surely belongs to",
                      arguments.files[i].filename().string()));
  }
}

Result<int> assemble(const AssembleArguments& arguments) {
  ProgressBar bar;
  const Listener listener = bar.listener();
  PMTR_TRY(const std::vector<MeshFile> files, read_fragments(arguments, listener));
  std::vector<TriangleMesh> meshes;
  AssemblyContext context;
  for (const MeshFile& file : files) {
    meshes.push_back(file.mesh);
    context.files.push_back(file.path.string());
  }
  const int count =
      arguments.threads.value_or(static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
  Threads threads(count);
  PMTR_TRY(const ChosenWeights weights, choose_weights(arguments.weights, arguments.seed, listener));
  const FragmentEncoder& encoder = weights.encoder;

  AssembleOptions options;
  options.seed = arguments.seed;
  if (arguments.points) options.points = *arguments.points;
  if (arguments.object_size) options.object_size = *arguments.object_size;
  options.surfaces.pairs.exhaustive = arguments.exhaustive;
  if (encoder.options().norm_scope == NormScope::pair)
    options.joints.registration = RegistrationOptions::reference();
  PMTR_TRY(AssembleResult result, assemble_fragments(meshes, encoder, options, threads, listener));
  if (!weights.trained) withdraw_confidence(result.assembly);

  context.seed = arguments.seed;
  context.units = arguments.units;
  context.weights = weights.name;
  context.object_size = result.object_size;
  context.timing_ms = result.timing_ms;
  context.peak_rss_mb = peak_rss_mb();
  const std::string json = assembly_json(result.assembly, context);
  PMTR_TRY_STATUS(write_results(arguments, files, result.assembly, json));
  if (arguments.json) {
    if (const int code = print(json); code != exit_code::done) return code;
  }
  summarise(arguments, result.assembly);
  const auto used = std::count_if(result.assembly.joints.begin(), result.assembly.joints.end(),
                                  [](const Joint& joint) { return joint.used; });
  if (used == 0) {
    warn(files.size() == 1 ? "one fragment alone: nothing to join"
                           : "no pose found: the fragments do not seem to match");
    return exit_code::nothing_assembled;
  }
  say(fmt::format("written to {}", arguments.out.string()));
  return exit_code::done;
}

}  // namespace

int run_assemble(const AssembleArguments& arguments) {
  const Result<int> result = assemble(arguments);
  return result.ok() ? *result : report(result.error());
}

}  // namespace pmtr::command
