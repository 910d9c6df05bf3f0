// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/constraints.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "pmtr/averaging/components.h"
#include "pmtr/assemble/joint_weight.h"
#include "pmtr/averaging/rounding.h"

namespace pmtr {
namespace {

using Pair = std::pair<int, int>;

Pair pair_of(const Joint& joint) { return std::minmax(joint.a, joint.b); }

Error mismatch(std::string message) { return {Cause::mismatch, std::move(message), {}}; }

bool agree(const Rigid3& a_from_b, const Rigid3& other, double object_size, const ChooseOptions& options) {
  const PoseDifference off = difference(a_from_b, other);
  return off.angle_deg <= options.rotation_tolerance_deg &&
         off.shift <= options.shift_tolerance * object_size;
}

Rigid3 shifted(const Eigen::Vector3d& translation) { return {Eigen::Matrix3d::Identity(), translation}; }

/// As assemble_many compares poses: coordinates of both parts begin at their centres.
Rigid3 centred(const Rigid3& a_from_b, const PartShape& a, const PartShape& b) {
  return shifted(-a.centre) * a_from_b * shifted(b.centre);
}

/// Parts that were locked together, seen as one.
struct Block {
  std::vector<int> parts;  ///< the first is the root
  PartShape shape;         ///< in the root's coordinates
};

struct Blocks {
  std::vector<Block> blocks;
  std::vector<int> block_of;           ///< per part; -1: dropped
  std::vector<Rigid3> root_from_part;  ///< per part
};

/// Walks from the smallest part of each set along the locked joints.
Result<Blocks> build_blocks(std::span<const PartShape> parts, std::span<const Joint> joints,
                            const AppliedConstraints& decisions, double object_size,
                            const ChooseOptions& options) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  Blocks out;
  out.block_of.assign(parts.size(), -1);
  out.root_from_part.resize(parts.size());
  std::vector<std::vector<std::pair<int, Rigid3>>> next(parts.size());  // part -> (other, part_from_other)
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (decisions.joints[j] != Decision::lock) continue;
    const Joint& joint = joints[j];
    if (decisions.dropped[at(joint.a)] || decisions.dropped[at(joint.b)]) continue;
    const Rigid3 a_from_b{nearest_rotation(joint.a_from_b.rotation), joint.a_from_b.translation};
    next[at(joint.a)].emplace_back(joint.b, a_from_b);
    next[at(joint.b)].emplace_back(joint.a, a_from_b.inverse());
  }
  for (int root = 0; root < static_cast<int>(parts.size()); ++root) {
    if (decisions.dropped[at(root)] || out.block_of[at(root)] >= 0) continue;
    const int number = static_cast<int>(out.blocks.size());
    Block block;
    block.parts.push_back(root);
    out.block_of[at(root)] = number;
    for (std::size_t k = 0; k < block.parts.size(); ++k) {
      const int part = block.parts[k];
      for (const auto& [other, part_from_other] : next[at(part)]) {
        const Rigid3 root_from_other = out.root_from_part[at(part)] * part_from_other;
        if (out.block_of[at(other)] < 0) {
          out.block_of[at(other)] = number;
          out.root_from_part[at(other)] = root_from_other;
          block.parts.push_back(other);
          continue;
        }
        const Rigid3 stands = out.root_from_part[at(part)].inverse() * out.root_from_part[at(other)];
        if (!agree(centred(part_from_other, parts[at(part)], parts[at(other)]),
                   centred(stands, parts[at(part)], parts[at(other)]), object_size, options)) {
          return mismatch(
              fmt::format("the locked joints around parts {} and {} contradict each other", part, other));
        }
      }
    }
    for (const int part : block.parts) {
      const PartShape& shape = parts[at(part)];
      const double share = std::max(shape.area, 1e-300);
      block.shape.centre += share * (out.root_from_part[at(part)] * shape.centre);
      block.shape.area += share;
    }
    block.shape.centre /= block.shape.area;
    out.blocks.push_back(std::move(block));
  }
  return out;
}

/// The frame of each component is that of its largest part; components by size, then by smallest part.
void number_components(std::span<const PartShape> parts, const std::vector<int>& component,
                       Assembly& assembly) {
  std::map<int, std::vector<int>> members;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (component[i] >= 0) members[component[i]].push_back(static_cast<int>(i));
  }
  std::vector<std::vector<int>> ordered;
  for (auto& [number, list] : members) ordered.push_back(std::move(list));
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& x, const auto& y) {
    return x.size() != y.size() ? x.size() > y.size() : x.front() < y.front();
  });
  for (std::size_t c = 0; c < ordered.size(); ++c) {
    const int anchor = *std::max_element(ordered[c].begin(), ordered[c].end(), [&](int i, int j) {
      return parts[static_cast<std::size_t>(i)].area < parts[static_cast<std::size_t>(j)].area;
    });
    const Rigid3 anchor_from_world =
        assembly.parts[static_cast<std::size_t>(anchor)].world_from_part.inverse();
    for (const int i : ordered[c]) {
      PlacedPart& part = assembly.parts[static_cast<std::size_t>(i)];
      part.placed = true;
      part.component = static_cast<int>(c);
      part.anchor = i == anchor;
      part.world_from_part = part.anchor ? Rigid3{} : anchor_from_world * part.world_from_part;
    }
  }
}

/// A part is where it belongs if any of its joints is right.
void rate_parts(Assembly& assembly) {
  for (std::size_t i = 0; i < assembly.parts.size(); ++i) {
    double all_wrong = 1.0;
    for (const Joint& joint : assembly.joints) {
      if (!joint.used || (joint.a != static_cast<int>(i) && joint.b != static_cast<int>(i))) continue;
      all_wrong *= 1.0 - std::clamp(joint.confidence, 0.0, 1.0);
    }
    assembly.parts[i].confidence = 1.0 - all_wrong;
  }
}

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
  return out;
}

Result<Assembly> assemble_constrained(std::span<const PartShape> parts, std::span<const Joint> joints,
                                      const AppliedConstraints& decisions, double object_size,
                                      const AssembleManyOptions& options, const Listener& listener) {
  const auto at = [](int i) { return static_cast<std::size_t>(i); };
  PMTR_CHECK(decisions.joints.size() == joints.size() && decisions.dropped.size() == parts.size(),
             "a decision for every joint and part");
  PMTR_TRY_STATUS(options.validate());
  if (!(object_size > 0) || !std::isfinite(object_size)) {
    return Error{Cause::degenerate, "the object has no size", {}};
  }
  PMTR_TRY(const Blocks blocks, build_blocks(parts, joints, decisions, object_size, options.choose));

  std::vector<PartShape> shapes;
  for (const Block& block : blocks.blocks) shapes.push_back(block.shape);
  std::vector<Joint> between;         // blocks
  std::vector<std::size_t> original;  // of each of them
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const int a = blocks.block_of[at(joints[j].a)];
    const int b = blocks.block_of[at(joints[j].b)];
    if (a < 0 || b < 0 || a == b || decisions.joints[j] == Decision::reject) continue;
    Joint joint = joints[j];
    joint.a = a;
    joint.b = b;
    joint.a_from_b = blocks.root_from_part[at(joints[j].a)] * joints[j].a_from_b *
                     blocks.root_from_part[at(joints[j].b)].inverse();
    between.push_back(joint);
    original.push_back(j);
  }
  PMTR_TRY(const Assembly whole, assemble_many(shapes, between, object_size, options, listener));

  Assembly out;
  out.parts.resize(parts.size());
  out.joints.assign(joints.begin(), joints.end());
  for (Joint& joint : out.joints) joint.used = false;
  out.verdicts.resize(joints.size());
  for (JointVerdict& verdict : out.verdicts) verdict.fate = JointFate::weak;
  out.certificate = whole.certificate;
  for (std::size_t k = 0; k < between.size(); ++k) {
    out.joints[original[k]].used = whole.joints[k].used;
    out.verdicts[original[k]] = whole.verdicts[k];
  }

  std::vector<int> component(parts.size(), -1);
  // A block that nothing joins is still one thing of several parts.
  int alone = static_cast<int>(blocks.blocks.size());
  for (std::size_t b = 0; b < blocks.blocks.size(); ++b) {
    const Block& block = blocks.blocks[b];
    if (!whole.parts[b].placed && block.parts.size() < 2) continue;
    const int number = whole.parts[b].placed ? whole.parts[b].component : alone++;
    for (const int part : block.parts) {
      component[at(part)] = number;
      out.parts[at(part)].world_from_part = whole.parts[b].world_from_part * blocks.root_from_part[at(part)];
    }
  }
  number_components(parts, component, out);

  for (std::size_t j = 0; j < joints.size(); ++j) {
    const Joint& joint = joints[j];
    const int block = blocks.block_of[at(joint.a)];
    if (block < 0 || block != blocks.block_of[at(joint.b)] || decisions.joints[j] == Decision::reject)
      continue;
    const PartShape& a = parts[at(joint.a)];
    const PartShape& b = parts[at(joint.b)];
    const Rigid3 stands = blocks.root_from_part[at(joint.a)].inverse() * blocks.root_from_part[at(joint.b)];
    const PoseDifference off = difference(centred(joint.a_from_b, a, b), centred(stands, a, b));
    JointVerdict& verdict = out.verdicts[j];
    verdict.residual_deg = off.angle_deg;
    verdict.residual_shift = off.shift;
    if (decisions.joints[j] == Decision::lock) {
      verdict.fate = JointFate::used;
      out.joints[j].used = true;
    } else if (agree(centred(joint.a_from_b, a, b), centred(stands, a, b), object_size, options.choose)) {
      verdict.fate = JointFate::spare;
    } else {
      verdict.fate = log_odds(joint.confidence) >= options.choose.least_evidence ? JointFate::contradicts
                                                                                 : JointFate::weak;
    }
  }
  rate_parts(out);
  return out;
}

}  // namespace pmtr
