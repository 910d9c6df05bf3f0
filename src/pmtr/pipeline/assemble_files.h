// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "pmtr/mesh/io/mesh_file.h"
#include "pmtr/network/choose_weights.h"
#include "pmtr/pipeline/assemble_fragments.h"
#include "pmtr/pipeline/assemble_request.h"
#include "pmtr/report/record/assembly_json.h"

namespace pmtr {

/// The fragments of an assembly. A file that is given twice is Cause::mismatch.
Result<std::vector<MeshFile>> read_fragments(std::span<const std::filesystem::path> paths,
                                             const Listener& listener);

/// What a request asks of the stages; `names` are what warnings call the fragments.
AssembleOptions options_of(const AssembleRequest& request, std::vector<std::string> names);

/// What is told of a finished assembly, decisions applied; `trained` are its weights.
Result<AssemblyRecord> record_of(AssembleResult result, std::span<const MeshFile> files,
                                 const std::string& weights, bool trained, const AssembleRequest& request,
                                 const Listener& listener);

/// All that assembly.json tells, but for what depends on the folder that it is written to. With `kept` it
/// goes on where an assembly of the same fragments was interrupted, and comes to the same.
Result<AssemblyRecord> assemble_files(std::span<const MeshFile> files, const ChosenWeights& weights,
                                      const AssembleRequest& request, Threads& threads,
                                      const Listener& listener, KeptWork* kept = nullptr);

}  // namespace pmtr
