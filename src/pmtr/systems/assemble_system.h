// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "pmtr/core/listener.h"
#include "pmtr/evaluate/evaluate_objects.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "pmtr/network/choose_weights.h"
#include "pmtr/pipeline/assemble_request.h"
#include "pmtr/report/record/assembly_json.h"
#include "pmtr/systems/system.h"

namespace pmtr {

/// A system that a piece of work is done with.
struct ChosenSystem {
  const SystemInfo* info = nullptr;
  std::string weights;  ///< for results: the system and the file of its weights, or that it is untrained
  std::optional<System> system;          ///< but for SystemKind::network
  std::optional<ChosenWeights> network;  ///< of SystemKind::network
};

/// With the weights of a file, or untrained with "none"; no weights of systems come with the program.
Result<ChosenSystem> choose_system(const std::string& name,
                                   const std::optional<std::filesystem::path>& weights, std::uint64_t seed,
                                   const Listener& listener);

struct SystemAssembly {
  Assembly assembly;         ///< every part is placed; by regression no joint is known
  double object_size = 0.0;  ///< longest side of the whole object, as it was taken
};

/// Where the system puts the fragments. The largest stays where its mesh has it, the others move to it.
/// `object_size` is the longest side of the whole object; nothing: it is estimated.
Result<SystemAssembly> assemble_by_system(std::span<const TriangleMesh* const> meshes, const System& system,
                                          std::optional<double> object_size, std::uint64_t seed,
                                          Threads& threads, const Listener& listener);

/// The same as something to be evaluated, for every kind of system. Holds a reference to it.
Result<Assembler> make_system_assembler(const ChosenSystem& chosen, std::uint64_t seed);

/// The same of files: all that assembly.json tells. What a request asks of the search for joints (place_all,
/// exhaustive, constraints ...) is Cause::invalid_option: there is none of ours.
Result<AssemblyRecord> assemble_files_by_system(std::span<const MeshFile> files, const ChosenSystem& chosen,
                                                const AssembleRequest& request, Threads& threads,
                                                const Listener& listener);

}  // namespace pmtr
