// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <algorithm>
#include <cmath>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/core/index.h"
#include "pmtr/pipeline/project_files.h"
#include "pmtr/pipeline/project_stages.h"
#include "pmtr/pipeline/usable_scans.h"
#include "pmtr/project/kept_file.h"
#include "pmtr/sample/object_scale.h"

namespace pmtr {
namespace {

Result<ProjectFragment> measure_fragment(const std::filesystem::path& path, std::size_t number,
                                         Threads& threads, const Listener& listener) {
  ProjectFragment fragment;
  fragment.file = path.string();
  PMTR_TRY(const std::vector<std::byte> bytes, read_file(path));
  fragment.digest = digest_of(bytes);
  fragment.bytes = bytes.size();
  PMTR_TRY(const MeshFile file, read_mesh_file(path));
  for (const std::string& warning : file.warnings)
    listener.warn(fmt::format("{}: {}", path.string(), warning));
  AssembleOptions options;
  options.names = {path.string()};
  const std::vector<const TriangleMesh*> given{&file.mesh};
  PMTR_TRY(const UsableScans scans, make_usable(given, options, threads, listener));
  const TriangleMesh& surface = *scans.surfaces()[0];
  PMTR_TRY(fragment.diameter, fragment_diameter(surface, number));
  PMTR_TRY(fragment.area, fragment_area(surface, number));
  return fragment;
}

Result<std::vector<ProjectFragment>> measure_fragments(std::span<const std::filesystem::path> paths,
                                                       std::size_t first, Threads& threads,
                                                       const Listener& listener) {
  std::vector<ProjectFragment> fragments(paths.size());
  std::vector<Status> states(paths.size());
  run_with_progress(threads, static_cast<std::int64_t>(paths.size()), "measure", listener,
                    [&](std::int64_t task) {
                      const auto i = static_cast<std::size_t>(task);
                      auto measured = measure_fragment(paths[i], first + i, threads, listener);
                      if (measured.ok()) {
                        fragments[i] = *std::move(measured);
                      } else {
                        states[i] = measured.error();
                      }
                    });
  if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
  for (const Status& state : states) PMTR_TRY_STATUS(state);
  return fragments;
}

/// A project is read from anywhere, so its files are named in full.
std::filesystem::path full_path(const std::filesystem::path& path) {
  std::error_code ignored;
  const auto full = std::filesystem::weakly_canonical(path, ignored);
  return ignored ? std::filesystem::absolute(path, ignored) : full;
}

Result<double> size_from(std::span<const ProjectFragment> fragments, int objects) {
  std::vector<double> diameters;
  for (const ProjectFragment& fragment : fragments) diameters.push_back(fragment.diameter);
  return object_size_of(diameters, objects);
}

double area_of(std::span<const ProjectFragment> fragments) {
  double area = 0.0;
  for (const ProjectFragment& fragment : fragments) area += fragment.area;
  return area;
}

/// Only weights whose features of a fragment are the same for all its partners can be kept.
Result<std::string> copy_weights(const ProjectFolder& folder, const std::filesystem::path& weights) {
  PMTR_TRY(const std::vector<std::byte> bytes, read_file(weights));
  PMTR_TRY(const FragmentEncoder encoder, load_encoder(weights));
  const NetworkOptions& network = encoder.options();
  if (!network.sees_breaks() || !network.break_cloud || network.norm_scope != NormScope::fragment ||
      !encoder.encodes_alone())
    return error_at(
        weights, Cause::unsupported,
        "what these weights say of a fragment depends on its partner, or they read no breaks; a project "
        "needs weights like the bundled ones (pmtr assemble takes all)");
  PMTR_TRY_STATUS(write_file(folder.path() / "weights" / weights.filename(), bytes));
  return digest_of(bytes);
}

}  // namespace

Result<Project> init_project(const ProjectFolder& folder, const ProjectStart& start, Threads& threads,
                             const Listener& listener) {
  PMTR_TRY_STATUS(start.request.validate());
  if (start.files.size() < 2) return Error{Cause::empty, "a project needs at least two fragments", {}};
  std::vector<std::filesystem::path> paths;
  for (const auto& file : start.files) paths.push_back(full_path(file));
  Project project;
  project.program = start.program;
  project.seed = start.request.seed;
  project.points = start.request.points;
  project.objects = start.request.objects;
  project.units = start.request.units;
  project.block = start.block;
  project.weights = start.weights.filename().string();
  PMTR_TRY(project.fragments, measure_fragments(paths, 0, threads, listener));
  project.first_fragments = static_cast<int>(project.fragments.size());
  project.area = area_of(project.fragments);
  project.size_is_given = start.request.object_size.has_value();
  if (project.size_is_given) {
    project.object_size = *start.request.object_size;
  } else {
    PMTR_TRY(project.object_size, size_from(project.fragments, project.objects));
    listener.say(fmt::format("estimated longest side of {}: {:.4g}",
                             project.objects == 1 ? "the whole object" : "an object", project.object_size));
  }
  if (project.block < 1) return invalid_option("a block has at least one fragment");
  project.blocks = add_blocks({}, project.first_fragments, project.block);
  PMTR_TRY_STATUS(folder.make_folders());
  PMTR_TRY(project.weights_digest, copy_weights(folder, start.weights));
  std::error_code ignored;
  if (std::filesystem::exists(folder.project_file(), ignored)) {
    PMTR_TRY(const Project there, folder.read(start.program));
    if (format_project(there) == format_project(project)) return project;
    return error_at(folder.path(), Cause::mismatch,
                    "holds another project already; pmtr project add adds fragments to it");
  }
  PMTR_TRY_STATUS(folder.write(project));
  return project;
}

Result<Project> add_fragments(const ProjectFolder& folder, Project project,
                              std::span<const std::filesystem::path> files, Threads& threads,
                              const Listener& listener) {
  std::set<std::string> there;
  for (const ProjectFragment& fragment : project.fragments) there.insert(fragment.file);
  std::vector<std::filesystem::path> paths;
  for (const auto& file : files) {
    const auto path = full_path(file);
    if (there.insert(path.string()).second) {
      paths.push_back(path);
    } else {
      listener.say(fmt::format("{}: is in the project already", path.string()));
    }
  }
  if (paths.empty()) return project;
  PMTR_TRY(const std::vector<ProjectFragment> more,
           measure_fragments(paths, project.fragments.size(), threads, listener));
  project.fragments.insert(project.fragments.end(), more.begin(), more.end());
  project.blocks = add_blocks(std::move(project.blocks), static_cast<int>(more.size()), project.block);
  PMTR_TRY(const double anew, size_from(project.fragments, project.objects));
  listener.say(fmt::format(
      "{} fragments more; what was encoded and matched stays, with the longest side {:.4g} ({}) and the "
      "density of "
      "points of the first {} fragments",
      more.size(), project.object_size,
      project.size_is_given ? "given" : fmt::format("estimated from all, it would be {:.4g}", anew),
      project.first_fragments));
  const double density = area_of(project.fragments) / project.area;
  if ((!project.size_is_given && std::abs(anew / project.object_size - 1.0) > 0.1) || density > 1.5)
    listener.warn(
        fmt::format("all fragments together have {:.2f} times the surface of the first ones: pmtr assemble, "
                    "or a new project, "
                    "would sample them otherwise and may put them together otherwise",
                    density));
  PMTR_TRY_STATUS(folder.write(project));
  return project;
}

}  // namespace pmtr
