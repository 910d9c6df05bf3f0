// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pmtr/core/random.h"
#include "pmtr/core/rigid3.h"
#include "pmtr/dataset/broken_object.h"
#include "pmtr/mesh/io/mesh_file.h"
#include "pmtr/sample/sample_surface.h"

namespace pmtr::test {

/// A real fracture with its ground truth, named by category, object and fracture. Test support: throws on
/// surprises.
inline BrokenObject read_fracture(const std::filesystem::path& folder) {
  std::vector<TriangleMesh> pieces;
  for (int i = 0;; ++i) {
    const auto path = folder / ("piece_" + std::to_string(i) + ".ply");
    if (!std::filesystem::exists(path)) break;
    auto file = read_mesh_file(path);
    if (!file.ok()) throw std::runtime_error(file.error().text());
    pieces.push_back(std::move(file->mesh));
  }
  BrokenObject fracture = make_broken_object(std::move(pieces));
  const auto object = folder.parent_path();
  fracture.object = object.parent_path().filename().string() + "/" + object.filename().string().substr(0, 8);
  fracture.fracture = folder.filename().string();
  return fracture;
}

/// Evenly sampled points of one piece and the partner of the triangle each lies on.
struct LabelledCloud {
  PointCloud cloud;
  std::vector<std::int32_t> partner;
  double area = 0.0;

  /// 1 on fractures, 0 elsewhere; each flipped with probability `flip`.
  std::vector<float> scores(double flip, Random random) const {
    std::vector<float> result;
    for (const int p : partner) result.push_back((p >= 0) != (random.uniform() < flip) ? 1.0F : 0.0F);
    return result;
  }

  /// What a network of the given area under the ROC curve would say: probabilities whose errors come in
  /// patches of many sizes, as those of a network do, and not point by point.
  std::vector<float> network_scores(double auc, Random random) const {
    const double separation = std::sqrt(2.0) * normal_quantile(auc);
    constexpr std::array<double, 3> lengths = {0.4, 0.12, 0.04};  // of the patches, in object sizes
    constexpr std::array<double, 3> shares = {0.3, 0.35, 0.25};   // of the variance; the rest is by point
    constexpr int waves = 32;
    struct Wave {
      Eigen::Vector3f along, by_normal;
      double phase = 0.0, height = 0.0;
    };
    const auto gauss = [&](double scale) {
      return Eigen::Vector3d(scale * random.normal(), scale * random.normal(), scale * random.normal())
          .cast<float>()
          .eval();
    };
    std::vector<Wave> field;
    for (std::size_t k = 0; k < lengths.size(); ++k) {
      for (int w = 0; w < waves; ++w)
        field.push_back({gauss(1.0 / lengths[k]), gauss(1.5), random.uniform(0.0, 6.283185307),
                         std::sqrt(2.0 * shares[k] / waves)});
    }
    std::vector<float> result;
    for (std::size_t i = 0; i < partner.size(); ++i) {
      double x = (partner[i] >= 0 ? 0.5 : -0.5) * separation + std::sqrt(0.1) * random.normal();
      for (const Wave& wave : field)
        x += wave.height * std::cos(wave.phase + static_cast<double>(wave.along.dot(cloud.points[i]) +
                                                                     wave.by_normal.dot(cloud.normals[i])));
      result.push_back(static_cast<float>(1.0 / (1.0 + std::exp(-separation * x))));
    }
    return result;
  }

 private:
  static double normal_quantile(double p) {
    double low = -8.0, high = 8.0;
    for (int k = 0; k < 60; ++k) {
      const double middle = 0.5 * (low + high);
      (0.5 * std::erfc(-middle / std::sqrt(2.0)) < p ? low : high) = middle;
    }
    return low;
  }
};

inline LabelledCloud sample_piece(const BrokenObject& fracture, std::size_t piece, int points_per_object,
                                  Random random) {
  LabelledCloud result;
  result.area = fracture.mating.piece_areas[piece];
  const int count = std::max(
      256, static_cast<int>(std::lround(points_per_object * result.area / fracture.mating.whole_area())));
  auto sampled = sample_surface(fracture.pieces[piece], count, 1.0, random);
  if (!sampled.ok()) throw std::runtime_error(sampled.error().text());
  result.cloud = std::move(sampled->cloud);
  for (Eigen::Vector3f& point : result.cloud.points) point += sampled->centre.cast<float>();
  for (const std::uint32_t face : sampled->faces)
    result.partner.push_back(fracture.mating.partner[piece][face]);
  return result;
}

/// Every fracture of the data by object, both in the order of their names.
inline std::vector<std::vector<std::filesystem::path>> fractures_by_object(
    const std::filesystem::path& root) {
  std::map<std::string, std::vector<std::filesystem::path>> objects;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (entry.path().filename() != "piece_0.ply") continue;
    const auto folder = entry.path().parent_path();
    objects[folder.parent_path().string()].push_back(folder);
  }
  std::vector<std::vector<std::filesystem::path>> result;
  for (auto& [name, folders] : objects) {
    std::sort(folders.begin(), folders.end());
    result.push_back(std::move(folders));
  }
  return result;
}

struct PiecePair {
  std::size_t a = 0;
  std::size_t b = 0;
  double overlap = 0.0;  ///< mating area over the smaller piece's area
};

/// Pairs whose smaller piece has at least 256 of 5000 points by its area, and whose overlap is in [least,
/// most].
inline std::vector<PiecePair> eligible_pairs(const BrokenObject& fracture, double least, double most) {
  const auto& areas = fracture.mating.piece_areas;
  std::map<std::pair<std::size_t, std::size_t>, double> shared;
  for (const MatingPair& pair : fracture.mating.pairs)
    shared[{static_cast<std::size_t>(pair.a), static_cast<std::size_t>(pair.b)}] = pair.area;
  std::vector<PiecePair> pairs;
  for (std::size_t a = 0; a < areas.size(); ++a) {
    for (std::size_t b = a + 1; b < areas.size(); ++b) {
      const double smaller = std::min(areas[a], areas[b]);
      if (smaller < fracture.mating.whole_area() * 256.0 / 5000.0) continue;
      const auto found = shared.find({a, b});
      const double overlap = found == shared.end() ? 0.0 : found->second / smaller;
      if (overlap >= least && overlap <= most) pairs.push_back({a, b, overlap});
    }
  }
  return pairs;
}

/// Moves a cloud to its own centre and turns it at random; returns new_from_old.
inline Rigid3 scatter(PointCloud& cloud, Random random) {
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();
  for (const auto& p : cloud.points) centre += p.cast<double>() / static_cast<double>(cloud.points.size());
  Rigid3 motion{random.rotation(), Eigen::Vector3d::Zero()};
  motion.translation = -(motion.rotation * centre);
  for (auto& p : cloud.points) p = (motion * p.cast<double>().eval()).cast<float>();
  for (auto& n : cloud.normals) n = motion.rotation.cast<float>() * n;
  return motion;
}

/// A pair of pieces in arbitrary poses, with the true one between them.
struct ScatteredPair {
  std::string name;
  double overlap = 0.0;
  LabelledCloud a, b;
  Rigid3 a_from_b;

  double rotation_error(const Rigid3& pose) const {  // degrees
    return rotation_angle_deg(pose.rotation, a_from_b.rotation);
  }
  /// Of b's centre, which is the origin of its frame.
  double translation_error(const Rigid3& pose) const {
    return (pose.translation - a_from_b.translation).norm();
  }
  bool right(const Rigid3& pose, double degrees, double distance) const {
    return rotation_error(pose) <= degrees && translation_error(pose) <= distance;
  }
};

/// The number-th pair, going round the objects so that each counts alike; none if that object has no such
/// pair.
inline std::optional<ScatteredPair> draw_pair(const std::vector<std::vector<std::filesystem::path>>& objects,
                                              std::uint64_t seed, std::size_t number, double least,
                                              double most, int points_per_object) {
  const auto& folders = objects[number % objects.size()];
  Random random(seed, number);
  for (int attempt = 0; attempt < 6; ++attempt) {
    const auto& folder = folders[random.below(folders.size())];
    const BrokenObject fracture = read_fracture(folder);
    const auto pairs = eligible_pairs(fracture, least, most);
    if (pairs.empty()) continue;
    PiecePair chosen = pairs[random.below(pairs.size())];
    if (random.below(2) == 1) std::swap(chosen.a, chosen.b);
    ScatteredPair pair;
    pair.name = fracture.name() + " " + std::to_string(chosen.a) + "-" + std::to_string(chosen.b);
    pair.overlap = chosen.overlap;
    pair.a = sample_piece(fracture, chosen.a, points_per_object, Random(seed, 1000000 + 2 * number));
    pair.b = sample_piece(fracture, chosen.b, points_per_object, Random(seed, 1000001 + 2 * number));
    const Rigid3 a_from_world = scatter(pair.a.cloud, Random(seed, 2000000 + 2 * number));
    const Rigid3 b_from_world = scatter(pair.b.cloud, Random(seed, 2000001 + 2 * number));
    pair.a_from_b = a_from_world * b_from_world.inverse();
    return pair;
  }
  return std::nullopt;
}

}  // namespace pmtr::test
