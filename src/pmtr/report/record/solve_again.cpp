// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/report/record/solve_again.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "pmtr/assemble/apply_decisions.h"
#include "pmtr/assemble/contact_refinement.h"
#include "pmtr/assemble/penetration.h"
#include "pmtr/core/index.h"

namespace pmtr {
namespace {

std::map<int, std::size_t> anchors_of(const Assembly& assembly) {
  std::map<int, std::size_t> anchors;
  for (std::size_t i = 0; i < assembly.parts.size(); ++i)
    if (assembly.parts[i].anchor) anchors[assembly.parts[i].component] = i;
  return anchors;
}

/// Parts that stand to each other as before any decision: of every component the largest such group stays,
/// the others were joined to it anew.
std::vector<bool> joined_anew(const Assembly& before, const Assembly& now, double object_size) {
  std::vector<bool> anew(now.parts.size(), false);
  std::map<int, std::vector<std::vector<std::size_t>>> groups;  // of each component
  for (std::size_t i = 0; i < now.parts.size(); ++i) {
    if (!now.parts[i].placed) continue;
    std::vector<std::vector<std::size_t>>& known = groups[now.parts[i].component];
    const auto with_me = std::find_if(known.begin(), known.end(), [&](const std::vector<std::size_t>& group) {
      const std::size_t k = group.front();
      const PlacedPart &then_k = before.parts[k], &then_i = before.parts[i];
      if (!then_k.placed || !then_i.placed || then_k.component != then_i.component) return false;
      const PoseDifference off =
          difference(then_k.world_from_part.inverse() * then_i.world_from_part,
                     now.parts[k].world_from_part.inverse() * now.parts[i].world_from_part);
      return off.angle_deg < 1e-6 && off.shift < 1e-9 * object_size;
    });
    if (with_me == known.end()) {
      known.push_back({i});
    } else {
      with_me->push_back(i);
    }
  }
  for (const auto& [component, known] : groups) {
    const auto largest = std::max_element(known.begin(), known.end(),
                                          [](const auto& x, const auto& y) { return x.size() < y.size(); });
    for (auto group = known.begin(); group != known.end(); ++group)
      for (const std::size_t i : *group) anew[i] = group != largest;
  }
  return anew;
}

/// What is joined anew, pulled onto its neighbours. Parts of locked joints and parts that were put somewhere
/// by hand stay where they are.
void refine_anew(const Assembly& before, std::span<const OrientedCloud> clouds, AssemblyRecord& record) {
  Assembly& now = record.assembly;
  const SeenBreaks& seen = *record.context.seen;
  const std::vector<bool> anew = joined_anew(before, now, record.context.object_size);
  std::set<int> changed;
  for (std::size_t i = 0; i < anew.size(); ++i)
    if (anew[i]) changed.insert(now.parts[i].component);
  if (changed.empty()) return;
  const std::map<int, std::size_t> anchors = anchors_of(now);
  Assembly moving = now;
  for (std::size_t i = 0; i < moving.parts.size(); ++i) {
    PlacedPart& part = moving.parts[i];
    part.placed = part.placed && changed.contains(part.component);
    part.anchor = part.anchor || !anew[i];
    if (part.placed)
      part.world_from_part =
          in_object_frame(part.world_from_part, seen.frame(anchors.at(part.component)), seen.frame(i));
  }
  for (std::size_t j = 0; j < now.joints.size(); ++j) {
    if (record.context.decision(j) != Decision::lock) continue;
    for (const int part : {now.joints[j].a, now.joints[j].b}) moving.parts[at(part)].anchor = true;
  }
  for (const AppliedPlacement& placed : record.context.decisions.placed)
    for (const int part : {placed.part, placed.on}) moving.parts[at(part)].anchor = true;
  const std::vector<PlacedPart> start = moving.parts;
  moving = refine_contacts(std::move(moving), clouds, {}, Threads::none()).assembly;
  for (std::size_t i = 0; i < now.parts.size(); ++i) {
    const Rigid3& pose = moving.parts[i].world_from_part;
    if (!start[i].placed || pose.matrix() == start[i].world_from_part.matrix()) continue;
    now.parts[i].world_from_part =
        in_input_frame(pose, seen.frame(anchors.at(now.parts[i].component)), seen.frame(i));
  }
  for (std::size_t j = 0; j < now.joints.size(); ++j) {
    const Joint& joint = now.joints[j];
    const PlacedPart& a = now.parts[at(joint.a)];
    const PlacedPart& b = now.parts[at(joint.b)];
    if (!now.verdicts[j].residual_deg || !a.placed || a.component != b.component) continue;
    const PartShape& shape_a = record.context.shapes[at(joint.a)];
    const PartShape& shape_b = record.context.shapes[at(joint.b)];
    const Rigid3 stands = a.world_from_part.inverse() * b.world_from_part;
    const PoseDifference off =
        difference(centred(joint.a_from_b, shape_a, shape_b), centred(stands, shape_a, shape_b));
    now.verdicts[j].residual_deg = off.angle_deg;
    now.verdicts[j].residual_shift = off.shift;
  }
}

}  // namespace

Result<AssemblyRecord> decide_again(AssemblyRecord record, const Constraints& constraints,
                                    const Listener& listener, std::span<const OrientedCloud> clouds) {
  AssemblyContext& context = record.context;
  Assembly automatic =
      context.automatic ? *std::exchange(context.automatic, std::nullopt) : std::move(record.assembly);
  PMTR_TRY(context.decisions, apply_constraints(context.names(), automatic.joints, constraints));
  std::vector<OrientedCloud> own;
  PairCheck check;
  if (context.seen && !context.decisions.none()) {
    if (clouds.empty()) {
      own = orient_seen(*context.seen, Threads::none());
      clouds = own;
    }
    check = [seen = context.seen, inside = refuse_penetration(clouds, {})](int a, int b,
                                                                           const Rigid3& a_from_b) {
      return inside(a, b, in_object_frame(a_from_b, seen->frame(at(a)), seen->frame(at(b))));
    };
  }
  PMTR_TRY(record.assembly, apply_decisions(automatic, context.shapes, context.decisions,
                                            context.solver_unit(), context.solve, listener, check));
  if (check) refine_anew(automatic, clouds, record);
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
  PMTR_TRY(record.context.seen, read_seen_breaks(folder, files.size()));
  record.context.shapes.clear();
  for (const MeshFile& file : files) record.context.shapes.push_back(shape_of(file.mesh));
  PMTR_TRY(record, decide_again(std::move(record), constraints, listener));
  PMTR_TRY_STATUS(write_results(folder, files, record, options, threads, listener));
  return record;
}

}  // namespace pmtr
