// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/usable_scans.h"

#include <string>
#include <utility>

#include <fmt/format.h>

#include "pmtr/scan/scan_faults.h"

namespace pmtr {
namespace {

std::string name_of(const AssembleOptions& options, std::size_t i) {
  return i < options.names.size() ? options.names[i] : fmt::format("fragment {}", i);
}

/// A fragment as it can be used: a cloud that came without normals with what its points tell of them, a mesh
/// with its faults cured. Nothing where it can be used as it is.
Result<std::optional<TriangleMesh>> usable(const TriangleMesh& mesh, const std::string& name,
                                           const AssembleOptions& options, Threads& threads,
                                           std::vector<std::string>& warnings) {
  if (const Status state = check_mesh(mesh); !state.ok())
    return Error{state.error().cause, name + ": " + state.error().message, state.error().place};
  if (lacks_normals(mesh)) {
    auto normals = estimate_normals(mesh.vertices, options.normals, threads);
    if (!normals.ok()) return Error{normals.error().cause, name + ": " + normals.error().message, {}};
    warnings.push_back(fmt::format(
        "{}: points without normals; they were estimated, and at {:.0f} % of the points it is clear where "
        "outside is{}",
        name, 100.0 * normals->sure,
        normals->sure < doubtful_normals ? ": too few, look at the result with care" : ""));
    TriangleMesh cloud;
    cloud.vertices = mesh.vertices;
    cloud.normals = std::move(normals->normals);
    return std::optional(std::move(cloud));
  }
  TriangleMesh plain;  // without what it looks like
  plain.vertices = mesh.vertices;
  plain.faces = mesh.faces;
  const ScanFaults faults = find_faults(plain);
  for (const std::string& text : describe_faults(faults)) warnings.push_back(name + ": " + text);
  if (!faults.mendable()) return std::optional<TriangleMesh>();
  return std::optional(mend_scan(std::move(plain), faults));
}

}  // namespace

std::vector<const TriangleMesh*> UsableScans::surfaces() const {
  std::vector<const TriangleMesh*> surfaces = given_;
  for (std::size_t i = 0; i < mended_.size(); ++i) {
    if (mended_[i]) surfaces[i] = &*mended_[i];
  }
  return surfaces;
}

Result<UsableScans> make_usable(std::span<const TriangleMesh* const> meshes, const AssembleOptions& options,
                                Threads& threads, const Listener& listener) {
  std::vector<std::optional<TriangleMesh>> mended(meshes.size());
  std::vector<Status> states(meshes.size());
  std::vector<std::vector<std::string>> warnings(meshes.size());
  run_tasks(threads, static_cast<std::int64_t>(meshes.size()), [&](std::int64_t task) {
    const auto i = static_cast<std::size_t>(task);
    auto result = usable(*meshes[i], name_of(options, i), options, threads, warnings[i]);
    if (result.ok()) {
      mended[i] = std::move(result).value();
    } else {
      states[i] = result.error();
    }
  });
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    PMTR_TRY_STATUS(states[i]);
    for (const std::string& warning : warnings[i]) listener.warn(warning);
  }
  if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
  return UsableScans(meshes, std::move(mended));
}

}  // namespace pmtr
