// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pmtr/assemble/assembly.h"
#include "pmtr/assemble/constraints.h"
#include "pmtr/assemble/part_shape.h"
#include "pmtr/assemble/solve_joints.h"
#include "pmtr/report/record/seen_breaks.h"

namespace pmtr {

/// What assembly.json says besides the assembly itself. Lists are empty or have one entry per part.
struct AssemblyContext {
  std::vector<std::string> files;           ///< as given
  std::vector<std::string> relative_files;  ///< the same, seen from the folder of the results
  std::vector<std::string> placed_files;    ///< where the moved copy stands in that folder; empty: not placed
  std::vector<PartShape> shapes;            ///< what solving again needs to know of a fragment
  AppliedConstraints decisions;             ///< lists may be empty: nobody decided anything
  /// Where there are decisions: the assembly as it was without any. Solving again begins there, so that a
  /// decision taken back leaves no trace.
  std::optional<Assembly> automatic;
  /// What was seen of the breaks (breaks.bin, beside assembly.json); nothing where nobody kept it.
  std::shared_ptr<const SeenBreaks> seen;
  SolveOptions solve;  ///< what made the assembly, and solves it again
  std::uint64_t seed = 0;
  std::string units;                  ///< empty: not given
  std::string weights;                ///< file name, or "untrained"
  double object_size = 0.0;           ///< longest side of the whole object, as it was taken
  double unit = 0.0;                  ///< what lengths of `solve` are shares of; 0: object_size
  std::optional<bool> size_is_given;  ///< by a person; false: estimated; earlier versions did not say it
  std::map<std::string, double> timing_ms;
  double peak_rss_mb = 0.0;

  double solver_unit() const { return unit > 0.0 ? unit : object_size; }
  Decision decision(std::size_t joint) const {
    return decisions.joints.empty() ? Decision::none : decisions.joints[joint];
  }
  bool dropped(std::size_t part) const { return !decisions.dropped.empty() && decisions.dropped[part]; }
  /// What fragments are called: file names, with folders where two have one name (distinct_names).
  std::vector<std::string> names() const;
};

/// An assembly with everything that is told about it: the content of assembly.json.
struct AssemblyRecord {
  Assembly assembly;
  AssemblyContext context;
};

/// Why a joint is used or not, in one word: its fate, or "rejected" and "dropped" where a person decided.
std::string fate_word(const AssemblyRecord& record, std::size_t joint);

/// The text of assembly.json, version 1 (docs/report.md). Numbers that were not measured are null.
std::string assembly_json(const Assembly& assembly, const AssemblyContext& context);

/// Reads it again, strictly: what is missing, of the wrong type or impossible is an error that names the key.
Result<AssemblyRecord> parse_assembly_json(std::string_view text, const std::string& file);

/// The decisions of a record, to be written as constraints.json.
Constraints constraints_of(const AssemblyRecord& record);

}  // namespace pmtr
