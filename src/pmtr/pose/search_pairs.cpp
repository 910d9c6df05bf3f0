// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/search_pairs.h"

#include <algorithm>
#include <mutex>

#include "pmtr/core/check.h"
#include "pmtr/core/threads.h"

namespace pmtr {
namespace {

double sureness(const PairLook& look) { return look.poses.empty() ? -1.0 : look.poses[0].confidence; }

/// Runs body(0) .. body(count - 1) and tells how far it is, until the listener has enough.
void run_with_progress(std::string_view stage, std::size_t count, Threads& threads, const Listener& listener,
                       const std::function<void(std::size_t)>& body) {
  std::mutex mutex;
  std::int64_t done = 0;
  const auto total = static_cast<std::int64_t>(count);
  run_tasks(threads, total, [&](std::int64_t i) {
    if (listener.stop()) return;
    body(static_cast<std::size_t>(i));
    const std::lock_guard lock(mutex);
    listener.advance(stage, ++done, total);
  });
}

/// Fragments that settled pairs hold together, and where each stands in its group.
struct SettledGroups {
  std::vector<int> group;
  std::vector<Rigid3> group_from_fragment;

  SettledGroups(std::span<const PairLook> looks, int fragments, double settled)
      : group_from_fragment(static_cast<std::size_t>(fragments)) {
    for (int i = 0; i < fragments; ++i) group.push_back(i);
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < looks.size(); ++i) {
      if (sureness(looks[i]) >= settled) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t x, std::size_t y) { return sureness(looks[x]) > sureness(looks[y]); });
    for (const std::size_t i : order) {
      const auto a = static_cast<std::size_t>(looks[i].a);
      const auto b = static_cast<std::size_t>(looks[i].b);
      const int stays = group[a];
      const int moves = group[b];
      if (stays == moves) continue;
      const Rigid3 motion =
          group_from_fragment[a] * looks[i].poses[0].a_from_b * group_from_fragment[b].inverse();
      for (std::size_t k = 0; k < group.size(); ++k) {
        if (group[k] != moves) continue;
        group[k] = stays;
        group_from_fragment[k] = motion * group_from_fragment[k];
      }
    }
  }

  bool together(const PairLook& look) const {
    return group[static_cast<std::size_t>(look.a)] == group[static_cast<std::size_t>(look.b)];
  }
  Rigid3 a_from_b(const PairLook& look) const {
    return group_from_fragment[static_cast<std::size_t>(look.a)].inverse() *
           group_from_fragment[static_cast<std::size_t>(look.b)];
  }
};

/// Two fragments of one settled group: how they stand is known. Either they touch there, which is one joint
/// more, or they do not, and there is nothing to look for. False if they stand in each other's way: then the
/// group is not as settled as it seemed.
bool answered_by_group(const OrientedCloud& a, const OrientedCloud& b, const Rigid3& a_from_b,
                       PairLook& look) {
  constexpr double most_inside = 0.08;  // of the smaller surface
  const PoseCandidate standing = verify_pose(a, b, a_from_b);
  const double smaller = std::min(a.point_area() * static_cast<double>(a.points.size()),
                                  b.point_area() * static_cast<double>(b.points.size()));
  if (standing.evidence.penetration_area > most_inside * smaller) return false;
  if (standing.evidence.contact_points > 0) {
    const PoseCandidate touching = verify_pose(a, b, refine_pose(a, b, a_from_b));
    const PoseCandidate& better = touching.confidence > standing.confidence ? touching : standing;
    if (better.confidence > sureness(look)) look.poses.insert(look.poses.begin(), better);
  }
  return true;
}

}  // namespace

Status PairSearchOptions::validate() const {
  PMTR_TRY_STATUS(look.validate());
  PMTR_TRY_STATUS(search.validate());
  const auto bad = [](const char* message) { return Error{Cause::invalid_option, message, {}}; };
  if (partners < 1) return bad("each fragment needs at least one partner to be searched");
  if (most_partners < partners) return bad("most_partners must not be below partners");
  if (!(settled >= 0.5)) return bad("a settled confidence must be at least 0.5");
  if (!(promising >= 0.0 && promising <= 1.0)) return bad("a promising confidence must be in [0, 1]");
  if (kept < 1) return bad("at least one pose per pair must be kept");
  return {};
}

std::vector<std::pair<int, int>> all_pairs(int fragments) {
  std::vector<std::pair<int, int>> pairs;
  for (int a = 0; a < fragments; ++a)
    for (int b = a + 1; b < fragments; ++b) pairs.emplace_back(a, b);
  return pairs;
}

std::vector<std::size_t> promising_pairs(std::span<const PairLook> looks, int fragments,
                                         const PairSearchOptions& options) {
  std::vector<std::vector<std::size_t>> of_fragment(static_cast<std::size_t>(fragments));
  for (std::size_t i = 0; i < looks.size(); ++i) {
    of_fragment[static_cast<std::size_t>(looks[i].a)].push_back(i);
    of_fragment[static_cast<std::size_t>(looks[i].b)].push_back(i);
  }
  std::vector<bool> chosen(looks.size(), false);
  for (auto& list : of_fragment) {
    std::stable_sort(list.begin(), list.end(),
                     [&](std::size_t x, std::size_t y) { return sureness(looks[x]) > sureness(looks[y]); });
    const auto most = std::min(list.size(), static_cast<std::size_t>(options.most_partners));
    for (std::size_t k = 0; k < most; ++k) {
      if (k < static_cast<std::size_t>(options.partners) || sureness(looks[list[k]]) >= options.promising)
        chosen[list[k]] = true;
    }
  }
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < looks.size(); ++i) {
    if (options.exhaustive || (chosen[i] && sureness(looks[i]) < options.settled)) result.push_back(i);
  }
  return result;
}

std::vector<PairLook> search_pairs(std::span<const OrientedCloud> clouds,
                                   std::span<const std::pair<int, int>> pairs, const HintSource& hints,
                                   const PairSearchOptions& options, Threads& threads,
                                   const Listener& listener) {
  const auto count = static_cast<int>(clouds.size());
  std::vector<PairLook> looks;
  for (const auto& [a, b] : pairs) {
    PMTR_CHECK(a >= 0 && b >= 0 && a < count && b < count && a != b, "a pair is of two fragments");
    looks.push_back({a, b, {}});
  }
  const auto cloud = [&](int i) -> const OrientedCloud& { return clouds[static_cast<std::size_t>(i)]; };
  // One pair alone is worth everything.
  const bool all = options.exhaustive || looks.size() == 1;
  if (!all) {
    run_with_progress("looking", looks.size(), threads, listener, [&](std::size_t i) {
      PairLook& look = looks[i];
      look.poses = search_poses(cloud(look.a), cloud(look.b), {}, options.look, threads);
    });
  }
  PairSearchOptions every = options;
  every.exhaustive = all;
  const std::vector<std::size_t> promising = promising_pairs(looks, count, every);
  PoseSearchOptions search = options.search;
  search.kept = std::min(search.kept, options.kept);
  // Where everything is searched nothing counts as settled: no confidence reaches 2.
  const SettledGroups groups(looks, count, all ? 2.0 : options.settled);
  run_with_progress("matching", promising.size(), threads, listener, [&](std::size_t i) {
    PairLook& look = looks[promising[i]];
    if (groups.together(look) && answered_by_group(cloud(look.a), cloud(look.b), groups.a_from_b(look), look))
      return;
    std::vector<Rigid3> guesses;
    if (hints) guesses = hints(look.a, look.b);
    for (const PoseCandidate& seen : look.poses) guesses.push_back(seen.a_from_b);
    look.poses = search_poses(cloud(look.a), cloud(look.b), {guesses, {}}, search, threads);
  });
  return looks;
}

}  // namespace pmtr
