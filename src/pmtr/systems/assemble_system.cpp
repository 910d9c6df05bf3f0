// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/systems/assemble_system.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <torch/types.h>

#include "pmtr/core/process_memory.h"
#include "pmtr/pipeline/assemble_files.h"
#include "pmtr/pipeline/evaluation_assembler.h"
#include "pmtr/pipeline/input_frame.h"
#include "pmtr/pipeline/stage_clock.h"
#include "pmtr/report/record/result_files.h"
#include "pmtr/report/record/solve_again.h"
#include "pmtr/sample/object_scale.h"
#include "pmtr/systems/geotransformer.h"
#include "pmtr/systems/jigsaw_assembly.h"
#include "pmtr/systems/object_sample.h"
#include "pmtr/systems/rotations.h"

namespace pmtr {

Result<ChosenSystem> choose_system(const std::string& name,
                                   const std::optional<std::filesystem::path>& weights, std::uint64_t seed,
                                   const Listener& listener) {
  PMTR_TRY(const SystemInfo* info, find_system(name));
  if (!weights)
    return invalid_option(
        fmt::format("--system {}: give its --weights (pmtr train --system {} makes them), "
                    "or 'none' for untrained ones",
                    info->name, info->name));
  ChosenSystem chosen;
  chosen.info = info;
  if (info->kind == SystemKind::network) {
    PMTR_TRY(chosen.network, choose_geotransformer(*weights, seed, listener));
    chosen.weights = chosen.network->name;
    return chosen;
  }
  if (*weights == "none") {
    listener.warn("no trained weights: the system is untrained, the poses mean nothing");
    PMTR_TRY(chosen.system, System::create(name, seed));
    chosen.weights = fmt::format("{}: untrained", info->name);
    return chosen;
  }
  PMTR_TRY(const WeightFile file, read_weights(*weights));
  PMTR_TRY(chosen.system, System::load(name, file, weights->string()));
  chosen.weights = fmt::format("{}: {}", info->name, weights->filename().string());
  return chosen;
}

namespace {

/// In object units.
Result<Assembly> assemble_by_regression(std::span<const FragmentClouds> fragments, const System& system,
                                        Threads& threads) {
  ObjectSample object;
  object.points_per_part = system.info().points;
  for (const FragmentClouds& fragment : fragments) {
    append_points(fragment.cloud, object.points_per_part, object.points);
    object.object_from_part.emplace_back();
  }
  const torch::NoGradGuard no_grad;
  const std::vector<Rigid3> poses =
      motions_of(system.model().forward(stack_objects({&object, 1}), SystemPass{Execution{&threads}}).back());
  for (const Rigid3& pose : poses) {
    if (!pose.matrix().allFinite()) return Error{Cause::not_finite, "the system's poses are not numbers", {}};
  }
  const auto largest = std::max_element(fragments.begin(), fragments.end(),
                                        [](const auto& a, const auto& b) { return a.area < b.area; });
  const auto anchor = static_cast<std::size_t>(largest - fragments.begin());
  Assembly assembly;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    PlacedPart& part = assembly.parts.emplace_back();
    part.placed = true;
    part.anchor = i == anchor;
    part.component = 0;
    if (!part.anchor) part.world_from_part = poses[anchor].inverse() * poses[i];
  }
  return assembly;
}

/// As the system samples them: every part alike, or all of the object equally dense.
Result<std::vector<FragmentClouds>> sample_for(const System& system,
                                               std::span<const TriangleMesh* const> meshes,
                                               double object_size, std::uint64_t seed, Threads& threads) {
  if (system.info().kind == SystemKind::jigsaw) {
    SampleOptions options;
    options.points = system.info().points;
    options.dense_points = 0;
    options.least_points = jigsaw_least_points;
    return sample_object(meshes, object_size, options, seed, threads);
  }
  std::vector<FragmentClouds> fragments;
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    PMTR_TRY(FragmentClouds clouds,
             sample_part(*meshes[i], object_size, system.info().points, Random(seed, i)));
    fragments.push_back(std::move(clouds));
  }
  return fragments;
}

}  // namespace

Result<SystemAssembly> assemble_by_system(std::span<const TriangleMesh* const> meshes, const System& system,
                                          std::optional<double> object_size, std::uint64_t seed,
                                          Threads& threads, const Listener& listener) {
  PMTR_TRY_STATUS(system.accepts(static_cast<std::int64_t>(meshes.size())));
  SystemAssembly result;
  if (object_size) {
    result.object_size = *object_size;
  } else {
    PMTR_TRY(result.object_size, estimate_object_size(meshes));
    listener.say(fmt::format("estimated longest side of the whole object: {:.4g}", result.object_size));
  }
  PMTR_TRY(const std::vector<FragmentClouds> fragments,
           sample_for(system, meshes, result.object_size, seed, threads));
  if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
  PMTR_TRY(Assembly assembly, system.info().kind == SystemKind::jigsaw
                                  ? assemble_by_jigsaw(fragments, system.jigsaw(), seed, threads, listener)
                                  : assemble_by_regression(fragments, system, threads));
  result.assembly = in_input_frame(std::move(assembly), fragments);
  return result;
}

Result<Assembler> make_system_assembler(const ChosenSystem& chosen, std::uint64_t seed) {
  if (chosen.network) {
    const FragmentEncoder& encoder = chosen.network->encoder;
    PMTR_TRY(const AssembleOptions options, evaluated_options("lgr", /*place_all=*/true, seed, encoder));
    return make_assembler(encoder, options, {}, nullptr);
  }
  const System& system = *chosen.system;
  return Assembler([&system, seed](const AssemblyTask& task, Threads& threads,
                                   const Listener& listener) -> Result<AssembledSample> {
    std::vector<const TriangleMesh*> meshes;
    for (const TriangleMesh& piece : task.object.pieces) meshes.push_back(&piece);
    PMTR_TRY(SystemAssembly found,
             assemble_by_system(meshes, system, task.object_size, seed, threads, listener));
    AssembledSample sample;
    sample.assembly = std::move(found.assembly);
    return sample;
  });
}

Result<AssemblyRecord> assemble_files_by_system(std::span<const MeshFile> files, const ChosenSystem& chosen,
                                                const AssembleRequest& request, Threads& threads,
                                                const Listener& listener) {
  PMTR_TRY_STATUS(request.validate());
  if (request.place_all || request.only_confirmed || request.exhaustive || request.constraints ||
      request.points)
    return invalid_option(
        "--system finds poses without our joints: --place-all, --only-confirmed, --exhaustive, --constraints "
        "and --points have no meaning");
  if (chosen.network) {
    PMTR_TRY_STATUS(accepts_parts(*chosen.info, static_cast<std::int64_t>(files.size())));
    AssembleRequest all = request;
    all.place_all = true;
    return assemble_files(files, *chosen.network, all, threads, listener);
  }
  AssemblyRecord record;
  StageClock clock(record.context.timing_ms);
  PMTR_TRY(SystemAssembly found, assemble_by_system(meshes_of(files), *chosen.system, request.object_size,
                                                    request.seed, threads, listener));
  clock.ended("assemble");
  record.assembly = std::move(found.assembly);
  for (const MeshFile& file : files) {
    record.context.files.push_back(file.path.string());
    record.context.shapes.push_back(shape_of(file.mesh));
  }
  record.context.seed = request.seed;
  record.context.units = request.units;
  record.context.weights = chosen.weights;
  record.context.object_size = found.object_size;
  record.context.size_is_given = request.object_size.has_value();
  record.context.peak_rss_mb = peak_rss_mb();
  return record;
}

}  // namespace pmtr
