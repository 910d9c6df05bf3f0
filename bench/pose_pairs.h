// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "pmtr/pose/oriented_cloud.h"
#include "support/fracture_pairs.h"

namespace pmtr::bench {

struct Settings {
  std::string task;
  std::filesystem::path data;
  int pairs = 60;
  std::uint64_t seed = 1;
  double flip = 0.0;
  double auc = 1.0;  ///< below 1: labels as a network of this area under the ROC curve would give them
  int points = 20000;
  double least_overlap = 0.03;
  double smoothing = 2.5;
  int half = -1;  ///< 0: objects the confidence is fitted on, 1: the others, -1: all
  bool quiet = false;
};

inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Of all threads together; unlike the clock it does not depend on who else uses the machine.
inline double cpu() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

inline OrientedCloud prepare(const test::LabelledCloud& piece, const Settings& settings, std::uint64_t stream,
                             Threads& threads) {
  OrientedCloudOptions options;
  options.smoothing_radius = settings.smoothing;
  const Random random(settings.seed, stream);
  return orient_cloud(
      piece.cloud,
      settings.auc < 1.0 ? piece.network_scores(settings.auc, random) : piece.scores(settings.flip, random),
      piece.area, options, threads);
}

/// Objects alternate between fitting and measuring; no shape is on both sides but by its copies in the data.
inline std::vector<std::vector<std::filesystem::path>> chosen_objects(const Settings& settings) {
  auto objects = test::fractures_by_object(settings.data);
  if (settings.half < 0) return objects;
  std::vector<std::vector<std::filesystem::path>> result;
  for (auto i = static_cast<std::size_t>(settings.half); i < objects.size(); i += 2)
    result.push_back(std::move(objects[i]));
  return result;
}

/// Calls body(pair, number) for pairs spread over the objects, whose overlap is in [least, most].
template <class Body>
void for_pairs(const Settings& settings, double least, double most, Body body) {
  const auto objects = chosen_objects(settings);
  int done = 0;
  for (std::size_t number = 0; done < settings.pairs && number < 40 * objects.size(); ++number) {
    // A few objects at a time from all over the list.
    const std::size_t spread =
        number % objects.size() * 37 % objects.size() + number / objects.size() * objects.size();
    const auto pair = test::draw_pair(objects, settings.seed, spread, least, most, settings.points);
    if (!pair) continue;
    body(*pair, number);
    ++done;
  }
}

inline Rigid3 perturbed(const test::ScatteredPair& pair, double degrees, double distance, Random& random) {
  const Eigen::Vector3d axis = random.rotation().col(0);
  Rigid3 pose = pair.a_from_b;
  pose.rotation =
      Eigen::AngleAxisd(degrees * 3.14159265358979 / 180.0, axis).toRotationMatrix() * pose.rotation;
  pose.translation += distance * random.rotation().col(0);
  return pose;
}

/// TASK DATA [--pairs N --seed N --flip P --auc P --points N --overlap P --smooth R --half 0|1 --quiet 1]
inline bool read_settings(int argc, char** argv, Settings& settings) {
  if (argc < 3) return false;
  settings.task = argv[1];
  settings.data = argv[2];
  for (int i = 3; i + 1 < argc; i += 2) {
    const std::string key = argv[i];
    const double value = std::atof(argv[i + 1]);
    if (key == "--pairs") {
      settings.pairs = static_cast<int>(value);
    } else if (key == "--seed") {
      settings.seed = static_cast<std::uint64_t>(value);
    } else if (key == "--flip") {
      settings.flip = value;
    } else if (key == "--auc") {
      settings.auc = value;
    } else if (key == "--points") {
      settings.points = static_cast<int>(value);
    } else if (key == "--overlap") {
      settings.least_overlap = value;
    } else if (key == "--smooth") {
      settings.smoothing = value;
    } else if (key == "--half") {
      settings.half = static_cast<int>(value);
    } else if (key == "--quiet") {
      settings.quiet = value > 0.0;
    } else {
      return false;
    }
  }
  return true;
}

}  // namespace pmtr::bench
