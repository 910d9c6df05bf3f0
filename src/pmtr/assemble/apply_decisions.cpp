// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/apply_decisions.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "pmtr/assemble/joint_weight.h"
#include "pmtr/assemble/number_groups.h"
#include "pmtr/averaging/rigid_groups.h"
#include "pmtr/averaging/rounding.h"
#include "pmtr/core/check.h"
#include "pmtr/core/index.h"

namespace pmtr {
namespace {

/// All that the steps below look at.
struct Case {
  const Assembly& automatic;
  std::span<const PartShape> parts;
  const AppliedConstraints& decisions;
  double object_size;
  const ChooseOptions& choose;

  const std::vector<Joint>& joints() const { return automatic.joints; }
  bool dropped(const Joint& joint) const {
    return decisions.dropped[at(joint.a)] || decisions.dropped[at(joint.b)];
  }
  /// Put somewhere by hand, and taken out of what held it before.
  bool taken_out(int part) const {
    return std::any_of(decisions.placed.begin(), decisions.placed.end(), [&](const AppliedPlacement& p) {
      const int before = automatic.parts[at(p.part)].component;
      return p.part == part && !(p.group && before != automatic.parts[at(p.on)].component);
    });
  }
  bool allowed(std::size_t j) const {
    return decisions.joints[j] != Decision::reject && !dropped(joints()[j]);
  }
  /// Where a joint's parts belong by it: as they stand if it is used, else where the joint itself says.
  Rigid3 wanted(const Joint& joint) const {
    if (joint.used)
      return automatic.parts[at(joint.a)].world_from_part.inverse() *
             automatic.parts[at(joint.b)].world_from_part;
    return {nearest_rotation(joint.a_from_b.rotation), joint.a_from_b.translation};
  }
  PoseDifference off(const Joint& joint, const Rigid3& stands) const {
    const PartShape& a = parts[at(joint.a)];
    const PartShape& b = parts[at(joint.b)];
    return difference(centred(joint.a_from_b, a, b), centred(stands, a, b));
  }
  bool agree(const PoseDifference& off) const {
    return off.angle_deg <= choose.rotation_tolerance_deg &&
           off.shift <= choose.shift_tolerance * object_size;
  }
};

/// What still holds together under the decisions.
struct Held {
  RigidGroups groups;
  std::set<int> moved;  ///< automatic components in which some part no longer stands as it did

  /// Joins two parts as they stand, without arithmetic where nothing has moved: poses keep their bits.
  void join(int a, int b, const Rigid3& a_from_b, const Assembly& automatic, bool as_they_stand) {
    const int component = automatic.parts[at(a)].component;
    if (as_they_stand && !moved.contains(component)) {
      groups.join_where_they_stand(a, b);
    } else {
      groups.join(a, b, a_from_b);
      for (const int part : {a, b}) moved.insert(automatic.parts[at(part)].component);
    }
  }
};

/// First what was put somewhere by hand, then what is locked, then, surest first, what was used and still may
/// be.
Result<Held> hold_together(const Case& given) {
  std::vector<Rigid3> standing;
  for (const PlacedPart& part : given.automatic.parts) standing.push_back(part.world_from_part);
  Held held{RigidGroups(std::move(standing)), {}};
  for (const AppliedPlacement& placed : given.decisions.placed) {
    const Rigid3 wanted{nearest_rotation(placed.on_from_part.rotation), placed.on_from_part.translation};
    if (!held.groups.together(placed.on, placed.part)) {
      held.join(placed.on, placed.part, wanted, given.automatic, false);
      continue;
    }
    Joint by_hand;
    by_hand.a = placed.on;
    by_hand.b = placed.part;
    by_hand.a_from_b = wanted;
    if (!given.agree(given.off(by_hand, held.groups.a_from_b(placed.on, placed.part))))
      return Error{Cause::mismatch, "fragments that were put somewhere by hand contradict each other", {}};
  }
  for (std::size_t j = 0; j < given.joints().size(); ++j) {
    const Joint& joint = given.joints()[j];
    if (given.decisions.joints[j] != Decision::lock || given.dropped(joint)) continue;
    if (!held.groups.together(joint.a, joint.b)) {
      held.join(joint.a, joint.b, given.wanted(joint), given.automatic, joint.used);
    } else if (!given.agree(given.off(joint, held.groups.a_from_b(joint.a, joint.b)))) {
      return Error{
          Cause::mismatch,
          fmt::format("the locked joints around parts {} and {} contradict each other", joint.a, joint.b),
          {}};
    }
  }
  std::vector<std::size_t> used;
  for (std::size_t j = 0; j < given.joints().size(); ++j) {
    if (given.joints()[j].used && given.allowed(j)) used.push_back(j);
  }
  std::stable_sort(used.begin(), used.end(), [&](std::size_t x, std::size_t y) {
    return given.joints()[x].confidence > given.joints()[y].confidence;
  });
  for (const std::size_t j : used) {
    const Joint& joint = given.joints()[j];
    // What a person took away does not draw the others after it.
    if (given.taken_out(joint.a) || given.taken_out(joint.b)) continue;
    if (!held.groups.together(joint.a, joint.b))
      held.join(joint.a, joint.b, given.wanted(joint), given.automatic, true);
  }
  return held;
}

/// Components of the automatic assembly that a decision is about: only they may be joined anew.
std::vector<bool> touched_parts(const Case& given) {
  std::set<int> components;
  std::vector<bool> touched(given.parts.size(), false);
  const auto touch = [&](int part) {
    touched[at(part)] = true;
    if (given.automatic.parts[at(part)].placed) components.insert(given.automatic.parts[at(part)].component);
  };
  for (std::size_t j = 0; j < given.joints().size(); ++j) {
    if (given.decisions.joints[j] == Decision::none) continue;
    touch(given.joints()[j].a);
    touch(given.joints()[j].b);
  }
  for (std::size_t i = 0; i < given.parts.size(); ++i) {
    if (given.decisions.dropped[i]) touch(static_cast<int>(i));
  }
  for (const AppliedPlacement& placed : given.decisions.placed) {
    touch(placed.part);
    touch(placed.on);
  }
  for (std::size_t i = 0; i < given.parts.size(); ++i) {
    const PlacedPart& part = given.automatic.parts[i];
    if (part.placed && components.contains(part.component)) touched[i] = true;
  }
  return touched;
}

/// The groups as parts of a smaller problem, and its solution.
struct Blocks {
  std::vector<std::vector<int>> members;
  std::vector<int> block_of;
  std::vector<bool> touched;          ///< per part: a decision is about it or about what it is joined to
  std::vector<PartShape> shapes;      ///< in the frames of the groups
  std::vector<Joint> joints;          ///< between them
  std::vector<std::size_t> original;  ///< number of each
};

Blocks blocks_of(const Case& given, const Held& held) {
  Blocks out;
  out.members = held.groups.members();
  out.block_of.resize(given.parts.size());
  for (std::size_t k = 0; k < out.members.size(); ++k) {
    PartShape whole;
    for (const int part : out.members[k]) {
      out.block_of[at(part)] = static_cast<int>(k);
      const double share = std::max(given.parts[at(part)].area, 1e-300);
      whole.centre += share * (held.groups.group_from_part(part) * given.parts[at(part)].centre);
      whole.area += share;
    }
    whole.centre /= whole.area;
    out.shapes.push_back(whole);
  }
  out.touched = touched_parts(given);
  for (std::size_t j = 0; j < given.joints().size(); ++j) {
    Joint joint = given.joints()[j];
    const int a = out.block_of[at(joint.a)];
    const int b = out.block_of[at(joint.b)];
    if (a == b || !given.allowed(j) || (!out.touched[at(joint.a)] && !out.touched[at(joint.b)])) continue;
    joint.a_from_b = held.groups.group_from_part(joint.a) * joint.a_from_b *
                     held.groups.group_from_part(joint.b).inverse();
    joint.a = a;
    joint.b = b;
    out.joints.push_back(joint);
    out.original.push_back(j);
  }
  return out;
}

/// Every component in the frame of its largest part.
void number_components(const Case& given, const std::vector<int>& component, Assembly& assembly) {
  for (const PartGroup& group : number_groups(given.parts, component, assembly)) {
    // The anchor of a component that nothing touched stands at the identity already.
    const Rigid3 world_from_anchor = assembly.parts[at(group.anchor)].world_from_part;
    const bool at_rest = world_from_anchor.matrix() == Eigen::Matrix4d::Identity();
    for (const int i : group.members) {
      PlacedPart& part = assembly.parts[at(i)];
      if (!at_rest) part.world_from_part = world_from_anchor.inverse() * part.world_from_part;
      if (part.anchor) part.world_from_part = {};
    }
  }
}

/// What becomes of the joints inside one group.
void judge_joints_inside_blocks(const Case& given, const Blocks& blocks, Assembly& assembly) {
  for (std::size_t j = 0; j < assembly.joints.size(); ++j) {
    Joint& joint = assembly.joints[j];
    if (!blocks.touched[at(joint.a)]) continue;
    JointVerdict& verdict = assembly.verdicts[j];
    const PlacedPart& a = assembly.parts[at(joint.a)];
    const PlacedPart& b = assembly.parts[at(joint.b)];
    if (blocks.block_of[at(joint.a)] != blocks.block_of[at(joint.b)] || !a.placed || !b.placed) continue;
    const PoseDifference off = given.off(joint, a.world_from_part.inverse() * b.world_from_part);
    const bool was_used = joint.used;
    joint.used = false;
    if (!given.allowed(j)) {
      verdict.fate = JointFate::weak;
    } else if (given.decisions.joints[j] == Decision::lock || (was_used && given.agree(off))) {
      verdict.fate = JointFate::used;
      joint.used = true;
    } else if (given.agree(off)) {
      verdict.fate = JointFate::spare;
    } else {
      verdict.fate = log_odds(joint.confidence) >= given.choose.least_evidence ? JointFate::contradicts
                                                                               : JointFate::weak;
    }
    verdict.residual_deg = off.angle_deg;
    verdict.residual_shift = off.shift;
  }
}

/// A check of two groups is one of every part of the one against every part of the other.
PairCheck check_of_blocks(const Blocks& blocks, const RigidGroups& groups, const PairCheck& check) {
  if (!check) return {};
  return [&](int a, int b, const Rigid3& a_from_b) {
    for (const int i : blocks.members[at(a)])
      for (const int k : blocks.members[at(b)])
        if (!check(i, k, groups.group_from_part(i).inverse() * a_from_b * groups.group_from_part(k)))
          return false;
    return true;
  };
}

/// Every part where its group stands in the solution of the groups.
void place_parts_of_blocks(const Case& given, const Blocks& blocks, const RigidGroups& groups,
                           const Assembly& whole, Assembly& out) {
  for (PlacedPart& part : out.parts) part.placed = part.anchor = false, part.component = -1;
  std::vector<int> component(given.parts.size(), -1);
  int alone = static_cast<int>(blocks.members.size());
  for (std::size_t k = 0; k < blocks.members.size(); ++k) {
    // A group that nothing joins is still one thing of several parts.
    if (!whole.parts[k].placed && blocks.members[k].size() < 2) continue;
    const int number = whole.parts[k].placed ? whole.parts[k].component : alone++;
    for (const int part : blocks.members[k]) {
      component[at(part)] = number;
      const Rigid3& group_from_part = groups.group_from_part(part);
      out.parts[at(part)].world_from_part = whole.parts[k].placed && !whole.parts[k].anchor
                                                ? whole.parts[k].world_from_part * group_from_part
                                                : group_from_part;
    }
  }
  number_components(given, component, out);
  for (PlacedPart& part : out.parts) {
    if (!part.placed) part.world_from_part = {};
  }
}

/// What becomes of the joints between the groups.
void judge_joints_of_blocks(const Case& given, const Blocks& blocks, const Assembly& whole, Assembly& out) {
  for (std::size_t j = 0; j < out.joints.size(); ++j) {
    if (blocks.block_of[at(out.joints[j].a)] == blocks.block_of[at(out.joints[j].b)]) continue;
    // Between two things that no decision touched all is as it was: nothing joined them.
    if (!given.allowed(j)) out.verdicts[j] = JointVerdict{};
    out.joints[j].used = false;
  }
  for (std::size_t k = 0; k < blocks.joints.size(); ++k) {
    out.joints[blocks.original[k]].used = whole.joints[k].used;
    out.verdicts[blocks.original[k]] = whole.verdicts[k];
  }
}

/// Nobody looks at the surfaces again: in components that changed nobody knows what is open now.
void forget_open_breaks(const Assembly& before, Assembly& now) {
  std::set<int> changed_before;
  std::set<int> changed;
  for (std::size_t i = 0; i < now.parts.size(); ++i) {
    if (now.parts[i].placed == before.parts[i].placed &&
        now.parts[i].world_from_part.matrix() == before.parts[i].world_from_part.matrix())
      continue;
    changed_before.insert(before.parts[i].component);
    changed.insert(now.parts[i].component);
  }
  if (changed.empty()) return;
  now.open_share.reset();
  for (std::size_t i = 0; i < now.parts.size(); ++i) {
    if (changed.contains(now.parts[i].component) || changed_before.contains(before.parts[i].component))
      now.parts[i].open_share.reset();
  }
}

}  // namespace

Result<Assembly> apply_decisions(const Assembly& automatic, std::span<const PartShape> parts,
                                 const AppliedConstraints& decisions, double object_size,
                                 const SolveOptions& options, const Listener& listener,
                                 const PairCheck& check) {
  if (decisions.none()) return automatic;
  PMTR_CHECK(decisions.joints.size() == automatic.joints.size() && decisions.dropped.size() == parts.size() &&
                 automatic.parts.size() == parts.size(),
             "a decision for every joint and part");
  const Case given{automatic, parts, decisions, object_size, options.choose};
  PMTR_TRY(const Held held, hold_together(given));
  const Blocks blocks = blocks_of(given, held);
  PMTR_TRY(const Assembly whole, solve_joints(blocks.shapes, blocks.joints, object_size, options, listener,
                                              check_of_blocks(blocks, held.groups, check)));
  Assembly out = automatic;
  place_parts_of_blocks(given, blocks, held.groups, whole, out);
  judge_joints_of_blocks(given, blocks, whole, out);
  judge_joints_inside_blocks(given, blocks, out);
  rate_parts(out);
  forget_open_breaks(automatic, out);
  // What no decision moved, the averaging of before still vouches for; what was joined anew, the new one.
  if (whole.certificate) out.certificate = whole.certificate;
  return out;
}

}  // namespace pmtr
