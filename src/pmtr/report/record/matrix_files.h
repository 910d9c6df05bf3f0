// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <filesystem>
#include <string>

#include "pmtr/report/record/assembly_json.h"

namespace pmtr {

/// One line per fragment: file, placed, component, then the sixteen numbers of world_from_part row by row.
std::string matrices_csv(const AssemblyRecord& record);

/// Four lines of four numbers, as CloudCompare reads them (Edit > Apply transformation > ASCII file).
std::string cloudcompare_matrix(const Rigid3& world_from_part);

/// A MeshLab project that shows the placed fragments: the original files, each with its matrix. It stands in
/// the folder of the results, whose view of the files is AssemblyContext::relative_files.
std::string meshlab_project(const AssemblyRecord& record);

/// "&", "<", ">" and quotes as XML and HTML want them; control characters are left out.
std::string markup_escaped(std::string_view text);

}  // namespace pmtr
