// SPDX-License-Identifier: Apache-2.0
// Copyright The pmtr authors
#include "pmtr/pose/search_pairs.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "pmtr/averaging/rigid_groups.h"
#include "pmtr/core/check.h"
#include "pmtr/core/threads.h"

namespace pmtr {
namespace {

/// Fragments that accepted pairs hold together, surest first.
RigidGroups accepted_groups(std::span<const PairCandidates> pairs, int fragments, double accepted) {
  std::vector<const PairCandidates*> order;
  for (const PairCandidates& pair : pairs) {
    if (pair.confidence() >= accepted) order.push_back(&pair);
  }
  std::stable_sort(order.begin(), order.end(), [](const PairCandidates* x, const PairCandidates* y) {
    return x->confidence() > y->confidence();
  });
  RigidGroups groups(fragments);
  for (const PairCandidates* pair : order) groups.join(pair->a, pair->b, pair->poses[0].a_from_b);
  return groups;
}

/// Fragments that are in a group with another.
std::vector<bool> held_fragments(const RigidGroups& groups, int fragments) {
  std::vector<bool> held(static_cast<std::size_t>(fragments), false);
  for (const std::vector<int>& members : groups.members()) {
    if (members.size() < 2) continue;
    for (const int i : members) held[static_cast<std::size_t>(i)] = true;
  }
  return held;
}

/// Two fragments of one accepted group: how they stand is known. Either they touch there, which is one joint
/// more, or they do not, and there is nothing to look for. False if they stand in each other's way: then the
/// group is not as sure as it seemed.
bool answered_by_group(const OrientedCloud& a, const OrientedCloud& b, const Rigid3& a_from_b,
                       PairCandidates& pair) {
  constexpr double most_inside = 0.08;  // of the smaller surface
  const PoseCandidate standing = verify_pose(a, b, a_from_b);
  const double smaller = std::min(a.point_area() * static_cast<double>(a.points.size()),
                                  b.point_area() * static_cast<double>(b.points.size()));
  if (standing.evidence.penetration_area > most_inside * smaller) return false;
  if (standing.evidence.contact_points > 0) {
    const PoseCandidate touching = verify_pose(a, b, refine_pose(a, b, a_from_b));
    const PoseCandidate& better = touching.confidence > standing.confidence ? touching : standing;
    if (better.confidence > pair.confidence()) pair.poses.insert(pair.poses.begin(), better);
  }
  return true;
}

/// The pairs of the shortlist whose turn it is: the best of each fragment that nothing holds yet. Takes them
/// out of `left`, and with them those that what was found before has answered: a full search of a partner
/// costs as much as everything else about a fragment, and the second is seldom needed.
std::vector<std::size_t> next_wave(std::span<const OrientedCloud> clouds, PairSearch& search,
                                   const PairSearchOptions& options, std::vector<std::size_t>& left) {
  if (options.exhaustive) return std::exchange(left, {});
  const auto count = static_cast<int>(clouds.size());
  const bool begun = left.size() < search.shortlist.size();
  const RigidGroups groups = accepted_groups(search.pairs, count, options.accepted);
  const std::vector<bool> held = held_fragments(groups, count);
  std::stable_sort(left.begin(), left.end(), [&](std::size_t x, std::size_t y) {
    return search.pairs[x].confidence() > search.pairs[y].confidence();
  });
  std::vector<bool> served = held;
  std::vector<std::size_t> wave;
  std::vector<std::size_t> later;
  for (const std::size_t i : left) {
    PairCandidates& pair = search.pairs[i];
    const auto a = static_cast<std::size_t>(pair.a);
    const auto b = static_cast<std::size_t>(pair.b);
    if (begun && groups.together(pair.a, pair.b) &&
        answered_by_group(clouds[a], clouds[b], groups.a_from_b(pair.a, pair.b), pair))
      continue;
    const bool promising = pair.confidence() >= options.promising;
    if (held[a] && held[b] && !promising) continue;
    if (served[a] && served[b] && !promising) {
      later.push_back(i);
      continue;
    }
    served[a] = served[b] = true;
    wave.push_back(i);
  }
  left = std::move(later);
  std::sort(wave.begin(), wave.end());
  return wave;
}

/// Searches single pairs of these clouds, or knows what was found before.
class PairSearcher {
 public:
  PairSearcher(std::span<const OrientedCloud> clouds, KnownSearches* known, Threads& threads)
      : clouds_(clouds), known_(known), threads_(threads) {
    if (known == nullptr) return;
    digests_.resize(clouds.size());
    run_tasks(threads, static_cast<std::int64_t>(clouds.size()), [&](std::int64_t task) {
      const auto i = static_cast<std::size_t>(task);
      digests_[i] = search_digest(clouds[i]);
    });
  }
  std::vector<PoseCandidate> operator()(int a, int b, std::span<const Rigid3> hints,
                                        const PoseSearchOptions& how) const {
    const auto i = static_cast<std::size_t>(a);
    const auto j = static_cast<std::size_t>(b);
    const auto search = [&] { return search_poses(clouds_[i], clouds_[j], hints, how, threads_); };
    return known_ == nullptr ? search() : known_->find(digests_[i], digests_[j], hints, how, search);
  }

 private:
  std::span<const OrientedCloud> clouds_;
  KnownSearches* known_;
  Threads& threads_;
  std::vector<std::uint64_t> digests_;
};

}  // namespace

PairSearchOptions PairSearchOptions::with_seed(std::uint64_t seed) const {
  PairSearchOptions seeded = *this;
  seeded.coarse.seed = seeded.full.seed = seed;
  return seeded;
}

PairSearchOptions PairSearchOptions::only_hints() const {
  PairSearchOptions hinted = *this;
  hinted.blind = exhaustive;
  return hinted;
}

Status PairSearchOptions::validate() const {
  PMTR_TRY_STATUS(coarse.validate());
  PMTR_TRY_STATUS(full.validate());
  if (partners < 1) return invalid_option("each fragment needs at least one partner to be searched");
  if (few < 1 || partners_of_many < 1)
    return invalid_option("each of many fragments needs at least one partner to be searched");
  if (most_partners < partners) return invalid_option("most_partners must not be below partners");
  if (!(accepted >= 0.5)) return invalid_option("an accepted confidence must be at least 0.5");
  if (!(promising >= 0.0 && promising <= 1.0))
    return invalid_option("a promising confidence must be in [0, 1]");
  if (kept < 1) return invalid_option("at least one pose per pair must be kept");
  return {};
}

std::vector<std::pair<int, int>> all_pairs(int fragments) {
  std::vector<std::pair<int, int>> pairs;
  for (int a = 0; a < fragments; ++a)
    for (int b = a + 1; b < fragments; ++b) pairs.emplace_back(a, b);
  return pairs;
}

std::vector<std::size_t> shortlist(std::span<const PairCandidates> coarse, const std::vector<bool>& held,
                                   const PairSearchOptions& options) {
  std::vector<std::vector<std::size_t>> of_fragment(held.size());
  for (std::size_t i = 0; i < coarse.size(); ++i) {
    of_fragment[static_cast<std::size_t>(coarse[i].a)].push_back(i);
    of_fragment[static_cast<std::size_t>(coarse[i].b)].push_back(i);
  }
  const bool many = held.size() > static_cast<std::size_t>(options.few);
  const auto partners = static_cast<std::size_t>(many ? options.partners_of_many : options.partners);
  const auto most_partners = many ? 2 * partners : static_cast<std::size_t>(options.most_partners);
  std::vector<bool> chosen(coarse.size(), false);
  for (std::size_t fragment = 0; fragment < held.size(); ++fragment) {
    std::vector<std::size_t>& list = of_fragment[fragment];
    const std::size_t least = held[fragment] ? 0 : partners;
    std::stable_sort(list.begin(), list.end(), [&](std::size_t x, std::size_t y) {
      return coarse[x].confidence() > coarse[y].confidence();
    });
    const std::size_t most = std::min(list.size(), most_partners);
    for (std::size_t k = 0; k < most; ++k) {
      if (k < least || coarse[list[k]].confidence() >= options.promising) chosen[list[k]] = true;
    }
  }
  std::vector<std::size_t> result;
  for (std::size_t i = 0; i < coarse.size(); ++i) {
    if (options.exhaustive || (chosen[i] && coarse[i].confidence() < options.accepted)) result.push_back(i);
  }
  return result;
}

std::vector<PairCandidates> look_at_hints(std::span<const OrientedCloud> clouds,
                                          std::span<const std::pair<int, int>> pairs,
                                          std::span<const std::vector<Rigid3>> hints,
                                          const PairSearchOptions& options, Threads& threads,
                                          const Listener& listener) {
  PMTR_CHECK(hints.empty() || hints.size() == pairs.size(), "one list of hints per pair");
  const auto count = static_cast<int>(clouds.size());
  std::vector<PairCandidates> seen;
  for (const auto& [a, b] : pairs) {
    PMTR_CHECK(a >= 0 && b >= 0 && a < count && b < count && a != b, "a pair is of two fragments");
    seen.push_back({a, b, {}});
  }
  const bool hinted = std::any_of(hints.begin(), hints.end(), [](const auto& list) { return !list.empty(); });
  if (options.exhaustive || !hinted) return seen;
  const PoseSearchOptions how = options.coarse.only_hints();
  const PairSearcher search(clouds, options.known, threads);
  run_with_progress(threads, static_cast<std::int64_t>(pairs.size()), "matches", listener,
                    [&](std::int64_t task) {
                      const auto i = static_cast<std::size_t>(task);
                      PairCandidates& pair = seen[i];
                      if (hints[i].empty()) return;
                      pair.poses = search(pair.a, pair.b, hints[i], how);
                    });
  return seen;
}

PairSearch coarse_search(std::span<const OrientedCloud> clouds, std::span<const std::pair<int, int>> pairs,
                         std::span<const std::vector<Rigid3>> hints, const PairSearchOptions& options,
                         Threads& threads, const Listener& listener, std::span<const PairCandidates> seen) {
  PMTR_CHECK(hints.empty() || hints.size() == pairs.size(), "one list of hints per pair");
  PMTR_CHECK(seen.empty() || seen.size() == pairs.size(), "every pair was looked at, or none");
  const auto count = static_cast<int>(clouds.size());
  PairSearchOptions chosen = options;
  // A single pair is searched in full at once, unless something points to its pose.
  const bool hinted = std::any_of(hints.begin(), hints.end(), [](const auto& list) { return !list.empty(); });
  chosen.exhaustive = options.exhaustive || (options.blind && pairs.size() == 1 && !hinted);
  // First where hints point: they cost little. Fragments that this holds together are not looked at blindly.
  PairSearch search;
  search.pairs = seen.empty() ? look_at_hints(clouds, pairs, hints, chosen, threads, listener)
                              : std::vector<PairCandidates>(seen.begin(), seen.end());
  for (std::size_t i = 0; i < pairs.size(); ++i)
    PMTR_CHECK(std::pair(search.pairs[i].a, search.pairs[i].b) == pairs[i], "the pairs that were looked at");
  if (chosen.exhaustive) {
    search.shortlist = shortlist(search.pairs, std::vector<bool>(clouds.size(), false), chosen);
    return search;
  }
  const auto cloud = [&](int i) -> const OrientedCloud& { return clouds[static_cast<std::size_t>(i)]; };
  const auto look = [&](std::span<const std::size_t> some, const PoseSearchOptions& how, const char* stage) {
    if (some.empty()) return;
    const PairSearcher searcher(clouds, options.known, threads);
    run_with_progress(threads, static_cast<std::int64_t>(some.size()), stage, listener, [&](std::int64_t k) {
      const std::size_t i = some[static_cast<std::size_t>(k)];
      PairCandidates& pair = search.pairs[i];
      std::vector<Rigid3> guesses;
      if (!hints.empty()) guesses = hints[i];
      for (const PoseCandidate& known : pair.poses) guesses.push_back(known.a_from_b);
      pair.poses = searcher(pair.a, pair.b, guesses, how);
    });
  };
  std::vector<std::size_t> all(pairs.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  RigidGroups groups = accepted_groups(search.pairs, count, options.accepted);
  std::vector<bool> held = held_fragments(groups, count);
  std::vector<std::size_t> unsettled;
  for (const std::size_t i : all) {
    const PairCandidates& pair = search.pairs[i];
    if (groups.together(pair.a, pair.b)) continue;
    if (!held[static_cast<std::size_t>(pair.a)] || !held[static_cast<std::size_t>(pair.b)])
      unsettled.push_back(i);
  }
  if (options.blind) look(unsettled, options.coarse, "coarse search");
  groups = accepted_groups(search.pairs, count, options.accepted);
  held = held_fragments(groups, count);
  const std::vector<std::size_t> listed = shortlist(search.pairs, held, chosen);
  std::vector<char> open(listed.size(), 1);
  run_with_progress(
      threads, static_cast<std::int64_t>(listed.size()), "groups", listener, [&](std::int64_t k) {
        PairCandidates& pair = search.pairs[listed[static_cast<std::size_t>(k)]];
        if (groups.together(pair.a, pair.b) &&
            answered_by_group(cloud(pair.a), cloud(pair.b), groups.a_from_b(pair.a, pair.b), pair))
          open[static_cast<std::size_t>(k)] = 0;
      });
  for (std::size_t k = 0; k < listed.size(); ++k) {
    if (open[k] != 0 && options.blind) search.shortlist.push_back(listed[k]);
  }
  return search;
}

PairSearch full_search(std::span<const OrientedCloud> clouds, PairSearch search,
                       std::span<const std::vector<Rigid3>> hints, const PairSearchOptions& options,
                       Threads& threads, const Listener& listener) {
  PMTR_CHECK(hints.empty() || hints.size() == search.pairs.size(), "one list of hints per pair");
  PoseSearchOptions full = options.full;
  full.kept = std::min(full.kept, options.kept);
  const auto total = static_cast<std::int64_t>(search.shortlist.size());
  std::int64_t done = 0;
  Listener of_all = listener;
  if (listener.progress) {
    of_all.progress = [&](std::string_view stage, std::int64_t count, std::int64_t) {
      listener.progress(stage, done + count, total);
    };
  }
  std::vector<std::size_t> left = search.shortlist;
  if (left.empty()) return search;
  const PairSearcher searcher(clouds, options.known, threads);
  while (!left.empty() && !listener.stop()) {
    const std::vector<std::size_t> wave = next_wave(clouds, search, options, left);
    done = total - static_cast<std::int64_t>(left.size() + wave.size());
    run_with_progress(threads, static_cast<std::int64_t>(wave.size()), "full search", of_all,
                      [&](std::int64_t k) {
                        const std::size_t i = wave[static_cast<std::size_t>(k)];
                        PairCandidates& pair = search.pairs[i];
                        std::vector<Rigid3> guesses;
                        if (!hints.empty()) guesses = hints[i];
                        for (const PoseCandidate& seen : pair.poses) guesses.push_back(seen.a_from_b);
                        pair.poses = searcher(pair.a, pair.b, guesses, full);
                      });
  }
  return search;
}

}  // namespace pmtr
