// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <optional>

#include <nlohmann/json_fwd.hpp>

namespace pmtr::command {

/// Loading torch costs 0.6 s and 170 MB, so `pmtr` is linked without it, and the commands that need the
/// network live in a second program, pmtr-network. `pmtr` declares their options as well: it answers --help
/// and usage errors itself, and replaces itself with pmtr-network (execv) when the command line is right.
/// A module loaded by dlopen would do the same, but would need one set of symbols shared by both sides; a
/// program has nothing to share but its command line, and its torch-free half cannot be linked wrongly.

/// Beside this program (build tree) or in libexec (installed); empty if this build has no network.
std::optional<std::filesystem::path> find_network_program();

/// `pmtr`, asked of its second half; just its name where it is not found.
std::filesystem::path front_program();

/// Continues as pmtr-network with the same command line. Returns an exit code only if it cannot.
int continue_in_network_program(char** argv);

/// What `pmtr-network --versions` prints, asked in a child process: torch's version and its BLAS library.
/// {"error": "..."} if it cannot be asked.
nlohmann::json ask_network_versions(const std::filesystem::path& program);

}  // namespace pmtr::command
