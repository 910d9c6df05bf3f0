// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "pmtr/core/listener.h"
#include "pmtr/core/threads.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "pmtr/report/record/assembly_json.h"

namespace pmtr {

struct ResultOptions {
  bool report = true;  ///< report.html and the pictures
  bool light = false;  ///< a small report.html
};

/// The folder of the results gets assembly.json first, which is the truth, then what is made from it:
/// the placed fragments, assembly.glb, matrices.csv, matrices/<file>.txt (CloudCompare), assembly.mlp
/// (MeshLab), breaks.bin where the breaks were seen, constraints.json where there are decisions, and the
/// report. Sets the lists of `record.context` that depend on the folder. A fragment whose name is that of one
/// of these files is Cause::mismatch. Fragments whose textures would overwrite each other get folders of
/// their own.
Status write_results(const std::filesystem::path& folder, std::span<const MeshFile> files,
                     AssemblyRecord& record, const ResultOptions& options, Threads& threads,
                     const Listener& listener);

/// The first half of it: assembly.json, breaks.bin and constraints.json, small and quickly written.
Status write_record(const std::filesystem::path& folder, std::span<const MeshFile> files,
                    AssemblyRecord& record);
/// The same after another decision about what write_record has written: breaks.bin, which no decision changes
/// and which is the largest of them, stays.
Status write_decision(const std::filesystem::path& folder, std::span<const MeshFile> files,
                      AssemblyRecord& record);
/// The second half: what is made from a record that write_record has written. Stops with Cause::cancelled
/// between two files.
Status write_derived(const std::filesystem::path& folder, std::span<const MeshFile> files,
                     const AssemblyRecord& record, const ResultOptions& options, Threads& threads,
                     const Listener& listener);

/// Only report.html, assembly.png, exploded.png and joints.png.
Status write_report(const std::filesystem::path& folder, std::span<const TriangleMesh* const> meshes,
                    const AssemblyRecord& record, bool light, Threads& threads, const Listener& listener);

/// assembly.json of a folder.
Result<AssemblyRecord> read_assembly(const std::filesystem::path& folder);

/// The original fragments of an assembly: in `fragments` if given, else where assembly.json says, seen from
/// here or from its folder. With `accept_placed`, a placed copy in the folder is moved back and does as well.
/// One whose surface is not the one that was assembled is Cause::mismatch.
Result<std::vector<MeshFile>> find_fragments(const std::filesystem::path& folder,
                                             const AssemblyRecord& record,
                                             const std::optional<std::filesystem::path>& fragments,
                                             bool accept_placed, const Listener& listener);

/// What the rest of the program asks of meshes.
std::vector<const TriangleMesh*> meshes_of(std::span<const MeshFile> files);

}  // namespace pmtr
