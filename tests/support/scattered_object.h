// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "pmtr/assemble/assembly.h"
#include "pmtr/assemble/joint_weight.h"
#include "pmtr/assemble/part_shape.h"
#include "pmtr/pose/match_poses.h"
#include "support/fracture_pairs.h"

namespace pmtr::test {

/// All pieces of a fracture, sampled and each in a pose of its own. Test support.
struct BrokenThing {
  std::string name;
  std::vector<LabelledCloud> pieces;
  std::vector<Rigid3> world_from_part;
  double total_area = 0.0;

  std::vector<PartShape> shapes() const {
    std::vector<PartShape> result;
    for (const LabelledCloud& piece : pieces) result.push_back({Eigen::Vector3d::Zero(), piece.area});
    return result;
  }
  Rigid3 truth(std::size_t a, std::size_t b) const {
    return world_from_part[a].inverse() * world_from_part[b];
  }

  /// Per piece: in the main component and right to (10 degrees, 0.05) as seen from its anchor. A piece may be
  /// turned as it likes only if it looks the same afterwards, so there is no exception for symmetric ones.
  std::vector<bool> right(const Assembly& assembly, double degrees = 10.0, double distance = 0.05) const {
    std::vector<bool> result(pieces.size(), false);
    std::size_t anchor = pieces.size();
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      if (assembly.parts[i].placed && assembly.parts[i].anchor && assembly.parts[i].component == 0)
        anchor = i;
    }
    if (anchor == pieces.size()) return result;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const PlacedPart& part = assembly.parts[i];
      if (!part.placed || part.component != 0) continue;
      const Rigid3 found = assembly.parts[anchor].world_from_part.inverse() * part.world_from_part;
      const Rigid3 wanted = truth(anchor, i);
      result[i] = rotation_angle_deg(found.rotation, wanted.rotation) <= degrees &&
                  (found.translation - wanted.translation).norm() <= distance;
    }
    return result;
  }
};

inline BrokenThing scatter_pieces(const BrokenObject& fracture, int points_per_object, std::uint64_t seed) {
  BrokenThing thing;
  thing.name = fracture.name();
  for (std::size_t i = 0; i < fracture.pieces.size(); ++i) {
    thing.pieces.push_back(sample_piece(fracture, i, points_per_object, Random(seed, 2 * i)));
    thing.world_from_part.push_back(scatter(thing.pieces.back().cloud, Random(seed, 2 * i + 1)).inverse());
    thing.total_area += thing.pieces.back().area;
  }
  return thing;
}

/// What a perfect matcher would say about the points of piece a that touch piece b, with a share of its
/// matches replaced by random ones between the two fractures. Pieces that do not touch get random ones only.
inline void add_matches(const BrokenThing& thing, std::size_t a, std::size_t b, double wrong_share,
                        bool swapped, Random& random, std::vector<OrientedMatch>& matches) {
  const LabelledCloud& from = thing.pieces[a];
  const LabelledCloud& to = thing.pieces[b];
  std::vector<std::size_t> broken;
  for (std::size_t j = 0; j < to.partner.size(); ++j) {
    if (to.partner[j] >= 0) broken.push_back(j);
  }
  if (broken.empty()) return;
  const Rigid3 b_from_a = thing.truth(b, a);
  for (std::size_t i = 0; i < from.partner.size(); ++i) {
    const bool touches = from.partner[i] == static_cast<std::int32_t>(b);
    if (!touches && (from.partner[i] < 0 || random.uniform() > 0.02 * wrong_share)) continue;
    OrientedMatch m;
    m.a = from.cloud.points[i];
    m.normal_a = from.cloud.normals[i];
    if (!touches || random.uniform() < wrong_share) {
      const std::size_t j = broken[random.below(broken.size())];
      m.b = to.cloud.points[j];
      m.normal_b = to.cloud.normals[j];
    } else {
      m.b = (b_from_a * m.a.cast<double>().eval()).cast<float>();
      m.normal_b = -(b_from_a.rotation.cast<float>() * m.normal_a);
    }
    if (swapped) {
      std::swap(m.a, m.b);
      std::swap(m.normal_a, m.normal_b);
    }
    matches.push_back(m);
  }
}

/// Joints of all pairs by their matches alone. Random matches seldom agree: the confidence grows with what is
/// beyond that.
inline std::vector<Joint> joints_by_matches(const BrokenThing& thing, double wrong_share,
                                            std::uint64_t seed) {
  std::vector<Joint> joints;
  for (std::size_t a = 0; a < thing.pieces.size(); ++a) {
    for (std::size_t b = a + 1; b < thing.pieces.size(); ++b) {
      std::vector<OrientedMatch> matches;
      Random random(seed, 1000 * a + b);
      add_matches(thing, a, b, wrong_share, false, random, matches);
      add_matches(thing, b, a, wrong_share, true, random, matches);
      MatchPoseOptions options;
      options.agreement = 0.01;
      options.kept = 3;
      for (const MatchPose& pose : poses_from_matches(matches, options)) {
        Joint joint;
        joint.a = static_cast<int>(a);
        joint.b = static_cast<int>(b);
        joint.a_from_b = pose.a_from_b;
        joint.matches = pose.agreeing;
        const double by_chance = 4.0 + 0.01 * static_cast<double>(matches.size()) * wrong_share;
        joint.confidence = 1.0 / (1.0 + std::exp(-(pose.agreeing - by_chance)));
        joints.push_back(joint);
      }
    }
  }
  return joints;
}

/// Calls body(thing, number) for one fracture of each object in turn, with a wanted number of parts.
template <class Body>
void for_broken_things(const std::vector<std::vector<std::filesystem::path>>& objects, int count,
                       int min_parts, int max_parts, int points_per_object, std::uint64_t seed, Body body) {
  int done = 0;
  for (std::size_t number = 0; done < count && number < 8 * objects.size(); ++number) {
    const auto& folders = objects[number * 37 % objects.size()];
    Random random(seed, number);
    for (int attempt = 0; attempt < 6; ++attempt) {
      const BrokenObject fracture = read_fracture(folders[random.below(folders.size())]);
      const auto parts = static_cast<int>(fracture.pieces.size());
      if (parts < min_parts || parts > max_parts) continue;
      body(scatter_pieces(fracture, points_per_object, seed + 7 * number), number);
      ++done;
      break;
    }
  }
}

/// The largest piece of another thing joins the party; it touches nobody here.
inline void add_foreign_piece(const BrokenThing& other, BrokenThing& thing) {
  const auto largest =
      std::max_element(other.pieces.begin(), other.pieces.end(),
                       [](const LabelledCloud& x, const LabelledCloud& y) { return x.area < y.area; });
  thing.pieces.push_back(*largest);
  for (std::int32_t& p : thing.pieces.back().partner) p = p >= 0 ? 1000000 : p;
  thing.world_from_part.emplace_back();
}

}  // namespace pmtr::test
