// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "pmtr/assemble/assembly.h"
#include "pmtr/evaluate/assembly_scores.h"
#include "pmtr/evaluate/scattered_object.h"
#include "pmtr/pose/joint.h"

namespace pmtr {

/// Why a piece does not stand where it belongs: the first stage that could have known better and did not.
enum class LossClass {
  labels,          ///< no true pose was found, and the break there was not seen
  no_candidate,    ///< no true pose was found, though most of the break was seen
  ranked_lower,    ///< a true pose was found, but in no pair it was the best one
  joined_wrongly,  ///< the best pose of some pair was true, but the object was put together otherwise
  drifted,         ///< joined rightly all the way to the largest piece; the small errors added up
};
inline constexpr LossClass all_loss_classes[] = {LossClass::labels, LossClass::no_candidate,
                                                 LossClass::ranked_lower, LossClass::joined_wrongly,
                                                 LossClass::drifted};
/// "labels", "no candidate", ...
const char* loss_name(LossClass loss);

/// Two pieces that touch in truth, and what the stages before the choice of joints knew of it.
struct TruePair {
  int a = 0;
  int b = 0;
  /// Of the break that they share, the part that was seen as broken, on the side that was seen worse.
  std::optional<double> seen;
  int break_points = 0;  ///< dense points on that break, on the side that has fewer
  /// Of the true pose, once it is pulled onto the surfaces as they were seen: low where no search could have
  /// told it from chance.
  std::optional<double> confidence;
  bool proposed = false;  ///< the matches of the network proposed it
};

/// Everything that was known before the pieces were put together.
struct StagesSeen {
  /// Every pose of a pair that could have been chosen, in the pieces' coordinates and units.
  std::vector<Joint> candidates;
  std::vector<TruePair> pairs;  ///< one for each of ScatteredObject::adjacent
};

/// One wrong piece. The figures are of the pair that came closest to placing it.
struct PieceLoss {
  LossClass loss = LossClass::no_candidate;
  /// Pieces that stand rightly to each other and wrongly to the largest: one wrong joint moves them all.
  int group = 1;
  int pairs = 0;       ///< of a piece of that group and a true neighbour outside it
  int candidates = 0;  ///< poses of these pairs
  int rank = -1;       ///< of the true pose among the poses of its pair; 0: the best; -1: not there
  double rival = 0.0;  ///< confidence of the best wrong pose of that pair; 0: none
  TruePair pair;       ///< with what was seen of it
  double found = 0.0;  ///< confidence of the true pose as it was found; 0: it was not
};

/// For every piece of an assembly: why it is wrong; nothing where it is right or the largest one. A pose is
/// true within the limits of PartScores::right.
std::vector<std::optional<PieceLoss>> explain_losses(const ScatteredObject& object, const Assembly& assembly,
                                                     std::span<const PartScores> scores,
                                                     const StagesSeen& seen);

/// Is this pose of a pair the true one, within the limits of PartScores::right?
bool is_true_pose(const ScatteredObject& object, int a, int b, const Rigid3& a_from_b);

}  // namespace pmtr
