// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/assemble/contact_refinement.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "pmtr/pose/joint_evidence.h"
#include "pmtr/pose/mating_icp.h"
#include "pmtr/pose/reach.h"

namespace pmtr {
namespace {

struct Touch {
  double contact = 0.0;
  double penetration = 0.0;
};

Touch touch(std::span<const StandingCloud> standing, const OrientedCloud& part,
            const Rigid3& world_from_part) {
  Touch sum;
  for (const StandingCloud& other : standing) {
    const JointEvidence e =
        measure_joint(*other.cloud, part, other.world_from_cloud.inverse() * world_from_part, {});
    sum.contact += e.close_area;
    sum.penetration += e.penetration_area;
  }
  return sum;
}

/// Placed parts of the same component that touch this one.
std::vector<StandingCloud> neighbours_of(std::size_t part, std::span<const OrientedCloud> clouds,
                                         const Reach& reach, const Assembly& assembly) {
  std::vector<StandingCloud> result;
  const PlacedPart& own = assembly.parts[part];
  for (std::size_t j = 0; j < clouds.size(); ++j) {
    const PlacedPart& other = assembly.parts[j];
    if (j == part || !other.placed || other.component != own.component) continue;
    const Rigid3 there = other.world_from_part.inverse() * own.world_from_part;
    if (!reach.meet(static_cast<int>(j), static_cast<int>(part), there)) continue;
    if (measure_joint(clouds[j], clouds[part], there, {}).contact_points >= 12)
      result.push_back({&clouds[j], other.world_from_part});
  }
  return result;
}

/// Parts that can be moved at the same time because none touches another, one list after the other.
std::vector<std::vector<std::size_t>> waves(std::span<const std::vector<StandingCloud>> around,
                                            std::span<const OrientedCloud> clouds) {
  std::vector<std::vector<std::size_t>> result;
  std::vector<std::size_t> wave_of(around.size(), around.size());
  for (std::size_t i = 0; i < around.size(); ++i) {
    std::vector<bool> taken(result.size() + 1, false);
    for (const StandingCloud& other : around[i]) {
      const std::size_t wave = wave_of[static_cast<std::size_t>(other.cloud - clouds.data())];
      if (wave < taken.size()) taken[wave] = true;
    }
    const auto wave = static_cast<std::size_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
    wave_of[i] = wave;
    if (wave == result.size()) result.emplace_back();
    result[wave].push_back(i);
  }
  return result;
}

void stand_as_now(std::vector<StandingCloud>& around, std::span<const OrientedCloud> clouds,
                  const Assembly& assembly) {
  for (StandingCloud& other : around)
    other.world_from_cloud =
        assembly.parts[static_cast<std::size_t>(other.cloud - clouds.data())].world_from_part;
}

/// Pulls a part onto its neighbours; the pose if that is better than where it stands.
std::optional<Rigid3> better_pose(const OrientedCloud& cloud, std::span<const StandingCloud> around,
                                  const Rigid3& world_from_part) {
  constexpr IcpRound round = {.steps = 4, .first_tolerance = 0.8, .last_tolerance = 0.4, .points = 1500};
  const Touch before = touch(around, cloud, world_from_part);
  const Rigid3 pose = refine_among(around, cloud, world_from_part, round).a_from_b;
  const Touch after = touch(around, cloud, pose);
  if (after.contact <= before.contact * (1.0 + 1e-4) || after.penetration > before.penetration) return {};
  return pose;
}

}  // namespace

Status ContactRefinementOptions::validate() const {
  if (sweeps < 0 || sweeps > 1000) return invalid_option("sweeps are 0 to 1000");
  return {};
}

ContactRefinement refine_contacts(Assembly given, std::span<const OrientedCloud> clouds,
                                  const ContactRefinementOptions& options, Threads& threads) {
  ContactRefinement result;
  result.assembly = std::move(given);
  if (options.sweeps == 0) return result;
  Assembly& assembly = result.assembly;
  const Reach reach(clouds, 2.0);
  std::vector<std::vector<StandingCloud>> around(clouds.size());
  const auto contact = [&] {
    std::vector<double> of_part(clouds.size(), 0.0);
    run_tasks(threads, static_cast<std::int64_t>(clouds.size()), [&](std::int64_t task) {
      const auto i = static_cast<std::size_t>(task);
      stand_as_now(around[i], clouds, assembly);
      of_part[i] = touch(around[i], clouds[i], assembly.parts[i].world_from_part).contact;
    });
    return 0.5 * std::accumulate(of_part.begin(), of_part.end(), 0.0);
  };
  run_tasks(threads, static_cast<std::int64_t>(clouds.size()), [&](std::int64_t task) {
    const auto i = static_cast<std::size_t>(task);
    if (assembly.parts[i].placed) around[i] = neighbours_of(i, clouds, reach, assembly);
  });
  result.before = contact();
  const std::vector<std::vector<std::size_t>> all = waves(around, clouds);
  for (int sweep = 0; sweep < options.sweeps; ++sweep) {
    const int moved = result.moved;
    for (const std::vector<std::size_t>& wave : all) {
      std::vector<std::optional<Rigid3>> poses(wave.size());
      run_tasks(threads, static_cast<std::int64_t>(wave.size()), [&](std::int64_t task) {
        const std::size_t i = wave[static_cast<std::size_t>(task)];
        const PlacedPart& part = assembly.parts[i];
        // With one neighbour only, its own joint has been refined already.
        if (!part.placed || part.anchor || around[i].size() < 2) return;
        stand_as_now(around[i], clouds, assembly);
        poses[static_cast<std::size_t>(task)] = better_pose(clouds[i], around[i], part.world_from_part);
      });
      for (std::size_t k = 0; k < wave.size(); ++k) {
        if (!poses[k]) continue;
        assembly.parts[wave[k]].world_from_part = *poses[k];
        ++result.moved;
      }
    }
    if (result.moved == moved) break;
  }
  result.contact = contact();
  return result;
}

}  // namespace pmtr
