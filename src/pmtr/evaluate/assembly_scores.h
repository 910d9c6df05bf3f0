// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "pmtr/core/rigid3.h"
#include "pmtr/core/threads.h"

namespace pmtr {

/// One part of an assembled object, with where it belongs and where it was put.
struct EvaluatedPart {
  std::vector<Eigen::Vector3f> points;  ///< in the part's own coordinates, in units of the whole object
  double area = 0.0;                    ///< the largest part is the anchor
  Rigid3 true_world_from_part;
  Rigid3 found_world_from_part;
  bool placed = false;
};

/// What counts as right everywhere: within 10 degrees and 0.05 of the object.
inline bool is_right(double rot_deg, double trans) { return rot_deg < 10.0 && trans < 0.05; }

/// How far one part is from where it belongs.
struct PartScores {
  bool anchor = false;
  bool placed = false;
  double rot_deg = 0.0;  ///< angle to the true rotation
  double trans = 0.0;    ///< distance of the part's middle from where it belongs
  double cd = 0.0;
  double crd = 0.0;

  bool right() const { return is_right(rot_deg, trans); }
};

/// The paper measures in two ways. Its table of pairs (Table 1) is about the part that was moved, alone; its
/// table of objects of many parts (Table 6) averages over all parts, the anchor among them, which stands
/// right by definition. The difference is largest for two parts: counting the anchor halves RMSE(R) and
/// RMSE(T), and gives a part accuracy of 50 % for nothing.
struct ScoreOptions {
  bool count_anchor = true;  ///< in rmse_r_deg, rmse_t, pa_cd and pa_crd; false: as the paper measures pairs
};

/// How well an object was put together. Everything is measured after the found assembly was moved so that
/// the anchor stands right. A part that was not placed counts as lying unturned in the middle of the object.
struct AssemblyScores {
  // The paper's measures; ScoreOptions says whether means over parts count the anchor.
  double crd = 0.0;         ///< mean distance of points to where they belong, over all points
  double cd = 0.0;          ///< Chamfer distance of the whole
  double rmse_r_deg = 0.0;  ///< Euler angles, mean over parts
  double rmse_t = 0.0;      ///< mean over parts
  double pa_cd = 0.0;       ///< share of parts with a Chamfer distance below 0.01
  double pa_crd = 0.0;      ///< share of parts with a CRD below 0.1

  // Parts other than the anchor, always.
  double rot_deg = 0.0;        ///< angle to the true rotation, mean over parts
  double trans = 0.0;          ///< distance of the part's middle from where it belongs, mean over parts
  double recall_5_001 = 0.0;   ///< share of parts within 5 degrees and 0.01
  double recall_10_005 = 0.0;  ///< share of parts within 10 degrees and 0.05
  double pa_cd_free = 0.0;     ///< as pa_cd
  bool complete = false;       ///< all parts within 10 degrees and 0.05
  double placed = 0.0;         ///< share of all parts that were placed at all; the anchor is

  std::vector<PartScores> parts;  ///< in the given order
};

/// At least two parts, none empty.
AssemblyScores score_assembly(std::span<const EvaluatedPart> parts, const ScoreOptions& options,
                              Threads& threads);

}  // namespace pmtr
