// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <string>

#include "pmtr/report/record/assembly_json.h"

namespace pmtr::command {

/// Says what came of an assembly, joint by joint, and where it was written; returns the exit code. `system`
/// placed the fragments, if not empty: such a system knows no joints.
int tell_assembly(const AssemblyRecord& record, const std::filesystem::path& out, bool has_report,
                  const std::string& system = {});

}  // namespace pmtr::command
