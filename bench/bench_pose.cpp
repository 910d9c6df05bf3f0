// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
//
// Accuracy and time of the pose search on real fractures: bench_pose search|icp|verify DATA [options].
#include <cstdio>

#include "pmtr/core/statistics.h"
#include "pmtr/pose/confidence.h"
#include "pmtr/pose/mating_icp.h"
#include "pmtr/pose/pose_search.h"
#include "pose_pairs.h"

namespace pmtr::bench {
namespace {

void measure_search(const Settings& settings) {
  Threads threads(2);
  int total = 0, loose = 0, tight = 0, any = 0, twins = 0;
  double prepare_seconds = 0.0, search_seconds = 0.0, cpu_seconds = 0.0;
  std::vector<double> errors;
  for_pairs(settings, settings.least_overlap, 1.0, [&](const test::ScatteredPair& pair, std::size_t number) {
    const double start = now();
    const double cpu_start = cpu();
    const OrientedCloud a = prepare(pair.a, settings, 10 * number, threads);
    const OrientedCloud b = prepare(pair.b, settings, 10 * number + 1, threads);
    const double ready = now();
    const auto found = search_poses(a, b, {}, {}, threads);
    const double finished = now();
    prepare_seconds += ready - start;
    search_seconds += finished - ready;
    cpu_seconds += cpu() - cpu_start;
    ++total;
    const Rigid3 best = found.empty() ? Rigid3{} : found[0].a_from_b;
    const bool good = pair.right(best, 10.0, 0.05);
    loose += good ? 1 : 0;
    tight += pair.right(best, 5.0, 0.02) ? 1 : 0;
    errors.push_back(pair.rotation_error(best));
    int rank = -1;
    for (std::size_t i = 0; i < found.size() && rank < 0; ++i) {
      if (pair.right(found[i].a_from_b, 10.0, 0.05)) rank = static_cast<int>(i);
    }
    any += rank >= 0 ? 1 : 0;
    if ((!good || !pair.right(best, 5.0, 0.02)) && !settings.quiet) {
      const IcpResult truth = refine_mating(
          a, b, pair.a_from_b, {.steps = 6, .first_tolerance = 0.7, .last_tolerance = 0.4, .points = 0});
      const PoseCandidate at_truth = verify_pose(a, b, truth.a_from_b);
      const PoseCandidate at_found = found.empty() ? PoseCandidate{} : found[0];
      twins += at_found.confidence >= at_truth.confidence ? 1 : 0;
      std::printf(
          "%s overlap %.3f points %zu/%zu fracture %zu/%zu border %zu/%zu rank %d error %.1f deg %.3f\n",
          pair.name.c_str(), pair.overlap, a.points.size(), b.points.size(), a.fracture.size(),
          b.fracture.size(), a.border.size(), b.border.size(), rank, pair.rotation_error(best),
          pair.translation_error(best));
      const auto line = [&](const char* label, const PoseCandidate& c) {
        std::printf("   %s %.3f:", label, c.confidence);
        const auto figures = joint_features(a, b, c.evidence);
        for (std::size_t i = 0; i < JointFeatures::count; ++i)
          std::printf(" %s %.2f", JointFeatures::names[i], figures.value[i]);
        std::printf("\n");
      };
      line("truth", at_truth);
      line("found", at_found);
    }
    std::fflush(stdout);
  });
  std::printf(
      "pairs %d recall(10,0.05) %.1f %% recall(5,0.02) %.1f %% any-of-kept %.1f %% median %.2f deg; "
      "prepare %.3f s search %.3f s per pair, processor %.3f s; failures that verify as well as the truth "
      "%d\n",
      total, 100.0 * loose / total, 100.0 * tight / total, 100.0 * any / total, median(errors),
      prepare_seconds / total, search_seconds / total, cpu_seconds / total, twins);
}

void measure_icp(const Settings& settings) {
  Threads threads(2);
  int total = 0, good = 0;
  std::vector<double> errors;
  for_pairs(settings, settings.least_overlap, 1.0, [&](const test::ScatteredPair& pair, std::size_t number) {
    const OrientedCloud a = prepare(pair.a, settings, 10 * number, threads);
    const OrientedCloud b = prepare(pair.b, settings, 10 * number + 1, threads);
    Random random(settings.seed, 77 + number);
    const Rigid3 start = perturbed(pair, random.uniform(0.0, 10.0), random.uniform(0.0, 0.05), random);
    const Rigid3 pose = refine_pose(a, b, start);
    ++total;
    const bool right = pair.right(pose, 1.0, 0.005);
    good += right ? 1 : 0;
    errors.push_back(pair.rotation_error(pose));
    if (!right && !settings.quiet)
      std::printf("%s overlap %.3f start %.1f deg %.3f end %.2f deg %.4f\n", pair.name.c_str(), pair.overlap,
                  pair.rotation_error(start), pair.translation_error(start), pair.rotation_error(pose),
                  pair.translation_error(pose));
  });
  std::printf("pairs %d within (1 deg, 0.005) %.1f %% median %.3f deg\n", total, 100.0 * good / total,
              median(errors));
}

}  // namespace
}  // namespace pmtr::bench

int main(int argc, char** argv) {
  pmtr::bench::Settings settings;
  if (!pmtr::bench::read_settings(argc, argv, settings)) {
    std::fprintf(
        stderr,
        "bench_pose search|icp DATA [--pairs N --seed N --flip P --auc P --points N --overlap P --smooth R "
        "--half 0|1 "
        "--quiet 1]\n");
    return 2;
  }
  if (settings.task == "search") pmtr::bench::measure_search(settings);
  if (settings.task == "icp") pmtr::bench::measure_icp(settings);
  return 0;
}
