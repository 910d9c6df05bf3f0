// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>

#include "pmtr/report/record/assembly_json.h"

namespace pmtr::command {

/// Says what came of an assembly, joint by joint, and where it was written; returns the exit code.
int tell_assembly(const AssemblyRecord& record, const std::filesystem::path& out, bool has_report);

}  // namespace pmtr::command
