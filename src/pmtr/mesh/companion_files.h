// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pmtr/mesh/mesh_file.h"

namespace pmtr {

/// A relative path that stays below the folder it is relative to: no root, no "..", nothing empty. Both kinds
/// of slash count, because the names come from files written on other systems.
bool stays_inside(std::string_view relative_path);

/// Finds what an OBJ names (mtllib, and the map_ and other texture lines of those files) and reads what is
/// there. What is missing or leads out of the folder becomes a warning.
void read_obj_companions(std::string_view obj, const std::filesystem::path& folder,
                         std::vector<CompanionFile>& companions, std::vector<std::string>& warnings);

/// Reads one companion into the list, unless it is in it already. Null: it could not be read, with a warning.
const CompanionFile* read_companion(const std::string& relative_path, std::string_view kind,
                                    const std::filesystem::path& folder,
                                    std::vector<CompanionFile>& companions,
                                    std::vector<std::string>& warnings);

}  // namespace pmtr
