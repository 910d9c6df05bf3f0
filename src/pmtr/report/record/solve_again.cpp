// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/record/solve_again.h"

#include <utility>

#include "pmtr/assemble/apply_decisions.h"

namespace pmtr {

Result<AssemblyRecord> decide_again(AssemblyRecord record, const Constraints& constraints,
                                    const Listener& listener) {
  AssemblyContext& context = record.context;
  Assembly automatic =
      context.automatic ? *std::exchange(context.automatic, std::nullopt) : std::move(record.assembly);
  PMTR_TRY(context.decisions, apply_constraints(context.names(), automatic.joints, constraints));
  PMTR_TRY(record.assembly, apply_decisions(automatic, context.shapes, context.decisions, context.object_size,
                                            context.solve, listener));
  if (!context.decisions.none()) context.automatic = std::move(automatic);
  return record;
}

Result<AssemblyRecord> solve_again(const std::filesystem::path& folder, std::span<const MeshFile> files,
                                   const Constraints& constraints, const ResultOptions& options,
                                   Threads& threads, const Listener& listener) {
  PMTR_TRY(AssemblyRecord record, read_assembly(folder));
  if (record.assembly.parts.size() != files.size())
    return error_at(folder / "assembly.json", Cause::mismatch,
                    "has changed: it holds another number of fragments");
  record.context.shapes.clear();
  for (const MeshFile& file : files) record.context.shapes.push_back(shape_of(file.mesh));
  PMTR_TRY(record, decide_again(std::move(record), constraints, listener));
  PMTR_TRY_STATUS(write_results(folder, files, record, options, threads, listener));
  return record;
}

}  // namespace pmtr
