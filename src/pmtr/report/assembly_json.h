// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "pmtr/assemble/assembly.h"

namespace pmtr {

/// What assembly.json says besides the assembly itself.
struct AssemblyContext {
  std::vector<std::string> files;  ///< one per part, as given
  std::uint64_t seed = 0;
  std::string units;    ///< empty: not given
  std::string weights;  ///< file name, or "untrained"
  double object_size = 0.0;
  std::map<std::string, double> timing_ms;
  double peak_rss_mb = 0.0;
};

/// The text of assembly.json, version 1 (docs/report.md). Numbers that were not measured are null.
std::string assembly_json(const Assembly& assembly, const AssemblyContext& context);

}  // namespace pmtr
