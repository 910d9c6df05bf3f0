// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pipeline/stages_seen.h"

#include <algorithm>

#include "pmtr/core/index.h"

namespace pmtr {
namespace {

/// The side of a break that one of two pieces has.
struct BreakSide {
  int points = 0;
  int seen = 0;
};

BreakSide side_of(const ScatteredObject& object, const AssembleResult& result, int piece, int partner) {
  BreakSide side;
  const std::vector<float>& scores = result.features[at(piece)].fracture;
  const std::vector<std::uint32_t>& faces = result.fragments[at(piece)].faces;
  for (std::size_t i = 0; i < faces.size(); ++i) {
    if (object.partners[at(piece)][faces[i]] != partner) continue;
    ++side.points;
    side.seen += scores[i] > 0.5F ? 1 : 0;
  }
  return side;
}

bool breaks_are_known(const ScatteredObject& object, const AssembleResult& result, int piece) {
  return !object.partners.empty() && !result.features.empty() && !result.fragments[at(piece)].faces.empty() &&
         result.features[at(piece)].fracture.size() == result.fragments[at(piece)].faces.size();
}

double share(const BreakSide& side) {
  return side.points == 0 ? 0.0 : static_cast<double>(side.seen) / side.points;
}

TruePair look_at(const ScatteredObject& object, const AssembleResult& result, int a, int b) {
  TruePair pair;
  pair.a = a;
  pair.b = b;
  if (breaks_are_known(object, result, a) && breaks_are_known(object, result, b)) {
    const BreakSide of_a = side_of(object, result, a, b);
    const BreakSide of_b = side_of(object, result, b, a);
    pair.seen = std::min(share(of_a), share(of_b));
    pair.break_points = std::min(of_a.points, of_b.points);
  }
  if (!result.surfaces.empty()) {
    const Rigid3 truth =
        in_object_frame(object.world_from_piece[at(a)].inverse() * object.world_from_piece[at(b)],
                        result.fragments[at(a)], result.fragments[at(b)]);
    const OrientedCloud& cloud_a = result.surfaces[at(a)];
    const OrientedCloud& cloud_b = result.surfaces[at(b)];
    pair.confidence =
        std::max(verify_pose(cloud_a, cloud_b, truth).confidence,
                 verify_pose(cloud_a, cloud_b, refine_pose(cloud_a, cloud_b, truth)).confidence);
  }
  return pair;
}

}  // namespace

StagesSeen stages_seen(const ScatteredObject& object, const AssembleResult& result, Threads& threads) {
  StagesSeen seen;
  seen.candidates = result.assembly.joints;  // with those that were found when groups were matched again
  for (const Joint& joint : result.candidates) {
    Joint own = joint;
    own.a_from_b =
        in_input_frame(joint.a_from_b, result.fragments[at(joint.a)], result.fragments[at(joint.b)]);
    // What the assembly kept is there already.
    const bool known =
        std::any_of(result.assembly.joints.begin(), result.assembly.joints.end(), [&](const Joint& kept) {
          return kept.a == own.a && kept.b == own.b && kept.a_from_b.matrix() == own.a_from_b.matrix();
        });
    if (!known) seen.candidates.push_back(own);
  }
  seen.pairs.resize(object.adjacent.size());
  run_tasks(threads, static_cast<std::int64_t>(object.adjacent.size()), [&](std::int64_t task) {
    const auto i = static_cast<std::size_t>(task);
    seen.pairs[i] = look_at(object, result, object.adjacent[i].first, object.adjacent[i].second);
  });
  for (TruePair& pair : seen.pairs) {
    for (const MatchedPair& matched : result.matched) {
      if (matched.a != pair.a || matched.b != pair.b) continue;
      pair.proposed = std::any_of(matched.poses.begin(), matched.poses.end(), [&](const Rigid3& pose) {
        return is_true_pose(object, pair.a, pair.b,
                            in_input_frame(pose, result.fragments[at(pair.a)], result.fragments[at(pair.b)]));
      });
    }
  }
  return seen;
}

}  // namespace pmtr
