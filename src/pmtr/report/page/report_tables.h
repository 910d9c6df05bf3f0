// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "pmtr/render/image.h"
#include "pmtr/report/record/assembly_json.h"

/// The parts of report.html that are text.
namespace pmtr::report_tables {

using Facts = std::vector<std::pair<std::string, std::string>>;  ///< name and value, as shown

std::string css_colour(Rgb colour);  ///< "#rrggbb"

std::string fragment_table(const AssemblyRecord& record);
std::string joint_table(const AssemblyRecord& record);
std::string notes(const AssemblyRecord& record);

Facts part_facts(const AssemblyRecord& record, std::size_t part);
Facts joint_facts(const AssemblyRecord& record, std::size_t joint);

}  // namespace pmtr::report_tables
