// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/record/result_files.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <system_error>

#include <fmt/format.h>

#include "pmtr/core/file.h"
#include "pmtr/mesh/io/glb/glb.h"
#include "pmtr/render/png.h"
#include "pmtr/report/page/assembly_pictures.h"
#include "pmtr/report/page/report_html.h"
#include "pmtr/report/record/distinct_names.h"
#include "pmtr/report/record/matrix_files.h"

namespace pmtr {
namespace {

namespace fs = std::filesystem;

constexpr std::array our_names = {"assembly.json",    "assembly.glb", "assembly.mlp", "matrices.csv",
                                  "constraints.json", "report.html",  "assembly.png", "exploded.png",
                                  "joints.png",       "matrices",     "breaks.bin"};

Status make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return error_at(folder, Cause::unwritable, "cannot create the folder: " + error.message());
  return {};
}

/// Where each fragment's moved copy goes, relative to the folder of the results: beside each other, but in a
/// folder of its own where a companion of another fragment has the same name and another content.
Result<std::vector<std::string>> placed_names(std::span<const MeshFile> files) {
  std::map<std::string, std::pair<const std::vector<std::byte>*, bool>> seen;  // name to content and clash
  std::vector<std::string> paths;
  for (const MeshFile& file : files) paths.push_back(file.path.string());
  const std::vector<std::string> own = distinct_names(paths);
  std::set<std::string> names;  // what stands in the folder of the results: files, and folders of others
  for (std::size_t i = 0; i < files.size(); ++i) {
    const MeshFile& file = files[i];
    const std::string first = own[i].substr(0, own[i].find('/'));
    if (std::find(our_names.begin(), our_names.end(), first) != our_names.end()) {
      return error_at(file.path, Cause::mismatch, "has the name of a file of the results; rename it");
    }
    names.insert(first);
    for (const CompanionFile& companion : file.companions) {
      auto& [content, clash] = seen[companion.relative_path.generic_string()];
      if (content != nullptr && *content != companion.bytes) clash = true;
      content = &companion.bytes;
    }
  }
  std::vector<std::string> out;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const MeshFile& file = files[i];
    const bool alone =
        std::any_of(file.companions.begin(), file.companions.end(), [&](const CompanionFile& companion) {
          const std::string name = companion.relative_path.generic_string();
          const std::string first = name.substr(0, name.find('/'));
          return seen[name].second || names.contains(first) ||
                 std::find(our_names.begin(), our_names.end(), first) != our_names.end();
        });
    const fs::path name(own[i]);
    out.push_back(
        alone ? (name.parent_path() / (name.stem().string() + "_files") / name.filename()).generic_string()
              : own[i]);
  }
  return out;
}

Status refuse_overwriting(const fs::path& folder, std::span<const MeshFile> files,
                          const std::vector<std::string>& placed) {
  for (const std::string& name : placed) {
    std::error_code ignored;  // one that does not exist is not the same
    if (!fs::exists(folder / name, ignored)) continue;
    for (const MeshFile& file : files) {
      if (fs::equivalent(file.path, folder / name, ignored))
        return error_at(file.path, Cause::unwritable,
                        "is in the folder of the results; inputs are never overwritten");
    }
  }
  return {};
}

void describe(const fs::path& folder, std::span<const MeshFile> files, AssemblyContext& context) {
  context.relative_files.clear();
  context.shapes.clear();
  for (const MeshFile& file : files) {
    std::error_code error;
    fs::path relative = fs::relative(file.path, folder, error);
    if (error || relative.empty()) relative = fs::absolute(file.path, error);
    context.relative_files.push_back(relative.generic_string());
    context.shapes.push_back(shape_of(file.mesh));
  }
}

Status write_glb(const fs::path& folder, std::span<const MeshFile> files, const AssemblyRecord& record,
                 const Listener& listener) {
  std::vector<GlbPart> parts;
  const std::vector<std::string> names = record.context.names();
  for (std::size_t i = 0; i < files.size(); ++i) {
    const PlacedPart& part = record.assembly.parts[i];
    if (!part.placed) continue;
    parts.push_back({names[i], &files[i].mesh, part.world_from_part, part.component});
  }
  const auto bytes = format_glb_scene(parts);
  if (!bytes.ok()) {
    listener.warn("assembly.glb is not written: " + bytes.error().message);
    return {};
  }
  return write_file(folder / "assembly.glb", *bytes);
}

/// Removes what an earlier assembly of this folder placed and this one does not. Never an input file.
void remove_stale(const fs::path& folder, const AssemblyRecord& before, const AssemblyRecord& now,
                  std::span<const MeshFile> files) {
  const std::vector<std::string> names = before.context.names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!before.assembly.parts[i].placed) continue;
    const std::string& listed = before.context.placed_files[i];
    const std::string& name = listed.empty() ? names[i] : listed;  // earlier versions did not list it
    const bool kept = i < now.context.placed_files.size() && now.assembly.parts[i].placed &&
                      now.context.placed_files[i] == name;
    // The name comes from a file: it must not lead out of the folder.
    const fs::path relative = fs::path(name).lexically_normal();
    if (kept || relative.is_absolute() || relative.begin() == relative.end() || *relative.begin() == "..")
      continue;
    const fs::path stale = folder / relative;
    std::error_code ignored;
    const bool is_input = std::any_of(files.begin(), files.end(), [&](const MeshFile& file) {
      return fs::equivalent(file.path, stale, ignored);
    });
    const bool is_fragment = i < files.size() && stale.filename() == files[i].path.filename();
    if (is_fragment && !is_input) fs::remove(stale, ignored);
  }
}

Status write_matrices(const fs::path& folder, const AssemblyRecord& record) {
  PMTR_TRY_STATUS(write_file(folder / "matrices.csv", matrices_csv(record)));
  PMTR_TRY_STATUS(write_file(folder / "assembly.mlp", meshlab_project(record)));
  const std::vector<std::string> names = record.context.names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const fs::path file = folder / "matrices" / (names[i] + ".txt");
    PMTR_TRY_STATUS(make_folder(file.parent_path()));
    std::error_code ignored;
    if (!record.assembly.parts[i].placed) {
      fs::remove(file, ignored);  // of an earlier assembly
      continue;
    }
    PMTR_TRY_STATUS(write_file(file, cloudcompare_matrix(record.assembly.parts[i].world_from_part)));
  }
  return {};
}

}  // namespace

std::vector<const TriangleMesh*> meshes_of(std::span<const MeshFile> files) {
  std::vector<const TriangleMesh*> meshes;
  for (const MeshFile& file : files) meshes.push_back(&file.mesh);
  return meshes;
}

Result<AssemblyRecord> read_assembly(const fs::path& folder) {
  const fs::path path = folder / "assembly.json";
  PMTR_TRY(const std::vector<std::byte> bytes, read_file(path, std::uint64_t{1} << 30U));
  return parse_assembly_json(as_text(bytes), path.string());
}

Status write_report(const fs::path& folder, std::span<const TriangleMesh* const> meshes,
                    const AssemblyRecord& record, bool light, Threads& threads, const Listener& listener) {
  PictureOptions picture_options;
  if (light) {
    picture_options.width = 800;
    picture_options.height = 600;
  }
  const AssemblyPictures pictures =
      draw_assembly(record, meshes, lay_out(record, meshes), picture_options, threads, listener);
  if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
  const std::array<std::pair<const char*, const std::optional<Image>*>, 3> images = {
      {{"assembly.png", &pictures.assembled},
       {"exploded.png", &pictures.exploded},
       {"joints.png", &pictures.joints}}};
  for (const auto& [name, image] : images) {
    std::error_code ignored;
    if (*image) {
      PMTR_TRY_STATUS(write_png(folder / name, **image));
    } else {
      fs::remove(folder / name, ignored);  // of an earlier assembly
    }
  }
  if (listener.stop()) return Error{Cause::cancelled, "stopped", {}};
  PMTR_TRY(const std::string html,
           report_html(record, meshes, pictures, light ? ReportOptions::light() : ReportOptions{}, threads,
                       listener));
  return write_file(folder / "report.html", html);
}

Status write_record(const fs::path& folder, std::span<const MeshFile> files, AssemblyRecord& record) {
  PMTR_TRY_STATUS(write_decision(folder, files, record));
  if (record.context.seen) return write_file(folder / "breaks.bin", format_seen_breaks(*record.context.seen));
  std::error_code ignored;
  fs::remove(folder / "breaks.bin", ignored);  // of an earlier assembly
  return {};
}

Status write_decision(const fs::path& folder, std::span<const MeshFile> files, AssemblyRecord& record) {
  PMTR_CHECK(files.size() == record.assembly.parts.size(), "a file for every part");
  PMTR_TRY(record.context.placed_files, placed_names(files));
  PMTR_TRY_STATUS(refuse_overwriting(folder, files, record.context.placed_files));
  PMTR_TRY_STATUS(make_folder(folder));
  describe(folder, files, record.context);
  PMTR_TRY_STATUS(write_file(folder / "assembly.json", assembly_json(record.assembly, record.context)));
  const Constraints constraints = constraints_of(record);
  if (!constraints.empty()) return write_file(folder / "constraints.json", format_constraints(constraints));
  std::error_code ignored;
  fs::remove(folder / "constraints.json", ignored);
  return {};
}

Status write_derived(const fs::path& folder, std::span<const MeshFile> files, const AssemblyRecord& record,
                     const ResultOptions& options, Threads& threads, const Listener& listener) {
  const Error stopped{Cause::cancelled, "stopped", {}};
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (listener.stop()) return stopped;
    if (!record.assembly.parts[i].placed) continue;
    const fs::path place = (folder / record.context.placed_files[i]).parent_path();
    PMTR_TRY_STATUS(make_folder(place));
    PMTR_TRY_STATUS(write_moved(files[i], record.assembly.parts[i].world_from_part, place));
  }
  // What an earlier decision placed.
  AssemblyRecord all = record;
  for (PlacedPart& part : all.assembly.parts) part.placed = true;
  remove_stale(folder, all, record, files);
  PMTR_TRY_STATUS(write_matrices(folder, record));
  if (listener.stop()) return stopped;
  PMTR_TRY_STATUS(write_glb(folder, files, record, listener));
  if (listener.stop()) return stopped;
  if (!options.report) return {};
  return write_report(folder, meshes_of(files), record, options.light, threads, listener);
}

Status write_results(const fs::path& folder, std::span<const MeshFile> files, AssemblyRecord& record,
                     const ResultOptions& options, Threads& threads, const Listener& listener) {
  const auto before = read_assembly(folder);
  PMTR_TRY_STATUS(write_record(folder, files, record));
  PMTR_TRY_STATUS(write_derived(folder, files, record, options, threads, listener));
  if (before.ok()) remove_stale(folder, *before, record, files);
  return {};
}

}  // namespace pmtr
