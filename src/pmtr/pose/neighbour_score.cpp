// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/neighbour_score.h"

#include <algorithm>
#include <utility>

#include "pmtr/core/index.h"
#include "pmtr/core/random.h"

namespace pmtr {
namespace {

constexpr std::size_t points_drawn = 64;
// A match that agrees counts as this many points of contact: measured, as docs/cluster.md says.
constexpr double worth_of_match = 10.0;
// The same points whatever a fragment's number is: it has another one in every block of a project.
constexpr std::uint64_t seed = 1;

std::vector<const OrientedCloud*> pointers_to(std::span<const OrientedCloud> clouds) {
  std::vector<const OrientedCloud*> pointers;
  for (const OrientedCloud& cloud : clouds) pointers.push_back(&cloud);
  return pointers;
}

}  // namespace

NeighbourScore::NeighbourScore(std::vector<const OrientedCloud*> clouds, Threads& threads)
    : clouds_(std::move(clouds)), drawn_(clouds_.size()) {
  run_tasks(threads, static_cast<std::int64_t>(clouds_.size()), [&](std::int64_t task) {
    const auto i = static_cast<std::size_t>(task);
    drawn_[i] = draw_surface(*clouds_[i], points_drawn, Random(seed, 0));
  });
}

NeighbourScore::NeighbourScore(std::span<const OrientedCloud> clouds, Threads& threads)
    : NeighbourScore(pointers_to(clouds), threads) {}

double NeighbourScore::operator()(int a, int b, std::span<const FramePose> poses) const {
  if (poses.empty()) return 0.0;
  const OrientedCloud& one = *clouds_[at(a)];
  const OrientedCloud& other = *clouds_[at(b)];
  const float spacing = std::max(one.spacing, other.spacing);
  const ScoreTolerance near{spacing, 1.7F * spacing, 2.0F * spacing, 0.6F};
  const SurfaceScore surfaces(one, other, drawn_[at(a)], drawn_[at(b)]);
  double best = 0.0;
  for (const FramePose& pose : poses) {
    const float area = surfaces.full(PoseHypothesis::of(pose.a_from_b), points_drawn, near, 1.0F);
    const double contact = static_cast<double>(area / (spacing * spacing));
    best = std::max(best, contact + worth_of_match * pose.score);
  }
  return best;
}

}  // namespace pmtr
