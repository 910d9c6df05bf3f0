// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
//
// How well descriptors of breaks find the mating point and the pose on real fractures, and what they cost:
// bench_breaks DATA OBJECTS [options]. OBJECTS is a file with one object of DATA per line.
#include <cstdio>
#include <fstream>

#include <Eigen/Eigenvalues>

#include "pmtr/breaks/break_descriptors.h"
#include "pmtr/match/nearest_rows.h"
#include "pmtr/pose/frame_poses.h"
#include "pmtr/pyramid/neighbours.h"
#include "pose_pairs.h"

namespace pmtr::bench {
namespace {

struct BreakSettings {
  Settings common;
  std::filesystem::path objects;
  double noise = 0.0;  ///< of the points, in object units; normals are then those of the noisy points
  int used = 1000;     ///< fractures, at most
  BreakCloudOptions breaks;
};

/// A piece with its predicted breaks.
struct DescribedPiece {
  const test::LabelledCloud* piece = nullptr;
  std::int32_t number = 0;
  BreakCloud breaks;
  BreakDescriptors source, target;
};

struct PairTruth {
  Rigid3 a_from_b;

  bool right(const Rigid3& pose, double degrees, double distance) const {
    return rotation_angle_deg(pose.rotation, a_from_b.rotation) <= degrees &&
           (pose.translation - a_from_b.translation).norm() <= distance;
  }
};

struct Tally {
  const char* name;
  int begin, end;           ///< columns of the descriptor
  float map_weight = 1.0F;  ///< maps against histograms
  double hit = 0.0, inliers = 0.0;
  int pairs = 0, first = 0, tight = 0, ten = 0;
  double match_seconds = 0.0, pose_seconds = 0.0;
};

/// Moves the points and finds their normals from 24 neighbours on the same side, as a scan would have them.
void roughen(test::LabelledCloud& piece, double sigma, Random random) {
  const PointCloud clean = piece.cloud;
  for (auto& p : piece.cloud.points)
    p += Eigen::Vector3d(sigma * random.normal(), sigma * random.normal(), sigma * random.normal())
             .cast<float>();
  const NeighbourTable table =
      find_neighbours(piece.cloud.points, piece.cloud.points, 0.1F, 48, TieOrder::index, Threads::none());
  for (std::size_t i = 0; i < clean.points.size(); ++i) {
    Eigen::Vector3d mean = Eigen::Vector3d::Zero();
    Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();
    int used = 0;
    for (const std::int32_t j : table.row(static_cast<std::int64_t>(i))) {
      const auto other = static_cast<std::size_t>(j);
      if (other >= clean.points.size() || used == 24) break;
      if (clean.normals[other].dot(clean.normals[i]) < 0.0F) continue;
      const Eigen::Vector3d d = (piece.cloud.points[other] - piece.cloud.points[i]).cast<double>();
      mean += d;
      squares += d * d.transpose();
      ++used;
    }
    if (used < 4) continue;
    mean /= used;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(squares / used - mean * mean.transpose());
    const Eigen::Vector3f normal = solver.eigenvectors().col(0).cast<float>();
    piece.cloud.normals[i] = normal.dot(clean.normals[i]) < 0.0F ? (-normal).eval() : normal;
  }
}

/// Share of the mating points whose nearest row lies within 0.03 of the truth.
double hit_rate(const DescribedPiece& from, const DescribedPiece& to, const Rigid3& to_from_from,
                const std::vector<RowMatch>& nearest, bool from_is_a) {
  int mating = 0, hits = 0;
  for (const RowMatch& match : nearest) {
    const auto i = static_cast<std::size_t>(from_is_a ? match.a : match.b);
    const auto j = static_cast<std::size_t>(from_is_a ? match.b : match.a);
    const BreakPoint& p = from.breaks.points[i];
    if (from.piece->partner[p.index] != to.number) continue;
    ++mating;
    const Eigen::Vector3d there = to_from_from * p.position.cast<double>().eval();
    hits += (there - to.breaks.points[j].position.cast<double>()).norm() < 0.03 ? 1 : 0;
  }
  return mating > 0 ? static_cast<double>(hits) / mating : 0.0;
}

std::vector<float> weighted_columns(const BreakDescriptors& descriptors, const Tally& tally) {
  auto rows = descriptor_columns(descriptors, tally.begin, tally.end);
  const auto width = static_cast<std::size_t>(tally.end - tally.begin);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (tally.begin + static_cast<int>(i % width) < BreakDescriptors::maps) rows[i] *= tally.map_weight;
  }
  return rows;
}

void add(const DescribedPiece& a, const DescribedPiece& b, const PairTruth& truth, Tally& tally) {
  Threads& threads = Threads::none();
  const auto rows_a = weighted_columns(a.source, tally);
  const auto rows_b = weighted_columns(b.target, tally);
  const double start = cpu();
  const NearestRows nearest = find_nearest_rows(rows_a, rows_b, tally.end - tally.begin, threads);
  const double matched = cpu();
  const auto poses = poses_from_nearest(a.breaks, b.breaks, nearest, {});
  tally.pose_seconds += cpu() - matched;
  tally.match_seconds += matched - start;
  ++tally.pairs;
  tally.hit += 0.5 * (hit_rate(a, b, truth.a_from_b.inverse(), nearest.of_a, true) +
                      hit_rate(b, a, truth.a_from_b, nearest.of_b, false));
  const auto mutual = nearest.mutual();
  int inliers = 0;
  for (const RowMatch& m : mutual) {
    const Eigen::Vector3d p = a.breaks.points[static_cast<std::size_t>(m.a)].position.cast<double>();
    const Eigen::Vector3d q = b.breaks.points[static_cast<std::size_t>(m.b)].position.cast<double>();
    inliers += (truth.a_from_b * q - p).norm() < 0.03 ? 1 : 0;
  }
  if (!mutual.empty()) tally.inliers += static_cast<double>(inliers) / static_cast<double>(mutual.size());
  bool any = false;
  for (const FramePose& pose : poses) any = any || truth.right(pose.a_from_b, 10.0, 0.05);
  tally.ten += any ? 1 : 0;
  tally.first += !poses.empty() && truth.right(poses[0].a_from_b, 10.0, 0.05) ? 1 : 0;
  tally.tight += !poses.empty() && truth.right(poses[0].a_from_b, 5.0, 0.02) ? 1 : 0;
}

void print(const Tally& t) {
  const double n = t.pairs;
  std::printf(
      "%-18s pairs %d hit %.1f mutual inliers %.1f recall(10,0.05) @1 %.1f @10 %.1f (5,0.02) @1 %.1f; match "
      "%.2f ms poses %.2f ms\n",
      t.name, t.pairs, 100 * t.hit / n, 100 * t.inliers / n, 100 * t.first / n, 100 * t.ten / n,
      100 * t.tight / n, 1000 * t.match_seconds / n, 1000 * t.pose_seconds / n);
}

struct Costs {
  double break_seconds = 0.0, describe_seconds = 0.0;
  std::size_t pieces = 0, points = 0, support = 0, without_x = 0;
  double precision = 0.0, recall = 0.0;
};

DescribedPiece describe(const test::LabelledCloud& piece, std::int32_t number, const BreakSettings& settings,
                        std::uint64_t stream, Costs& costs) {
  Threads& threads = Threads::none();
  const Random random(settings.common.seed, stream);
  const auto scores = settings.common.auc < 1.0 ? piece.network_scores(settings.common.auc, random)
                                                : piece.scores(settings.common.flip, random);
  DescribedPiece result;
  result.piece = &piece;
  result.number = number;
  const double start = cpu();
  result.breaks = find_break_cloud(piece.cloud, scores, settings.breaks, threads);
  const double found = cpu();
  result.source = describe_breaks(result.breaks, threads);
  result.target = as_target(result.source);
  costs.describe_seconds += cpu() - found;
  costs.break_seconds += found - start;
  ++costs.pieces;
  costs.points += result.breaks.points.size();
  costs.support += result.breaks.support.points.size();
  for (const BreakPoint& p : result.breaks.points) costs.without_x += p.has_x ? 0 : 1;
  double true_positives = 0.0, positives = 0.0;
  for (const std::uint32_t i : result.breaks.support_index) true_positives += piece.partner[i] >= 0 ? 1 : 0;
  for (const std::int32_t p : piece.partner) positives += p >= 0 ? 1 : 0;
  costs.precision +=
      true_positives / std::max<double>(1, static_cast<double>(result.breaks.support_index.size()));
  costs.recall += true_positives / std::max(1.0, positives);
  return result;
}

void measure(const BreakSettings& settings) {
  using D = BreakDescriptors;
  std::vector<Tally> tallies = {{"histograms", D::maps, D::width},
                                {"map 0.2", D::map_width, D::maps},
                                {"map 0.1", 0, D::map_width},
                                {"maps", 0, D::maps},
                                {"all", 0, D::width},
                                {"all, maps x 0.5", 0, D::width, 0.5F},
                                {"all, maps x 0.25", 0, D::width, 0.25F}};
  Costs costs;
  std::ifstream list(settings.objects);
  std::string object;
  std::uint64_t number = 0;
  int used = 0;
  while (std::getline(list, object)) {
    if (object.empty() || !std::filesystem::is_directory(settings.common.data / object)) continue;
    for (const auto& folders : test::fractures_by_object(settings.common.data / object)) {
      for (const auto& folder : folders) {
        ++number;
        if (used >= settings.used) break;
        const BrokenObject fracture = test::read_fracture(folder);
        const auto pairs = test::eligible_pairs(fracture, settings.common.least_overlap, 1.0);
        if (pairs.empty()) continue;
        ++used;
        Random random(settings.common.seed, number);
        const test::PiecePair pair = pairs[random.below(pairs.size())];
        auto a = test::sample_piece(fracture, pair.a, settings.common.points,
                                    Random(settings.common.seed, 1000000 + 2 * number));
        auto b = test::sample_piece(fracture, pair.b, settings.common.points,
                                    Random(settings.common.seed, 1000001 + 2 * number));
        if (settings.noise > 0.0) {
          roughen(a, settings.noise, Random(settings.common.seed, 3000000 + 2 * number));
          roughen(b, settings.noise, Random(settings.common.seed, 3000001 + 2 * number));
        }
        const Rigid3 a_from_world =
            test::scatter(a.cloud, Random(settings.common.seed, 2000000 + 2 * number));
        const Rigid3 b_from_world =
            test::scatter(b.cloud, Random(settings.common.seed, 2000001 + 2 * number));
        const DescribedPiece one =
            describe(a, static_cast<std::int32_t>(pair.a), settings, 10 * number, costs);
        const DescribedPiece two =
            describe(b, static_cast<std::int32_t>(pair.b), settings, 10 * number + 1, costs);
        for (Tally& tally : tallies) add(one, two, {a_from_world * b_from_world.inverse()}, tally);
      }
    }
  }
  for (const Tally& tally : tallies) print(tally);
  const auto n = static_cast<double>(costs.pieces);
  std::printf(
      "fragments %zu break points %.0f support %.0f without x %.1f %% labels precision %.2f recall %.2f; "
      "break "
      "cloud %.2f ms, descriptors in both roles %.2f ms, %.2f ms per 1000 points\n",
      costs.pieces, static_cast<double>(costs.points) / n, static_cast<double>(costs.support) / n,
      100.0 * static_cast<double>(costs.without_x) /
          static_cast<double>(std::max<std::size_t>(1, costs.points)),
      costs.precision / n, costs.recall / n, 1000 * costs.break_seconds / n,
      1000 * costs.describe_seconds / n,
      1e6 * costs.describe_seconds / static_cast<double>(std::max<std::size_t>(1, costs.points)));
}

bool read_break_settings(int argc, char** argv, BreakSettings& settings) {
  if (argc < 3) return false;
  std::vector<char*> rest = {argv[0], argv[0], argv[1]};
  settings.objects = argv[2];
  for (int i = 3; i + 1 < argc; i += 2) {
    if (std::string(argv[i]) == "--noise") {
      settings.noise = std::atof(argv[i + 1]);
    } else if (std::string(argv[i]) == "--fractures") {
      settings.used = std::atoi(argv[i + 1]);
    } else if (std::string(argv[i]) == "--apart") {
      settings.breaks.apart = std::atof(argv[i + 1]);
    } else if (std::string(argv[i]) == "--threshold") {
      settings.breaks.threshold = std::atof(argv[i + 1]);
    } else if (std::string(argv[i]) == "--margin") {
      settings.breaks.margin = std::atof(argv[i + 1]);
    } else {
      rest.push_back(argv[i]);
      rest.push_back(argv[i + 1]);
    }
  }
  return read_settings(static_cast<int>(rest.size()), rest.data(), settings.common);
}

}  // namespace
}  // namespace pmtr::bench

int main(int argc, char** argv) {
  pmtr::bench::BreakSettings settings;
  if (!pmtr::bench::read_break_settings(argc, argv, settings)) {
    std::fprintf(stderr,
                 "bench_breaks DATA OBJECTS [--noise S --auc P --flip P --points N --overlap P --seed N "
                 "--fractures N --apart S --threshold P --margin P]\n");
    return 2;
  }
  pmtr::bench::measure(settings);
  return 0;
}
