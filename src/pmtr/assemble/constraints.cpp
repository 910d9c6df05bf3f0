// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/constraints.h"

#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace pmtr {
namespace {

using Pair = std::pair<int, int>;

Pair pair_of(const Joint& joint) { return std::minmax(joint.a, joint.b); }

Error mismatch(std::string message) { return {Cause::mismatch, std::move(message), {}}; }

}  // namespace

std::vector<int> joint_ranks(std::span<const Joint> joints) {
  std::map<Pair, int> seen;
  std::vector<int> ranks;
  for (const Joint& joint : joints) ranks.push_back(seen[pair_of(joint)]++);
  return ranks;
}

Result<AppliedConstraints> apply_constraints(std::span<const std::string> file_names,
                                             std::span<const Joint> joints, const Constraints& constraints) {
  AppliedConstraints out;
  out.joints.assign(joints.size(), Decision::none);
  out.dropped.assign(file_names.size(), false);
  const auto number_of = [&](const std::string& name) -> Result<int> {
    const auto found = std::find(file_names.begin(), file_names.end(), name);
    if (found == file_names.end()) return mismatch(fmt::format("no fragment is called \"{}\"", name));
    return static_cast<int>(found - file_names.begin());
  };
  for (const std::string& name : constraints.drop) {
    PMTR_TRY(const int part, number_of(name));
    out.dropped[static_cast<std::size_t>(part)] = true;
  }
  const std::vector<int> ranks = joint_ranks(joints);
  std::map<Pair, bool> locked;
  for (const JointConstraint& constraint : constraints.joints) {
    PMTR_TRY(const int a, number_of(constraint.file_a));
    PMTR_TRY(const int b, number_of(constraint.file_b));
    std::size_t found = joints.size();
    for (std::size_t j = 0; j < joints.size(); ++j) {
      if (pair_of(joints[j]) == Pair(std::minmax(a, b)) && ranks[j] == constraint.rank) found = j;
    }
    const std::string what =
        fmt::format("pose {} of {} and {}", constraint.rank + 1, constraint.file_a, constraint.file_b);
    if (found == joints.size()) return mismatch("there is no " + what);
    if (out.joints[found] != Decision::none) return mismatch("two decisions about " + what);
    if (constraint.decision == Decision::lock && std::exchange(locked[pair_of(joints[found])], true)) {
      return mismatch(fmt::format("two poses of {} and {} are locked", constraint.file_a, constraint.file_b));
    }
    out.joints[found] = constraint.decision;
  }
  for (const HandPlacement& placement : constraints.placed) {
    PMTR_TRY(const int part, number_of(placement.fragment));
    PMTR_TRY(const int on, number_of(placement.on));
    if (part == on) return mismatch(fmt::format("{} cannot stand on itself", placement.fragment));
    if (out.is_placed(part)) return mismatch(fmt::format("{} is put in two places", placement.fragment));
    for (const int which : {part, on}) {
      if (out.dropped[static_cast<std::size_t>(which)])
        return mismatch(fmt::format("{} is left out, and cannot be put anywhere",
                                    file_names[static_cast<std::size_t>(which)]));
    }
    out.placed.push_back({part, on, placement.on_from_fragment, placement.group});
  }
  return out;
}

bool AppliedConstraints::is_placed(int part) const {
  return std::any_of(placed.begin(), placed.end(), [&](const AppliedPlacement& p) { return p.part == part; });
}

bool AppliedConstraints::none() const {
  return placed.empty() &&
         std::all_of(joints.begin(), joints.end(), [](Decision d) { return d == Decision::none; }) &&
         std::none_of(dropped.begin(), dropped.end(), [](bool d) { return d; });
}

}  // namespace pmtr
