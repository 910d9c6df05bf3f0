// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include <cmath>
#include <system_error>

#include <fmt/format.h>

#include "pmtr/mesh/measures.h"
#include "pmtr/report/record/result_files.h"

namespace pmtr {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return !path.empty() && fs::is_regular_file(path, ignored);
}

/// Surfaces do not change by being moved; a thousandth is room for another unit of rounding.
bool same_surface(const PartShape& recorded, const TriangleMesh& mesh) {
  if (!(recorded.area > 0.0)) return true;  // not recorded, or a cloud
  return std::abs(surface_area(mesh) - recorded.area) <= 1e-3 * recorded.area;
}

}  // namespace

Result<std::vector<MeshFile>> find_fragments(const fs::path& folder, const AssemblyRecord& record,
                                             const std::optional<fs::path>& fragments, bool accept_placed,
                                             const Listener& listener) {
  const AssemblyContext& context = record.context;
  const std::vector<std::string> names = context.names();
  std::vector<MeshFile> files;
  for (std::size_t i = 0; i < context.files.size(); ++i) {
    const fs::path given(context.files[i]);
    std::vector<fs::path> places;
    if (fragments) {
      places = {*fragments / names[i]};
    } else {
      const fs::path relative(context.relative_files.empty() ? "" : context.relative_files[i]);
      places = {relative.empty() ? fs::path() : (folder / relative).lexically_normal(), given};
    }
    fs::path found;
    for (const fs::path& place : places) {
      if (found.empty() && is_file(place)) found = place;
    }
    const fs::path copy = context.placed_files.empty() || context.placed_files[i].empty()
                              ? folder / names[i]
                              : folder / context.placed_files[i];
    const bool placed_copy =
        found.empty() && accept_placed && record.assembly.parts[i].placed && is_file(copy);
    if (placed_copy) found = copy;
    if (found.empty()) {
      return error_at(given, Cause::unreadable,
                      "the fragment is not there any more; say where the fragments are (--fragments)");
    }
    PMTR_TRY(MeshFile file, read_mesh_file(found));
    for (const std::string& warning : file.warnings) listener.warn(found.string() + ": " + warning);
    if (!context.shapes.empty() && !same_surface(context.shapes[i], file.mesh)) {
      return error_at(found, Cause::mismatch,
                      "is not the fragment that was assembled: its surface has another area");
    }
    if (placed_copy) file.mesh = moved(file.mesh, record.assembly.parts[i].world_from_part.inverse());
    files.push_back(std::move(file));
    listener.advance("read", static_cast<std::int64_t>(i) + 1,
                     static_cast<std::int64_t>(context.files.size()));
  }
  return files;
}

}  // namespace pmtr
